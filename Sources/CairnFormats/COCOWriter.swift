internal import CairnDocument

/// One file of images, categories and annotations for each part.
///
/// A label of a whole photo is an annotation without `bbox`; `area` and `iscrowd`, which readers
/// filter by, are always there. Boxes are in pixels from the top left corner, as fractions of one.
/// Source: COCO “Data format”, and what pycocotools reads.
final class COCOWriter: FormatWriter {
  private let output: FormatOutput
  private let categories: [ClassKey: Int]
  private let classes: [AnnotationClass]
  private var parts: [String: Part] = [:]

  private final class Part {
    let file: OutputFile
    let images: ArrayOutput
    /// They stand behind the images, and come with them.
    let annotations: ArrayOutput
    var imageCount = 0
    var annotationCount = 0

    init(_ output: FormatOutput, _ name: String) throws {
      file = try output.open("annotations/instances_\(name).json")
      images = ArrayOutput(file)
      annotations = ArrayOutput(try output.open("annotations/\(name).part"))
    }
  }

  init(_ output: FormatOutput, _ classes: [AnnotationClass]) {
    (self.output, self.classes) = (output, classes)
    categories = Dictionary(uniqueKeysWithValues: classes.enumerated().map { ($1.key, $0 + 1) })
  }

  func write(_ photo: AnnotatedPhoto) throws {
    let part = try part(photo.split)
    let path = try output.placeImage(photo, in: "images")
    part.imageCount += 1
    try part.images.write([
      "id": JSON(part.imageCount), "file_name": .string(path), "width": JSON(photo.image.width),
      "height": JSON(photo.image.height),
    ])
    for label in photo.labels {
      if label.regions.isEmpty { try write(label, nil, of: photo, to: part) }
      for region in label.regions { try write(label, region, of: photo, to: part) }
    }
  }

  private func write(
    _ label: AnnotatedLabel, _ region: Region?, of photo: AnnotatedPhoto, to part: Part
  ) throws {
    part.annotationCount += 1
    var annotation: JSONObject = [
      "id": JSON(part.annotationCount), "image_id": JSON(part.imageCount),
      "category_id": JSON(categories[label.labelClass.key] ?? 0), "iscrowd": 0,
      "area": JSON(photo.image.width * photo.image.height),
    ]
    if let box = region?.pixels(photo.image) {
      annotation["bbox"] = .array([box.x, box.y, box.width, box.height].map { JSON($0) })
      annotation["area"] = JSON(box.width * box.height)
    }
    if label.confidence < 1 { annotation["score"] = JSON(label.confidence) }
    try part.annotations.write(.object(annotation))
  }

  private func part(_ split: String?) throws -> Part {
    let name = split ?? "all"
    if let part = parts[name] { return part }
    let part = try Part(output, name)
    parts[name] = part
    try part.file.write("{\"info\":")
    try part.file.write(["description": .string(output.title)])
    try part.file.write(",\n\"categories\":[")
    let list = ArrayOutput(part.file)
    for (index, labelClass) in classes.enumerated() {
      try list.write([
        "id": JSON(index + 1), "name": .string(labelClass.key.text),
        "supercategory": "", "display_name": .string(labelClass.name),
      ])
    }
    try part.file.write("],\n\"images\":[")
    return part
  }

  func finish() throws {
    if parts.isEmpty { _ = try part(nil) }
    for part in parts.values {
      try part.file.write("],\n\"annotations\":[")
      try part.file.take(part.annotations.file)
      try part.file.write("]}\n")
      try part.file.close()
    }
  }
}
