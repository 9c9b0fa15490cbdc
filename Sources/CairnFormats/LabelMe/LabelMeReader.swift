internal import CairnDocument

/// A reader of a JSON file beside each image, with flags of the whole image and shapes. Source:
/// labelme, `labelme/_label_file.py`.
struct LabelMeReader {
  private let source: ImportReader

  init(_ source: ImportReader) { self.source = source }

  func read() throws {
    let paths = try source.file.map { [$0] } ?? source.paths(["json"])
    if paths.isEmpty {
      throw FormatError(source.location, "it contains no JSON file")
    }
    for path in paths { try read(path) }
  }

  private func read(_ path: String) throws {
    var photo = ImportedPhoto("", location: ImportedLocation(path))
    do {
      try source.withBytes(of: path) { bytes in
        var lines = LineCounter(bytes)
        var scanner = JSONScanner(bytes)
        var (shapes, sides): ([(JSON, Int)], [String: Double]) = ([], [:])
        try scanner.beginObject()
        var isFirst = true
        while let token = try scanner.nextMember(&isFirst) {
          let key = try scanner.string(of: token)
          if key == "shapes" {
            try scanner.beginArray()
            var isFirstShape = true
            while try scanner.nextElement(&isFirstShape) {
              let line = lines.line(at: scanner.offset)
              shapes.append((try scanner.value(depth: 2), line))
            }
            continue
          }
          let value = try scanner.value(depth: 1)
          switch key {
          case "imagePath":
            let name = value.string ?? ""
            // Early versions of labelme name the file itself, whose image has the same stem.
            photo.file = name.hasSuffix(".json") ? String(name.dropLast(".json".count)) : name
          case "flags": photo.labels += flags(value)
          case "imageWidth", "imageHeight": sides[key] = value.number
          case "version": break
          default: source.ignore([key: value], but: [], of: "files")
          }
        }
        try scanner.finish()
        guard !photo.file.isEmpty else {
          throw DocumentError(.schema, "there is no “imagePath”: not a labelme file")
        }
        photo.extent = PixelExtent(width: sides["imageWidth"], height: sides["imageHeight"])
        var found = LabelMeShapes(source)
        for (shape, line) in shapes {
          try found.add(shape, ImportedLocation(path, line: line))
        }
        photo.labels += found.labels
      }
    } catch let error as DocumentError {
      return try source.problem(ImportedLocation(path, line: error.line), error.message)
    }
    // The image path is relative to the JSON file.
    let directory = path.split(separator: "/").dropLast().joined(separator: "/")
    if !directory.isEmpty, !photo.file.isAbsolutePath {
      photo.file = "\(directory)/\(photo.file)"
    }
    try source.photo(photo)
  }

  private func flags(_ value: JSON) -> [ImportedLabel] {
    let flags = value.object?.members ?? []
    let unset = flags.count { $0.value.bool == false }
    if unset > 0 { source.ignore("flags that are not set", unset) }
    return flags.filter { $0.value.bool == true }.map { ImportedLabel($0.key) }
  }
}
