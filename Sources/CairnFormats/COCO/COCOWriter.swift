internal import CairnBase
internal import CairnDocument

/// A writer of COCO: one file of images, categories and annotations per split.
///
/// A label of a whole photo is an annotation without `bbox`; `area` and `iscrowd`, which readers
/// filter by, are always present. Boxes and outlines are in fractional pixels from the top left
/// corner. An outline is a list of polygons, one for each part; with holes, and for a crowd, it is a
/// mask of run lengths, since a list has no holes and pycocotools expects crowds as masks. Absent
/// classes are in `neg_category_ids`, texts in `caption`; `score`, `state` and `annotators` are
/// members that readers ignore.
/// Source: COCO “Data format”, and what pycocotools reads; LVIS “Data format” for absent classes.
final class COCOWriter: FormatWriter {
  private let output: FormatOutput
  private let categories: [ClassKey: Int]
  private let classes: [AnnotationClass]
  private var subsets: [String: Subset] = [:]

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
      if let index = licenses.firstIndex(of: name) { return index + 1 }
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
    let subset = try subset(photo.split)
    let path = try output.placeImage(photo, in: "images")
    subset.imageCount += 1
    try subset.images.write(.object(image(photo, path, in: subset)))
    for label in photo.labels where label.state != .rejected {
      for exported in label.exportedLabels { try write(exported, of: photo, to: subset) }
    }
  }

  private func image(_ photo: AnnotatedPhoto, _ path: String, in subset: Subset) -> JSONObject {
    var image = photo.metadata
    for (own, theirs) in [("taken", "date_captured"), ("url", "coco_url"), ("licence", "license")] {
      let value = image[own]
      image[own] = nil
      image[theirs] = own == "licence" ? value?.string.map { JSON(subset.license($0)) } : value
    }
    image["id"] = JSON(subset.imageCount)
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
    _ exported: ExportedLabel, of photo: AnnotatedPhoto, to subset: Subset
  ) throws {
    subset.annotationCount += 1
    var annotation: JSONObject = [
      "id": JSON(subset.annotationCount), "image_id": JSON(subset.imageCount),
      "category_id": category(exported.label), "iscrowd": 0,
      "area": JSON(photo.image.width * photo.image.height),
      "annotators": .array(exported.annotators.map { .string($0.description) }),
    ]
    if let box = exported.region?.pixels(photo.image) {
      annotation["bbox"] = .array([box.x, box.y, box.width, box.height].map { JSON($0) })
      annotation["area"] = JSON(box.width * box.height)
    }
    if let region = exported.region { addOutline(of: region, photo.image, to: &annotation) }
    if exported.confidence < 1 { annotation["score"] = JSON(exported.confidence) }
    if exported.label.state != .confirmed {
      annotation["state"] = .string(exported.label.state.rawValue)
    }
    annotation["caption"] = exported.text.map { .string($0) }
    try subset.annotations.write(.object(annotation))
  }

  private func addOutline(
    of region: Region, _ image: ImageFacts, to annotation: inout JSONObject
  ) {
    if region.isCrowd { annotation["iscrowd"] = 1 }
    if region.polygons.isEmpty, !region.isCrowd { return }
    let polygons = region.outlinePixels(image)
    annotation["area"] = JSON(region.pixelArea(image))
    let needsMask = region.isCrowd || polygons.contains { !$0.holes.isEmpty }
    if needsMask,
      let mask = RunLengthMask(filling: polygons, width: image.width, height: image.height)
    {
      annotation["segmentation"] = mask.json
      annotation["area"] = JSON(mask.area)
    } else {
      annotation["segmentation"] = .array(polygons.map { .array($0.outer.flat) })
    }
  }

  private func subset(_ split: String?) throws -> Subset {
    let name = split ?? "all"
    if let subset = subsets[name] { return subset }
    let subset = try Subset(output, name)
    subsets[name] = subset
    try subset.file.write("{\"info\":")
    try subset.file.write(["description": .string(output.title)])
    try subset.file.write(",\n\"categories\":[")
    let list = ArrayOutput(subset.file)
    for (index, labelClass) in classes.enumerated() {
      try list.write([
        "id": JSON(index + 1), "name": .string(labelClass.key.text),
        "supercategory": "", "display_name": .string(labelClass.name),
      ])
    }
    try subset.file.write("],\n\"images\":[")
    return subset
  }

  func finish() throws {
    if subsets.isEmpty { _ = try subset(nil) }
    for subset in subsets.values {
      try subset.file.write("],\n\"annotations\":[")
      try subset.file.take(subset.annotations.file)
      try subset.file.write("],\n\"licenses\":")
      try subset.file.write(
        .array(
          subset.licenses.enumerated().map {
            ["id": JSON($0 + 1), "name": .string($1), "url": ""]
          }))
      try subset.file.write("}\n")
      try subset.file.close()
    }
  }
}
