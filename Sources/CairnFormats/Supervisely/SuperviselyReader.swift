internal import CairnBase
internal import CairnDocument

/// A reader of Supervisely projects: `DATASET/ann/IMAGE.json` beside `DATASET/img/IMAGE`, at any
/// depth, with tags of whole images and objects.
///
/// Each tag and object has the login and the time of its labeler. An object that a model drew and
/// that nobody corrected (`nnCreated` and `nnUpdated`) is the model's. Source: Supervisely
/// “Annotation JSON format”, parts 2 to 5; `LabelingStatus` of its SDK.
struct SuperviselyReader {
  private let source: ImportReader

  init(_ source: ImportReader) { self.source = source }

  private static let readOfFiles: Set<String> = [
    "description", "tags", "size", "objects", "name", "customBigData",
  ]
  // Ids, and what follows from others.
  private static let readOfTags: Set<String> = [
    "id", "tagId", "name", "value", "labelerLogin", "createdAt", "updatedAt",
  ]
  private static let readOfObjects: Set<String> = [
    "id", "classId", "objectId", "description", "geometryType", "nnCreated", "nnUpdated",
    "labelerLogin", "createdAt", "updatedAt",
    "tags", "classTitle", "points", "bitmap",
  ]

  func read() throws {
    let paths =
      try source.file.map { [$0] }
      ?? source.paths(["json"]).filter { path in
        path.split(separator: "/").dropLast().last == "ann"
      }
    if paths.isEmpty {
      throw FormatError(source.location, "it contains no annotation file DATASET/ann/IMAGE.json")
    }
    for path in paths { try read(path) }
  }

  /// Returns the path of the image of an annotation file.
  private func image(_ path: String) -> String {
    var parts = path.split(separator: "/").map(String.init)
    let name = parts.removeLast()
    if parts.last == "ann" { parts[parts.count - 1] = "img" }
    return (parts + [String(name.dropLast(".json".count))]).joined(separator: "/")
  }

  private func read(_ path: String) throws {
    var photo = ImportedPhoto(image(path), location: ImportedLocation(path))
    var isAnnotation = false
    do {
      try source.forEachElement(of: path, in: ["tags", "objects"]) { key, value, location, _ in
        switch key {
        case "tags": try addTag(value, location, to: &photo)
        case "objects":
          isAnnotation = true
          if let label = try label(value, location) { photo.labels.append(label) }
        case "size":
          isAnnotation = true
          photo.extent = PixelExtent(
            width: value["width"]?.number, height: value["height"]?.number)
        case "description": photo.metadata.caption = value.string
        default:
          source.ignore([key: value], but: SuperviselyReader.readOfFiles, of: "files")
        }
      }
    } catch let error as FormatError {
      // One broken file does not hide the others.
      return try source.problem(error.location, error.message)
    }
    guard isAnnotation else {
      return try source.problem(
        ImportedLocation(path), "there is no “size” and no object: not a Supervisely file")
    }
    try source.photo(photo)
  }

  private func attribute(_ label: inout ImportedLabel, to object: JSONObject) {
    if let login = object.text("labelerLogin") {
      label.attribute(toPerson: login, at: object.text("updatedAt", "createdAt"))
    }
  }

  private func addTag(
    _ tag: JSON, _ location: ImportedLocation, to photo: inout ImportedPhoto
  ) throws {
    guard let object = tag.object, let name = object.text("name") else {
      return try source.problem(location, "a tag without “name”")
    }
    source.ignore(object, but: SuperviselyReader.readOfTags, of: "tags")
    var label = ImportedLabel(name)
    // A tag may have a value besides its name.
    label.text = object.text("value")
    if case .number(let number)? = object["value"] { label.text = number.text }
    attribute(&label, to: object)
    photo.labels.append(label)
  }

  private func label(_ json: JSON, _ location: ImportedLocation) throws -> ImportedLabel? {
    func wrong(_ message: String) throws -> ImportedLabel? {
      try source.problem(location, message)
      return nil
    }
    guard let object = json.object, let name = object.text("classTitle") else {
      return try wrong("an object without “classTitle”")
    }
    let type = object.text("geometryType") ?? ""
    guard ["rectangle", "polygon", "line", "bitmap"].contains(type) else {
      return try wrong("a \(type.prefix(32)), which is not imported")
    }
    guard let region = region(object, type) else {
      return try wrong("“\(type)” without the coordinates of an area")
    }
    source.ignore(object, but: SuperviselyReader.readOfObjects, of: "objects")
    for tag in object["tags"]?.array ?? [] {
      source.ignore("the tag “\((tag["name"]?.string ?? "").prefix(64))” of objects")
    }
    var label = ImportedLabel(name, region)
    label.text = object.text("description")
    if object["nnCreated"]?.bool == true, object["nnUpdated"]?.bool == true {
      label.attribute(toModel: nil, at: object.text("updatedAt", "createdAt"))
    } else {
      attribute(&label, to: object)
    }
    return label
  }

  /// Returns the region of an object, which is in pixels.
  private func region(_ object: JSONObject, _ type: String) -> ImportedRegion? {
    if type == "bitmap" {
      guard let bitmap = object["bitmap"]?.object, let data = bitmap.text("data"),
        let origin = bitmap["origin"].flatMap({ JSON.array([$0]).pairs?.first }),
        let mask = PackedMask(packedPNG: data)
      else { return nil }
      let outline = ImportedOutline(mask, at: origin)
      return outline.polygons.isEmpty ? nil : .outline(outline)
    }
    guard let points = object["points"]?["exterior"]?.pairs else { return nil }
    switch type {
    case "rectangle":
      // Two corners, or all four.
      guard points.count == 2 || points.count == 4, let box = [Polygon(outer: points)].bounds else {
        return nil
      }
      return .box(.pixels(x: box.x, y: box.y, width: box.width, height: box.height))
    case "line": return source.box(around: points, kind: "lines")
    default:
      let holes = (object["points"]?["interior"]?.array ?? []).map(\.pairs)
      return holes.contains(nil) ? nil : .polygon(points, holes: holes.compactMap { $0 })
    }
  }
}
