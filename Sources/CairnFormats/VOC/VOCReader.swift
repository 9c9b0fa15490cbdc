internal import CairnDocument

/// A reader of an XML file of objects per image, below `Annotations/` or anywhere, and of labels of
/// whole photos in the lists `ImageSets/Main/<class>_<subset>.txt`, also of images without an XML
/// file.
///
/// Accepts fractional numbers and empty optional elements, which other programs write.
/// Source: The PASCAL VOC Challenge 2012 Development Kit.
struct VOCReader {
  private let source: ImportReader

  init(_ source: ImportReader) { self.source = source }

  func read() throws {
    if let file = source.file { return _ = try read(file) }
    let below = try source.paths(in: "Annotations", ["xml"])
    let paths = below.isEmpty ? try source.paths(["xml"]) : below
    let lists = try source.names(in: "ImageSets/Main", areDirectories: false)
      .filter { $0.hasSuffix(".txt") }
    if paths.isEmpty, lists.isEmpty {
      throw FormatError(source.location, "it contains no annotation file")
    }
    var images: [String: ImportedPhoto] = [:]
    for path in paths { images[stem(path)] = try read(path) }
    let unlisted = lists.isEmpty ? nil : try ImageStems(source)
    for name in lists {
      try readList("ImageSets/Main/\(name)", String(name.dropLast(".txt".count)), images, unlisted)
    }
    for name in try source.names(in: "ImageSets", areDirectories: true) where name != "Main" {
      source.ignore("the lists of ImageSets/\(name.prefix(64))")
    }
  }

  private func stem(_ path: String) -> String {
    String((path.split(separator: "/").last ?? "").dropLast(".xml".count))
  }

  /// Returns the photo alone, for the lists.
  private func read(_ path: String) throws -> ImportedPhoto? {
    let root: XMLElement
    do {
      root = try XMLReader.read(try source.read(path) ?? [])
    } catch let error as XMLError {
      try source.problem(ImportedLocation(path, line: error.line), error.message)
      return nil
    }
    guard root.name == "annotation" else {
      try source.problem(
        ImportedLocation(path, line: root.line), "the root element is not “annotation”")
      return nil
    }
    let named = root["filename"]?.text.trimmingSpaces() ?? ""
    var photo = ImportedPhoto(
      named.isEmpty ? stem(path) : named, location: ImportedLocation(path))
    // labelImg writes the file beside the image.
    photo.directory = path.split(separator: "/").dropLast().joined(separator: "/")
    photo.extent = PixelExtent(
      width: root["size"]?["width"]?.number, height: root["size"]?["height"]?.number)
    for element in root.elements {
      if element.name != "object" {
        ignore(element, but: VOCReader.readOfImages, of: "annotations")
      } else if let label = try label(element, ImportedLocation(path, line: element.line)) {
        photo.labels.append(label)
      }
    }
    try source.photo(photo)
    (photo.labels, photo.extent) = ([], nil)
    return photo
  }

  private static let readOfImages: Set<String> = ["filename", "folder", "path", "size"]
  /// Default values, which carry no information.
  private static let defaultValues: Set<String> = ["", "0", "Unspecified"]

  private func ignore(_ element: XMLElement, but known: Set<String>, of what: String) {
    let isEmptyValue =
      element.elements.isEmpty && VOCReader.defaultValues.contains(element.text.trimmingSpaces())
    if !known.contains(element.name), !isEmptyValue {
      source.ignore("“\(element.name.prefix(64))” of \(what)")
    }
  }

  private func label(_ object: XMLElement, _ location: ImportedLocation) throws -> ImportedLabel? {
    guard let name = object["name"]?.text.trimmingSpaces(), !name.isEmpty else {
      try source.problem(location, "an object without a name")
      return nil
    }
    let corners = ["xmin", "ymin", "xmax", "ymax"].compactMap { object["bndbox"]?[$0]?.number }
    guard corners.count == 4 else {
      try source.problem(location, "an object without the four numbers of a box")
      return nil
    }
    for child in object.elements { ignore(child, but: ["name", "bndbox"], of: "objects") }
    return ImportedLabel(
      name,
      box: .pixels(
        x: corners[0], y: corners[1], width: corners[2] - corners[0],
        height: corners[3] - corners[1]))
  }

  /// - Parameter name: The name of the list: a subset, or a class and a subset.
  private func readList(
    _ path: String, _ name: String, _ images: [String: ImportedPhoto], _ unlisted: ImageStems?
  ) throws {
    var isOfNames: Bool?
    let className = name.lastIndex(of: "_").map { String(name[..<$0]) } ?? name
    try source.forEachTextLine(of: path) { line, location in
      let cells = line.split {
        $0 == " " || $0 == "\t" || $0 == "\r"
      }
      if cells[0].hasPrefix("#") { return }
      // A list of a subset has names only.
      if isOfNames == nil {
        isOfNames = cells.count == 1
        if cells.count == 1 { source.ignore("the subset “\(name.prefix(64))” of ImageSets/Main") }
      }
      if isOfNames == true { return }
      guard cells.count == 2, let mark = Int(cells[1]), -1...1 ~= mark else {
        return try source.problem(location, "not the name of an image and 1, 0 or -1")
      }
      let stem = String(cells[0])
      let image = unlisted?.path("JPEGImages/\(stem)").map {
        ImportedPhoto($0, location: location)
      }
      guard var photo = images[stem] ?? image else {
        return try source.problem(
          location, "there is no annotation file and no image of “\(stem.prefix(100))”")
      }
      guard mark != 0 else {
        return source.ignore("0 (“difficult”) in ImageSets/Main")
      }
      var label = ImportedLabel(className)
      label.isAbsent = mark == -1
      (photo.labels, photo.location) = ([label], location)
      try source.photo(photo)
    }
  }
}
