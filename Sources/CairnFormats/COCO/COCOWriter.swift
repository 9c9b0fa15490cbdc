internal import CairnDocument

/// A writer of COCO: one file of images, categories and annotations per split.
///
/// A label of a whole photo is an annotation without `bbox`; `area` and `iscrowd`, which readers
/// filter by, are always present. Boxes are in fractional pixels from the top left corner. Absent
/// classes are in `neg_category_ids`, texts in `caption`; `score`, `state` and `annotators` are
/// members that readers ignore.
/// Source: COCO “Data format”, and what pycocotools reads; LVIS “Data format” for absent classes.
final class COCOWriter: FormatWriter {
  private let output: FormatOutput
  private let categories: [ClassKey: Int]
  private let classes: [AnnotationClass]
  private var parts: [String: Subset] = [:]

  private final class Subset {
    let file: OutputFile
    let images: ArrayOutput
    /// Written after the images, so they are collected in a file of their own.
    let annotations: ArrayOutput
    var imageCount = 0
    var annotationCount = 0
    private(set) var licenses: [String] = []

    /// Returns the number of a license, assigned on first use.
    func license(_ name: String) -> Int {
      if let place = licenses.firstIndex(of: name) { return place + 1 }
      licenses.append(name)
      return licenses.count
    }

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
    try part.images.write(.object(image(photo, path, in: part)))
    for label in photo.labels where label.state != .rejected {
      for statement in label.statements { try write(statement, of: photo, to: part) }
    }
  }

  private func image(_ photo: AnnotatedPhoto, _ path: String, in part: Subset) -> JSONObject {
    var image = photo.about
    for (own, theirs) in [("taken", "date_captured"), ("url", "coco_url"), ("licence", "license")] {
      let value = image[own]
      image[own] = nil
      image[theirs] = own == "licence" ? value?.string.map { JSON(part.license($0)) } : value
    }
    image["id"] = JSON(part.imageCount)
    image["file_name"] = .string(path)
    image["width"] = JSON(photo.image.width)
    image["height"] = JSON(photo.image.height)
    let absent = photo.labels.filter { $0.state == .rejected }
    if !absent.isEmpty { image["neg_category_ids"] = .array(absent.map { category($0) }) }
    return image
  }

  private func category(_ label: AnnotatedLabel) -> JSON {
    JSON(categories[label.labelClass.key] ?? 0)
  }

  private func write(
    _ statement: ExportedLabel, of photo: AnnotatedPhoto, to part: Subset
  ) throws {
    part.annotationCount += 1
    var annotation: JSONObject = [
      "id": JSON(part.annotationCount), "image_id": JSON(part.imageCount),
      "category_id": category(statement.label), "iscrowd": 0,
      "area": JSON(photo.image.width * photo.image.height),
      "annotators": .array(statement.annotators.map { .string($0.description) }),
    ]
    if let box = statement.region?.pixels(photo.image) {
      annotation["bbox"] = .array([box.x, box.y, box.width, box.height].map { JSON($0) })
      annotation["area"] = JSON(box.width * box.height)
    }
    if statement.confidence < 1 { annotation["score"] = JSON(statement.confidence) }
    if statement.label.state != .confirmed {
      annotation["state"] = .string(statement.label.state.rawValue)
    }
    annotation["caption"] = statement.text.map { .string($0) }
    try part.annotations.write(.object(annotation))
  }

  private func part(_ split: String?) throws -> Subset {
    let name = split ?? "all"
    if let part = parts[name] { return part }
    let part = try Subset(output, name)
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
      try part.file.write("],\n\"licenses\":")
      try part.file.write(
        .array(
          part.licenses.enumerated().map { ["id": JSON($0 + 1), "name": .string($1), "url": ""] }))
      try part.file.write("}\n")
      try part.file.close()
    }
  }
}
