public import CairnDocument
public import SystemPackage

/// A list of addresses, in its order.
public struct LocationList: PhotoSource {
  public let name = SourceName.urls
  private let locations: [WebLocation]

  public init(_ locations: [WebLocation]) { self.locations = locations }

  /// Reads a list: an address a line; empty lines and those that begin with “#” are passed over.
  ///
  /// - Throws: ``SourceError`` with `.badQuery` and the number of the line that is no address.
  public static func locations(in text: String) throws(SourceError) -> [WebLocation] {
    var locations: [WebLocation] = []
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    for (index, line) in lines.enumerated() {
      let line = String(line).trimmingSpaces()
      if line.isEmpty || line.hasPrefix("#") { continue }
      guard let location = WebLocation(line) else {
        throw SourceError(
          .badQuery, "The list", "has no address of the web (http, https) in line \(index + 1)")
      }
      locations.append(location)
    }
    return locations
  }

  public func step(
    _ query: SourceQuery, after cursor: String?
  ) throws(SourceError) -> SourceStep {
    try query.checkLocal("A list of addresses")
    return .page(
      SourcePage(
        locations.map { location in
          var photo = SourcePhoto(.web(location))
          photo.original = location.text
          return photo
        }))
  }

  public func page(
    _ answer: JSON, _ query: SourceQuery, after cursor: String?
  ) throws(SourceError) -> SourcePage { SourcePage([]) }

  public func refusal(_ answer: JSON) -> SourceRefusal? { nil }
}

/// Files of this disk, in their order.
public struct FileList: PhotoSource {
  public let name = SourceName.folder
  private let files: [FilePath]

  public init(_ files: [FilePath]) { self.files = files }

  public func step(
    _ query: SourceQuery, after cursor: String?
  ) throws(SourceError) -> SourceStep {
    try query.checkLocal("A folder")
    return .page(SourcePage(files.map { SourcePhoto(.file($0)) }))
  }

  public func page(
    _ answer: JSON, _ query: SourceQuery, after cursor: String?
  ) throws(SourceError) -> SourcePage { SourcePage([]) }

  public func refusal(_ answer: JSON) -> SourceRefusal? { nil }
}

extension SourceQuery {
  /// Refuses what can be asked of services alone.
  fileprivate func checkLocal(_ source: String) throws(SourceError) {
    if text != nil { throw SourceError(.badQuery, source, "cannot be searched for words") }
    if area != nil {
      throw SourceError(.badQuery, source, "does not know where its photos were taken")
    }
    if licences != nil {
      throw SourceError(.badQuery, source, "does not say under which licences its photos are")
    }
  }
}
