internal import CairnDocument

/// A writer of one JSON object per line and photo, including its labels.
final class JSONLinesWriter: FormatWriter {
  private let output: FormatOutput
  private let file: OutputFile

  init(_ output: FormatOutput) throws {
    self.output = output
    file = try output.open("photos.jsonl")
  }

  func write(_ photo: AnnotatedPhoto) throws {
    var object = photo.members
    object["file_name"] = .string(try output.placeImage(photo, in: "images"))
    try file.write(.object(object))
    try file.write("\n")
  }

  func finish() throws { try file.close() }
}

extension AnnotatedPhoto {
  /// All data of the photo, in the member names of JSON Lines.
  var members: JSONObject {
    var object = metadata
    object["photo"] = .string(id.description)
    object["image_width"] = JSON(image.width)
    object["image_height"] = JSON(image.height)
    object["labels"] = .array(labels.map(\.json))
    if let split { object["split"] = .string(split) }
    return object
  }
}

extension AnnotatedLabel {
  var json: JSON {
    var object: JSONObject = [
      "label": .string(labelClass.key.text), "name": .string(labelClass.name),
      "state": .string(state.rawValue), "confidence": JSON(confidence),
      "annotators": .array(annotators.map { .string($0.description) }),
    ]
    if !texts.isEmpty { object["texts"] = .array(texts.map { .string($0) }) }
    if !boxes.isEmpty {
      object["regions"] = .array(boxes.map(\.json))
      object["whole"] = .bool(labelsWholePhoto)
    }
    return .object(object)
  }
}

extension AnnotatedBox {
  fileprivate var json: JSON {
    var object: JSONObject = [
      "x": JSON(region.x), "y": JSON(region.y), "width": JSON(region.width),
      "height": JSON(region.height), "confidence": JSON(confidence),
      "annotator": .string(annotator.description),
    ]
    if !region.polygons.isEmpty { object["polygons"] = region.polygons.json }
    if region.isCrowd { object["crowd"] = true }
    object["text"] = text.map { .string($0) }
    return .object(object)
  }
}
