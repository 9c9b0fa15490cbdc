internal import CairnDocument

/// A JSON object a line for each photo, as ``PhotoMembers`` reads it.
struct JSONLinesReader {
  private let source: ForeignSource

  init(_ source: ForeignSource) { self.source = source }

  func read() throws {
    let path = try source.onlyFile()
    try source.forEachLine(of: path) { line, place in
      do {
        guard let object = try JSON(bytes: line).object else {
          return try source.problem(place, "not an object")
        }
        try PhotoMembers(source).read(object, place)
      } catch let error as DocumentError {
        try source.problem(place, error.message)
      }
    }
  }
}
