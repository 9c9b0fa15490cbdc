internal import CairnDocument

/// A directory for each part, with its images and a line of `metadata.jsonl` for each of them.
///
/// Every line has every column; of an empty one the reader knows no type. Boxes are in pixels from the
/// top left corner. Source: Hugging Face Datasets, “Create an image dataset”.
final class HuggingFaceWriter: FormatWriter {
  private let output: FormatOutput
  private var files: [String: OutputFile] = [:]

  init(_ output: FormatOutput) { self.output = output }

  func write(_ photo: AnnotatedPhoto) throws {
    let split = photo.split ?? "train"
    let file = try files[split] ?? output.open("\(split)/metadata.jsonl")
    files[split] = file
    let path = try output.placeImage(photo, in: split)
    let boxes = photo.labels.flatMap { label in
      label.regions.map { (label: label, box: $0.pixels(photo.image)) }
    }
    let row: JSON = [
      "file_name": .string(path.split(separator: "/").last.map(String.init) ?? path),
      "photo": .string(photo.id.description), "label": JSON(photo.best?.labelClass.key.text),
      "labels": .array(photo.labels.map { .string($0.labelClass.key.text) }),
      "confidences": .array(photo.labels.map { JSON($0.confidence) }),
      "objects": [
        "bbox": .array(
          boxes.map { .array([$0.box.x, $0.box.y, $0.box.width, $0.box.height].map { JSON($0) }) }),
        "categories": .array(boxes.map { .string($0.label.labelClass.key.text) }),
        "scores": .array(boxes.map { JSON($0.label.confidence) }),
      ],
      "title": .string(photo.title), "caption": .string(photo.caption),
      "source": .string(photo.source), "pin_name": .string(photo.place?.name ?? ""),
      "latitude": photo.place.map { JSON($0.location.latitude) } ?? .null,
      "longitude": photo.place.map { JSON($0.location.longitude) } ?? .null,
      "width": JSON(photo.image.width), "height": JSON(photo.image.height),
    ]
    try file.write(row)
    try file.write("\n")
  }

  func finish() throws { for file in files.values { try file.close() } }
}
