internal import CairnDocument

/// A reader of COCO files: images, categories and annotations. Source: COCO “Data format”; COCO
/// Camera Traps, whose ids are strings (https://lila.science/coco-camera-traps).
///
/// Images and categories are read in a first pass, wherever they are in the file; annotations are
/// then read one at a time.
struct COCOReader {
  private let source: ImportReader

  init(_ source: ImportReader) { self.source = source }

  /// The part of an image entry that is kept in memory, since there may be a million of them. The
  /// rest is read again at `offset`.
  private struct Image {
    let file: String
    let extent: PixelExtent?
    let offset: Int
    /// Whether the entry has absent classes.
    let hasAbsences: Bool
    /// Whether an annotation refers to it.
    var hasAnnotation = false
    /// Whether its metadata was already passed on.
    var isReported = false
  }

  /// The result of the first pass, by id.
  private struct Tables {
    var images: [ElementID: Image] = [:]
    var categories: [ElementID: String] = [:]
    var licenses: [Int: String] = [:]
  }

  // Members that are numbers, or that follow from others, are ignored without a note.
  private static let readOfImages: Set<String> = [
    "id", "file_name", "width", "height", "license", "neg_category_ids", "coco_url", "flickr_url",
    "title", "caption", "author", "service", "page", "credit_title", "datetime", "rights_holder",
  ]
  private static let readOfAnnotations: Set<String> = [
    "id", "image_id", "category_id", "iscrowd", "area", "bbox", "segmentation", "score", "state",
    "annotators", "caption",
  ]

  /// Counts data that are not imported.
  func ignore(_ what: String, _ count: Int = 1) { source.ignore(what, count) }

  func read() throws {
    if let file = source.file { return try read(file) }
    let below = try source.paths(in: "annotations", ["json"])
    let paths = below.isEmpty ? try source.paths(["json"]) : below
    if paths.isEmpty {
      throw FormatError(source.location, "it contains no annotation file")
    }
    for path in paths { try read(path) }
  }

  private static let lists: Set = ["images", "categories", "annotations", "licenses"]

  private func read(_ path: String) throws {
    var tables = Tables()
    var hasAnnotations = false
    try source.forEachElement(of: path, in: COCOReader.lists) { list, element, location, offset in
      switch list {
      case "images": try readImage(element, location, offset, &tables)
      case "categories":
        guard let id = ElementID(element["id"]), let name = element["name"]?.string else {
          return try source.problem(location, "a category without “id” or “name”")
        }
        let known: Set = ["id", "name", "display_name"]
        source.ignore(element.object ?? [:], but: known, of: "categories")
        tables.categories[id] = name
      case "licenses":
        if let id = element["id"]?.int { tables.licenses[id] = element["name"]?.string }
      case "annotations": hasAnnotations = true
      // The file's own title and author.
      case "info": break
      default: source.ignore("“\(list.prefix(64))”")
      }
    }
    guard hasAnnotations || !tables.images.isEmpty else {
      throw FormatError(ImportedLocation(path), "it contains neither images nor annotations")
    }
    try source.withBytes(of: path) { bytes in
      try readAbsences(&tables, bytes, ImportedLocation(path))
      try source.forEachElement(of: path, in: COCOReader.lists) { list, element, location, _ in
        guard list == "annotations",
          let (image, label) = try readAnnotation(element, location, &tables)
        else { return }
        try source.photo(photo(image, &tables, bytes, [label], location))
      }
      for (id, image) in tables.images.sorted(by: { $0.key < $1.key })
      where !image.hasAnnotation && !image.isReported {
        try source.photo(photo(id, &tables, bytes, [], ImportedLocation(path)))
      }
    }
  }

  private func readImage(
    _ element: JSON, _ location: ImportedLocation, _ offset: Int, _ tables: inout Tables
  ) throws {
    guard let object = element.object, let id = ElementID(object["id"]),
      let file = object["file_name"]?.string
    else { return try source.problem(location, "an image without “id” or “file_name”") }
    guard tables.images[id] == nil else {
      return try source.problem(location, "a second image with the id \(id)")
    }
    let ofPin = ImportedPin(object, location: location) == nil ? [] : ImportedPin.members
    source.ignore(object, but: COCOReader.readOfImages.union(ofPin), of: "images")
    tables.images[id] = Image(
      file: file,
      extent: PixelExtent(width: object["width"]?.number, height: object["height"]?.number),
      offset: offset, hasAbsences: object["neg_category_ids"]?.array?.isEmpty == false)
  }

