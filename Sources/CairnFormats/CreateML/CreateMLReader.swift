internal import CairnDocument

/// A reader of Create ML's annotations: a JSON array of images with their classes or boxes.
///
/// Boxes are given by their centers, in pixels from the top left corner. Source: Apple, “Building an
/// object detector data source”; `imagefilename` and `annotation` are its earlier names.
struct CreateMLReader {
  private let source: ImportReader

  init(_ source: ImportReader) { self.source = source }

  func read() throws {
    let paths = try source.file.map { [$0] } ?? source.paths(["json"])
    if paths.isEmpty { throw FormatError(source.location, "it contains no JSON file") }
    for path in paths {
      // Image names are relative to the file.
      let directory = path.split(separator: "/").dropLast().joined(separator: "/")
      try source.forEachElement(of: path) { element, location in
        try read(element, directory, location)
      }
    }
  }

  private func read(
    _ element: JSON, _ directory: String, _ location: ImportedLocation
  ) throws {
    guard let object = element.object, let file = object.text("image", "imagefilename") else {
      return try source.problem(location, "an element without “image”")
    }
    let known: Set = ["image", "imagefilename", "annotations", "annotation"]
    source.ignore(object, but: known, of: "images")
    var photo = ImportedPhoto(
      directory.isEmpty || file.isAbsolutePath ? file : "\(directory)/\(file)", location: location)
    guard let annotations = object["annotations"] ?? object["annotation"] else {
      return try source.photo(photo)
    }
    // A class of the whole image is a text, or an annotation without coordinates.
    for annotation in annotations.array ?? [annotations] {
      if let label = try label(annotation, location) { photo.labels.append(label) }
    }
    try source.photo(photo)
  }

  private func label(_ annotation: JSON, _ location: ImportedLocation) throws -> ImportedLabel? {
    if let name = annotation.string, !name.isEmpty { return ImportedLabel(name) }
    guard let object = annotation.object, let name = object.text("label") else {
      try source.problem(location, "an annotation without “label”")
      return nil
    }
    source.ignore(object, but: ["label", "coordinates"], of: "annotations")
    guard let coordinates = object["coordinates"]?.object else { return ImportedLabel(name) }
    let numbers = ["x", "y", "width", "height"].compactMap { coordinates[$0]?.number }
    guard numbers.count == 4 else {
      try source.problem(location, "“coordinates” without x, y, width or height")
      return nil
    }
    let (x, y, width, height) = (numbers[0], numbers[1], numbers[2], numbers[3])
    return ImportedLabel(
      name, box: .pixels(x: x - width / 2, y: y - height / 2, width: width, height: height))
  }
}
