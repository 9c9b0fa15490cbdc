internal import CairnDocument

/// A reader of one JSON object per line and photo, in the form that ``PhotoObjectReader`` reads.
struct JSONLinesReader {
  private let source: ImportReader

  init(_ source: ImportReader) { self.source = source }

  func read() throws {
    let path = try source.onlyFile()
    try source.forEachLine(of: path) { line, location in
      do {
        guard let object = try JSON(bytes: line).object else {
          return try source.problem(location, "not a JSON object")
        }
        try PhotoObjectReader(source).read(object, location)
      } catch let error as DocumentError {
        try source.problem(location, error.message)
      }
    }
  }
}