  /// Returns an image with these labels, and with its metadata the first time.
  private func photo(
    _ id: ElementID, _ tables: inout Tables, _ bytes: UnsafeBufferPointer<UInt8>,
    _ labels: [ImportedLabel], _ location: ImportedLocation
  ) throws -> ImportedPhoto {
    let image = tables.images[id]!
    var photo = ImportedPhoto(image.file, extent: image.extent, labels: labels, location: location)
    // Roboflow writes the file beside the images.
    photo.directory = location.file.split(separator: "/").dropLast().joined(separator: "/")
    photo.otherFiles = COCOReader.directories(of: location.file).map { "\($0)/\(image.file)" }
    photo.hasReportedMetadata = image.isReported
    if image.isReported { return photo }
    tables.images[id]?.isReported = true
    let object = try self.object(at: image.offset, in: bytes)
    photo.metadata = ImportedMetadata { object.text($0) }
    photo.metadata.pin = ImportedPin(object, location: location)
    // Members of COCO Camera Traps.
    photo.metadata.taken = source.captureTime(object.text("datetime"))
    if let holder = object.text("rights_holder"), photo.metadata.credit["author"] == nil {
      photo.metadata.credit["author"] = holder
    }
    photo.metadata.credit["url"] = object.text("coco_url")
    photo.metadata.credit["page"] = object.text("page", "flickr_url")
    photo.metadata.credit["licence"] = object["license"]?.int.flatMap { tables.licenses[$0] }
    return photo
  }

  /// Returns the directories in which COCO has the images of `annotations/instances_val2017.json`.
  private static func directories(of path: String) -> [String] {
    let stem = ImageStems.stem(of: String(path.split(separator: "/").last ?? ""))
    guard let subset = stem.split(separator: "_").dropFirst().last else { return [] }
    return [String(subset), "images/\(subset)"]
  }

  private func object(
    at offset: Int, in bytes: UnsafeBufferPointer<UInt8>
  ) throws -> JSONObject {
    var scanner = JSONScanner(UnsafeBufferPointer(rebasing: bytes[offset...]))
    return try scanner.value(depth: 2).object ?? [:]
  }

  /// Source: LVIS “Data format”, `neg_category_ids`.
  private func readAbsences(
    _ tables: inout Tables, _ bytes: UnsafeBufferPointer<UInt8>, _ location: ImportedLocation
  ) throws {
    for id in tables.images.keys.sorted() {
      guard let image = tables.images[id], image.hasAbsences else { continue }
      let absent = try object(at: image.offset, in: bytes)["neg_category_ids"]?.array ?? []
      var labels: [ImportedLabel] = []
      for category in absent.compactMap({ ElementID($0) }) {
        guard let name = tables.categories[category] else {
          try source.problem(location, "“neg_category_ids” of image \(id) has an unknown category")
          continue
        }
        var label = ImportedLabel(name)
        label.isAbsent = true
        labels.append(label)
      }
      try source.photo(photo(id, &tables, bytes, labels, location))
    }
  }

  /// Returns an annotation's image and label; nil after reporting a problem.
  private func readAnnotation(
    _ element: JSON, _ location: ImportedLocation, _ tables: inout Tables
  ) throws -> (image: ElementID, label: ImportedLabel)? {
    func wrong(_ message: String) throws -> (image: ElementID, label: ImportedLabel)? {
      try source.problem(location, message)
      return nil
    }
    guard let object = element.object, let imageID = ElementID(object["image_id"]),
      let image = tables.images[imageID]
    else { return try wrong("an annotation of an unknown image") }
    guard let name = ElementID(object["category_id"]).flatMap({ tables.categories[$0] }) else {
      // Files of captions and of panoptic segments are beside those of instances.
      guard object["caption"] != nil || object["segments_info"] != nil else {
        return try wrong("an annotation of an unknown category")
      }
      ignore(object["caption"] == nil ? "panoptic segments" : "captions of images")
      return nil
    }
    tables.images[imageID]?.hasAnnotation = true
    source.ignore(object, but: COCOReader.readOfAnnotations, of: "annotations")
    var label = ImportedLabel(name)
    label.text = object.text("caption")
    if let score = object["score"] {
      guard let score = score.double, 0...1 ~= score else {
        return try wrong("“score” is not between 0 and 1")
      }
      (label.confidence, label.isScored) = (score, true)
    }
    if let box = object["bbox"], !box.isNull {
      guard let (x, y, width, height) = box.fourNumbers else {
        return try wrong("“bbox” is not four numbers")
      }
      label.box = .pixels(x: x, y: y, width: width, height: height)
    }
    switch outline(of: object, image.extent) {
    case .failure(let problem): return try wrong(problem.message)
    case .success(let outline):
      label.outline = outline
      if let outline { compare(label.box, with: outline) }
    }
    label.isCrowd = object["iscrowd"]?.int == 1
    if label.isCrowd, label.box == nil, label.outline == nil {
      return try wrong("a crowd (“iscrowd”) without “segmentation” and “bbox”")
    }
    // Members that cairn's own export writes.
    if let annotators = object["annotators"]?.array?.compactMap(\.string) {
      label.isScored = false
      guard
        label.take(state: object.text("state") ?? "confirmed", annotators: annotators)
      else { return try wrong("“state” must be present, absent, confirmed, rejected or predicted") }
    }
    return (imageID, label)
  }
}
