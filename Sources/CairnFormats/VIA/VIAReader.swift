internal import CairnBase
internal import CairnDocument

/// A reader of the VGG Image Annotator's annotations, as JSON, as CSV and as a saved project.
///
/// Source: VIA 1 and 2, `via.js`: `import_annotations_from_json`, `import_annotations_from_csv`,
/// `project_save`.
struct VIAReader {
  private let source: ImportReader

  init(_ source: ImportReader) { self.source = source }

  func read() throws {
    if let file = source.file { return try read(file) }
    let paths = try source.names(in: "", areDirectories: false).filter {
      $0.hasSuffix(".json") || $0.hasSuffix(".csv")
    }
    guard paths.count == 1 else {
      throw FormatError(
        source.location,
        "it contains \(paths.count) JSON and CSV files; give the path of the file itself")
    }
    try read(paths[0])
  }

  private func read(_ path: String) throws {
    if path.lowercased().hasSuffix(".csv") { return try readTable(path) }
    var isVIA = false
    try source.forEachMember(of: path, in: ["_via_img_metadata"]) { project, key, value, location in
      switch (project, key) {
      case (nil, "_via_settings"), (nil, "_via_attributes"), (nil, "_via_data_format_version"),
        (nil, "_via_image_id_list"):
        isVIA = true
      case (nil, _) where value["filename"] == nil:
        source.ignore("“\(key.prefix(64))”")
      default:
        isVIA = true
        try readImage(value, location)
      }
    }
    if !isVIA {
      throw FormatError(ImportedLocation(path), "it contains no image with “filename”")
    }
  }

  private func readImage(_ image: JSON, _ location: ImportedLocation) throws {
    guard let object = image.object, let file = object.text("filename") else {
      return try source.problem(location, "an image without “filename”")
    }
    let known: Set = [
      "filename", "size", "regions", "file_attributes", "fileref", "base64_img_data",
    ]
    source.ignore(object, but: known, of: "images")
    var photo = ImportedPhoto(file, location: location)
    photo.byteCount = byteCount(object["size"]?.int)
    try addFileLabels(object["file_attributes"]?.object ?? [:], to: &photo)
    // VIA 1 has an object of regions by number.
    let regions =
      object["regions"]?.array ?? object["regions"]?.object?.members.map(\.value) ?? []
    for region in regions {
      try addRegion(
        region["shape_attributes"]?.object ?? [:], region["region_attributes"]?.object ?? [:],
        to: &photo)
    }
    try source.photo(photo)
  }

  /// Returns the size of an image's file, which VIA adds to the name; nil for -1, which it has for
  /// addresses.
  private func byteCount(_ size: Int?) -> Int? { size.flatMap { $0 >= 0 ? $0 : nil } }

  private func addFileLabels(_ attributes: JSONObject, to photo: inout ImportedPhoto) throws {
    var attributes = attributes
    photo.metadata.caption = attributes.text("caption")
    attributes["caption"] = nil
    switch VIAAttributes.classes(of: attributes, in: source, "files") {
    case .named(let names): photo.labels += names.map { ImportedLabel($0) }
    case .ambiguous(let names):
      for name in names { source.ignore("the attribute “\(name.prefix(64))” of files") }
    }
  }

  private func addRegion(
    _ shape: JSONObject, _ attributes: JSONObject, to photo: inout ImportedPhoto
  ) throws {
    switch VIAAttributes.classes(of: attributes, in: source, "regions") {
    case .ambiguous(let names):
      let list = names.prefix(8).map { "“\($0.prefix(64))”" }.joined(separator: ", ")
      try source.problem(
        photo.location,
        "none of the attributes \(list) is recognized as the class; rename the right one to “label”"
      )
    case .named(let names) where names.isEmpty:
      try source.problem(
        photo.location, "a region without a class; give it an attribute “label” in VIA")
    case .named(let names):
      guard let region = region(shape) else {
        let kind = shape.text("name") ?? "shape"
        return try source.problem(
          photo.location, "“\(kind.prefix(32))” without the coordinates of an area")
      }
      photo.labels += names.map { ImportedLabel($0, region) }
    }
  }

  /// Returns a region, which is in pixels.
  private func region(_ shape: JSONObject) -> ImportedRegion? {
    func numbers(_ names: String...) -> [Double]? {
      let numbers = names.compactMap { shape[$0]?.number }
      return numbers.count == names.count ? numbers : nil
    }
    switch shape.text("name") {
    case "rect":
      return numbers("x", "y", "width", "height").map {
        .box(.pixels(x: $0[0], y: $0[1], width: $0[2], height: $0[3]))
      }
    case "circle":
      guard let values = numbers("cx", "cy", "r") else { return nil }
      return source.ellipse(
        Polygon.Point(x: values[0], y: values[1]), values[2], values[2], kind: "circles")
    case "ellipse":
      guard let values = numbers("cx", "cy", "rx", "ry") else { return nil }
      return source.ellipse(
        Polygon.Point(x: values[0], y: values[1]), values[2], values[3],
        degrees: (shape["theta"]?.number ?? 0) * 180 / .pi, kind: "ellipses")
    case "polygon", "polyline":
      let across = shape["all_points_x"]?.array?.compactMap(\.number) ?? []
      let down = shape["all_points_y"]?.array?.compactMap(\.number) ?? []
      guard across.count == down.count else { return nil }
      let points = zip(across, down).map { Polygon.Point(x: $0, y: $1) }
      // A line that ends where it begins encloses an area, too.
      let isClosed = shape.text("name") == "polygon" || points.first == points.last
      return isClosed ? .polygon(points) : source.box(around: points, kind: "polylines")
    default: return nil
    }
  }

  // MARK: Tables

  private static let columns: Set<String> = [
    "#filename", "filename", "file_size", "file_attributes", "region_count", "region_id",
    "region_shape_attributes", "region_attributes",
  ]

  /// Reads a table with a row for each region, and for each image without regions.
  private func readTable(_ path: String) throws {
    var labeled: Set<[String]> = []
    try source.forEachRecord(
      of: path,
      requires: [["#filename", "filename"], ["region_shape_attributes"], ["region_attributes"]]
    ) { record in
      guard let file = record["#filename", "filename"] else {
        return try source.problem(record.location, "a row without a file name")
      }
      source.ignore(record, but: VIAReader.columns)
      var photo = ImportedPhoto(file, location: record.location)
      let size = record["file_size"] ?? ""
      photo.byteCount = byteCount(Int(size))
      do {
        // The attributes of the file are repeated in each of its rows.
        if labeled.insert([file, size]).inserted {
          try addFileLabels(object(record["file_attributes"]), to: &photo)
        } else {
          photo.hasReportedMetadata = true
        }
        let shape = try object(record["region_shape_attributes"])
        if !shape.isEmpty {
          try addRegion(shape, object(record["region_attributes"]), to: &photo)
        }
      } catch let error as DocumentError {
        return try source.problem(record.location, error.message)
      }
      try source.photo(photo)
    }
  }

  private func object(_ text: String?) throws -> JSONObject {
    guard let text else { return [:] }
    return try JSON(bytes: text.utf8).object ?? [:]
  }
}
