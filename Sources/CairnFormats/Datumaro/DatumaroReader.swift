internal import CairnBase
internal import CairnDocument

/// A reader of Datumaro's JSON: `annotations/SUBSET.json` with categories and items, and
/// `images/SUBSET/…`.
///
/// A label with an attribute `score` is a model's. Polygons and masks of one class in one group are
/// the parts of one object. Source: Datumaro “Datumaro format”, versions 1.0 and legacy.
struct DatumaroReader {
  private let source: ImportReader

  init(_ source: ImportReader) { self.source = source }

  private static let readOfItems: Set<String> = [
    "id", "annotations", "image", "media", "point_cloud",
  ]
  // Bookkeeping and what follows from other members.
  private static let readOfAnnotations: Set<String> = [
    "id", "type", "attributes", "group", "label_id", "z_order", "bbox", "points", "caption",
    "object_id", "rle",
  ]

  func read() throws {
    let paths: [String]
    if let file = source.file {
      paths = [file]
    } else {
      let below = try source.paths(in: "annotations", ["json"])
      paths = below.isEmpty ? try source.paths(["json"]) : below
    }
    if paths.isEmpty { throw FormatError(source.location, "it contains no JSON file") }
    for path in paths { try read(path) }
  }

  private func read(_ path: String) throws {
    var names: [String]?
    var hasItems = false
    // The categories may be after the items.
    try source.forEachElement(of: path, in: ["items"]) { key, value, _, _ in
      switch key {
      case "items": hasItems = true
      case "categories":
        names = (value["label"]?["labels"]?.array ?? []).map { $0["name"]?.string ?? "" }
      case "info", "infos", "dm_format_version", "media_type": break
      default: source.ignore("“\(key.prefix(64))”")
      }
    }
    guard hasItems || names != nil else {
      throw FormatError(ImportedLocation(path), "it contains neither items nor categories")
    }
    let subset = ImageStems.stem(of: String(path.split(separator: "/").last ?? ""))
    try source.forEachElement(of: path, in: ["items"]) { key, item, location, _ in
      if key == "items" { try read(item, subset, names ?? [], location) }
    }
  }

  private func read(
    _ item: JSON, _ subset: String, _ names: [String], _ location: ImportedLocation
  ) throws {
    guard let object = item.object, let id = object.text("id") else {
      return try source.problem(location, "an item without “id”")
    }
    source.ignore(object, but: DatumaroReader.readOfItems.union(["attr"]), of: "items")
    for (key, value) in object["attr"]?.object?.members ?? [] where key != "frame" {
      if value.string != "" { source.ignore("the attribute “\(key.prefix(64))” of items") }
    }
    let image = object["image"]?.object ?? object["media"]?.object
    if image == nil, object["point_cloud"] != nil { return source.ignore("point clouds") }
    let path = image?.text("path") ?? ""
    let bare = path.isEmpty ? ["jpg", "jpeg", "png", "bmp"].map { "\(id).\($0)" } : [path]
    // Subsets may have files of the same name, so the path with the subset comes first.
    let files = ["images/\(subset)/", "\(subset)/", "images/", ""].flatMap { directory in
      bare.map { directory + $0 }
    }
    var photo = ImportedPhoto(files[0], location: location)
    photo.otherFiles = Array(files.dropFirst())
    // The size is height and width.
    let size = image?["size"]?.array?.compactMap(\.number) ?? []
    if size.count == 2 { photo.extent = PixelExtent(width: size[1], height: size[0]) }
    var objects = ImportedObjects()
    for annotation in object["annotations"]?.array ?? [] {
      if let caption = annotation["caption"]?.string, annotation["type"]?.string == "caption" {
        photo.metadata.caption = photo.metadata.caption ?? caption
      } else if let label = try label(annotation, names, photo.extent, location) {
        // 0 stands for no group.
        objects.add(label, group: annotation["group"]?.number.flatMap { $0 == 0 ? nil : $0 })
      }
    }
    photo.labels = objects.labels
    try source.photo(photo)
  }

  /// Returns the label of an annotation; nil after reporting one that is not imported.
  private func label(
    _ annotation: JSON, _ names: [String], _ extent: PixelExtent?, _ location: ImportedLocation
  ) throws -> ImportedLabel? {
    func wrong(_ message: String) throws -> ImportedLabel? {
      try source.problem(location, message)
      return nil
    }
    let type = annotation["type"]?.string ?? ""
    guard let object = annotation.object,
      ["label", "bbox", "polygon", "mask", "ellipse", "polyline", "points"].contains(type)
    else {
      return try wrong("an annotation of the type “\(type.prefix(32))”, which is not imported")
    }
    guard let id = object["label_id"]?.int, names.indices.contains(id), !names[id].isEmpty else {
      return try wrong("“\(type)” without a known “label_id”")
    }
    source.ignore(object, but: DatumaroReader.readOfAnnotations, of: "annotations")
    let region = type == "label" ? nil : region(object, type, extent)
    if region == nil, type != "label" {
      return try wrong("“\(type)” without the coordinates of an area in the image")
    }
    var label = ImportedLabel(names[id], region)
    for (key, value) in object["attributes"]?.object?.members ?? [] {
      if key == "score", let score = value.number {
        guard 0...1 ~= score else { return try wrong("“score” is not between 0 and 1") }
        (label.confidence, label.isScored) = (score, true)
      } else if key == "is_crowd" {
        label.isCrowd = value.bool == true
      } else if value.bool != false, !value.isNull, value.string != "" {
        source.ignore("the attribute “\(key.prefix(64))” of annotations")
      }
    }
    return label
  }
  /// Returns the region of an annotation, which is in pixels.
  private func region(
    _ object: JSONObject, _ type: String, _ extent: PixelExtent?
  ) -> ImportedRegion? {
    switch type {
    case "bbox":
      return object["bbox"]?.fourNumbers.map { .box(.pixels(x: $0, y: $1, width: $2, height: $3)) }
    case "mask":
      guard let mask = object["rle"].flatMap(RunLengthMask.init(json:)), mask.area > 0,
        extent == nil
          || extent == PixelExtent(width: Double(mask.width), height: Double(mask.height))
      else { return nil }
      return .outline(ImportedOutline(mask))
    case "ellipse":
      guard let (left, top, right, bottom) = object["points"]?.fourNumbers else { return nil }
      return source.ellipse(
        Polygon.Point(x: (left + right) / 2, y: (top + bottom) / 2), (right - left) / 2,
        (bottom - top) / 2, kind: "ellipses")
    default:
      let numbers = object["points"]?.array?.map(\.number) ?? []
      guard numbers.count.isMultiple(of: 2), !numbers.contains(nil) else { return nil }
      let points = Polygon(flat: numbers.compactMap { $0 }).outer
      if type == "polygon" { return .polygon(points) }
      return source.box(around: points, kind: type == "points" ? "sets of points" : "polylines")
    }
  }
}
