internal import CairnDocument

/// A reader of “CVAT for images 1.1”: one XML file, read one image at a time.
///
/// Shapes that were drawn by hand are a person's: those of the job's or the task's assignee. Shapes
/// whose source is `auto` are a model's. Source: CVAT “XML annotation format”, version 1.1.
struct CVATReader {
  private let source: ImportReader

  init(_ source: ImportReader) { self.source = source }

  /// Members of an image and of a shape that are read, or that are CVAT's bookkeeping.
  private static let readOfImages: Set<String> = [
    "id", "name", "width", "height", "subset", "task_id",
  ]
  private static let readOfShapes: Set<String> = [
    "label", "source", "xtl", "ytl", "xbr", "ybr", "points", "rotation", "cx", "cy", "rx", "ry",
    "left", "top", "width", "height", "rle", "z_order", "occluded",
  ]

  func read() throws {
    let paths = try source.file.map { [$0] } ?? source.paths(["xml"])
    if paths.isEmpty { throw FormatError(source.location, "it contains no XML file") }
    for path in paths {
      do {
        try read(path)
      } catch let error as XMLError {
        throw FormatError(ImportedLocation(path, line: error.line), error.message)
      }
    }
  }

  private func read(_ path: String) throws {
    try source.withBytes(of: path) { bytes in
      var progress = ImportReader.ReadProgress(bytes)
      var people: [String: ImportedAnnotator] = [:]
      try XMLReader.forEachChild(
        of: bytes,
        begin: { root in
          guard root.name == "annotations" else {
            throw FormatError(
              ImportedLocation(path, line: root.line), "the root element is not “annotations”")
          }
        },
        { child, offset in
          progress.advance(to: offset)
          switch child.name {
          case "version": break
          case "meta": people = CVATReader.assignees(child)
          case "image": try read(child, path, people)
          case "track":
            throw FormatError(
              ImportedLocation(path, line: child.line),
              "it is a video (“CVAT for video”); export it as “CVAT for images 1.1”")
          default: source.ignore("“\(child.name.prefix(64))”")
          }
        })
    }
  }

  /// Returns the assignees by the id of their task; under the empty text, the only one.
  private static func assignees(_ meta: XMLElement) -> [String: ImportedAnnotator] {
    func person(_ element: XMLElement?) -> ImportedAnnotator? {
      guard let element = element?["assignee"] else { return nil }
      return ImportedAnnotator(element["email"]?.text, element["username"]?.text, element.text)
    }
    if let only = person(meta["job"]) ?? person(meta["task"]) { return ["": only] }
    var people: [String: ImportedAnnotator] = [:]
    for task in meta["project"]?["tasks"]?.elements ?? [] {
      guard let id = task["id"]?.text.trimmingSpaces() else { continue }
      people[id] = person(task)
    }
    return people
  }

  private func read(
    _ image: XMLElement, _ path: String, _ people: [String: ImportedAnnotator]
  ) throws {
    let location = ImportedLocation(path, line: image.line)
    guard let name = image.attribute("name") else {
      return try source.problem(location, "an image without a name")
    }
    for key in image.attributes.keys where !CVATReader.readOfImages.contains(key) {
      source.ignore("“\(key.prefix(64))” of images")
    }
    // An export with images has them in `images`, below a directory for each subset of a project.
    // Subsets may have files of the same name, so the path with the subset comes first.
    let subset = image.attribute("subset")
    var photo = ImportedPhoto(subset.map { "images/\($0)/\(name)" } ?? name, location: location)
    if let subset { photo.otherFiles = ["\(subset)/\(name)", name] }
    photo.extent = PixelExtent(width: image.number("width"), height: image.number("height"))
    let person = people[""] ?? image.attribute("task_id").flatMap { people[$0] }
    for shape in image.elements {
      let place = ImportedLocation(path, line: shape.line)
      guard var label = try label(shape, place) else { continue }
      switch shape.attribute("source") {
      case "auto": label.attribute(toModel: nil, at: nil)
      case "file", nil: label.annotator = person
      default:
        label.isByPerson = true
        label.annotator = person
      }
      photo.labels.append(label)
    }
    try source.photo(photo)
  }

  /// Returns the label of a tag or a shape; nil after reporting one that is not imported.
  private func label(_ shape: XMLElement, _ location: ImportedLocation) throws -> ImportedLabel? {
    guard let name = shape.attribute("label") else {
      try source.problem(location, "“\(shape.name.prefix(32))” without a label")
      return nil
    }
    var region: ImportedRegion?
    if shape.name != "tag" {
      guard ["box", "polygon", "polyline", "points", "ellipse", "mask"].contains(shape.name) else {
        try source.problem(location, "“\(shape.name.prefix(32))”, which is not imported")
        return nil
      }
      region = CVATShape(shape, source).region
      if region == nil {
        try source.problem(location, "“\(shape.name)” without the coordinates of an area")
        return nil
      }
    }
    for key in shape.attributes.keys where !CVATReader.readOfShapes.contains(key) {
      source.ignore("“\(key.prefix(64))” of shapes")
    }
    if shape.attribute("occluded") == "1" { source.ignore("“occluded” of shapes") }
    for element in shape.elements where element.name == "attribute" {
      // CVAT writes unset checkboxes as “false”.
      let value = element.text.trimmingSpaces()
      if value.isEmpty || value == "false" { continue }
      source.ignore("the attribute “\((element.attribute("name") ?? "").prefix(64))” of shapes")
    }
    return ImportedLabel(name, region)
  }
}
