package import CairnDocument
package import SystemPackage

/// A source of listed URLs, in their order.
package struct URLListSource: PhotoSource {
  package let name = SourceName.urls
  private let locations: [WebLocation]

  package init(_ locations: [WebLocation]) { self.locations = locations }

  /// Parses a list with one URL per line; empty lines and lines that begin with “#” are skipped.
  ///
  /// - Throws: ``SourceError`` with `.unsupportedQuery` and the number of the invalid line.
  package static func locations(in text: String) throws(SourceError) -> [WebLocation] {
    var locations: [WebLocation] = []
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    for (index, line) in lines.enumerated() {
      let line = String(line).trimmingSpaces()
      if line.isEmpty || line.hasPrefix("#") { continue }
      guard let location = WebLocation(line) else {
        throw SourceError(
          .unsupportedQuery, "The list", "has no http or https URL in line \(index + 1)")
      }
      locations.append(location)
    }
    return locations
  }

  package func step(
    _ query: SourceQuery, after cursor: String?
  ) throws(SourceError) -> SourceResult {
    try query.checkLocal("A list of URLs")
    return .page(
      SourcePage(
        locations.map { location in
          var photo = SourcePhoto(.web(location))
          photo.original = location.text
          return photo
        }))
  }

  package func page(
    _ response: JSON, _ query: SourceQuery, after cursor: String?
  ) throws(SourceError) -> SourcePage { SourcePage([]) }

  package func rejection(_ response: JSON) -> SourceRejection? { nil }
}

/// A source of files on this disk, in their order.
package struct FolderSource: PhotoSource {
  package let name = SourceName.folder
  private let files: [FilePath]

  package init(_ files: [FilePath]) { self.files = files }

  package func step(
    _ query: SourceQuery, after cursor: String?
  ) throws(SourceError) -> SourceResult {
    try query.checkLocal("A folder")
    return .page(SourcePage(files.map { SourcePhoto(.file($0)) }))
  }

  package func page(
    _ response: JSON, _ query: SourceQuery, after cursor: String?
  ) throws(SourceError) -> SourcePage { SourcePage([]) }

  package func rejection(_ response: JSON) -> SourceRejection? { nil }
}

extension SourceQuery {
  /// Throws if the query has filters that only services support.
  fileprivate func checkLocal(_ source: String) throws(SourceError) {
    if text != nil { throw SourceError(.unsupportedQuery, source, "cannot be searched by text") }
    if area != nil {
      throw SourceError(.unsupportedQuery, source, "does not provide locations")
    }
    if licenses != nil {
      throw SourceError(.unsupportedQuery, source, "does not provide licenses")
    }
  }
}
