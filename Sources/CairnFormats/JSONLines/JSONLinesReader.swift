internal import CairnDocument

/// A reader of one JSON object per line and photo, in the form that ``PhotoMetadataWriter`` reads.
struct JSONLinesReader {
  private let source: ImportReader

  init(_ source: ImportReader) { self.source = source }

  func read() throws {
    let path = try source.onlyFile()
    try source.forEachLine(of: path) { line, place in
      do {
        guard let object = try JSON(bytes: line).object else {
          return try source.problem(place, "not an object")
        }
        try PhotoMetadataWriter(source).read(object, place)
      } catch let error as DocumentError {
        try source.problem(place, error.message)
      }
    }
  }
}
