internal import CairnDocument

/// One JSON object a line for each photo, with its labels in it.
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
  /// All that is known of the photo, in the words of JSON Lines.
  var members: JSONObject {
    var object: JSONObject = [
      "photo": .string(id.description), "image_width": JSON(image.width),
      "image_height": JSON(image.height), "labels": .array(labels.map(\.json)),
    ]
    if let split { object["split"] = .string(split) }
    for (key, text) in [("title", title), ("caption", caption), ("source", source)]
    where !text.isEmpty {
      object[key] = .string(text)
    }
    if let place {
      object["pin"] = .string(place.pin.text)
      object["pin_name"] = .string(place.name)
      object["latitude"] = JSON(place.location.latitude)
      object["longitude"] = JSON(place.location.longitude)
    }
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
    if !regions.isEmpty {
      object["regions"] = .array(
        regions.map {
          [
            "x": JSON($0.x), "y": JSON($0.y), "width": JSON($0.width), "height": JSON($0.height),
          ]
        })
    }
    return .object(object)
  }
}
