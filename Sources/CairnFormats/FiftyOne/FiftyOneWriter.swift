internal import CairnDocument

/// A writer of FiftyOne datasets: images in `data/`, the classes of whole photos in `labels.json`,
/// boxes in `detections.json`.
///
/// Source: FiftyOne, `FiftyOneImageClassificationDataset` and `FiftyOneImageDetectionDataset`; for
/// the second, `labels_path` names the other file. Boxes are fractions from the top left corner;
/// attributes become fields of a label.
final class FiftyOneWriter: FormatWriter {
  private let output: FormatOutput
  private let labels: LabelFile
  private let detections: LabelFile

  init(_ output: FormatOutput, _ classes: [AnnotationClass]) throws {
    self.output = output
    labels = try LabelFile(output.open("labels.json"), classes)
    detections = try LabelFile(output.open("detections.json"), classes)
  }

  func write(_ photo: AnnotatedPhoto) throws {
    _ = try output.placeImage(photo, in: "data")
    var (whole, boxes): ([JSON], [JSON]) = ([], [])
    for exported in photo.labels.flatMap(\.exportedLabels) {
      var object: JSONObject = [
        "label": .string(exported.label.labelClass.key.text),
        "confidence": JSON(exported.confidence),
        "attributes": [
          "annotators": .array(exported.annotators.map { .string($0.description) }),
          "state": .string(exported.label.state.rawValue),
        ],
      ]
      guard let region = exported.region else {
        whole.append(.object(object))
        continue
      }
      object["bounding_box"] = .array(
        [region.x, region.y, region.width, region.height].map { JSON($0) })
      boxes.append(.object(object))
    }
    try labels.write(photo.id, whole)
    try detections.write(photo.id, boxes)
  }

  func finish() throws {
    try labels.finish()
    try detections.finish()
  }

  private final class LabelFile {
    private let file: OutputFile
    private var isEmpty = true

    init(_ file: OutputFile, _ classes: [AnnotationClass]) throws {
      self.file = file
      try file.write("{\"classes\":")
      try file.write(.array(classes.map { .string($0.key.text) }))
      try file.write(",\"labels\":{")
    }

    func write(_ photo: PhotoID, _ labels: [JSON]) throws {
      try file.write(isEmpty ? "\n" : ",\n")
      isEmpty = false
      try file.write("\"\(photo)\":")
      try file.write(labels.isEmpty ? .null : .array(labels))
    }

    func finish() throws {
      try file.write("\n}}\n")
      try file.close()
    }
  }
}
