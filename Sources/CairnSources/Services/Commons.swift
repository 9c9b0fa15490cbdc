package import CairnDocument

/// Wikimedia Commons, accessed through the MediaWiki API.
///
/// Source: mediawiki.org, “API:Imageinfo”, “API:Continue”, “Manual:Maxlag parameter”;
/// “Extension:GeoData” for `geosearch`; “Help:CirrusSearch” for `nearcoord` and `filetype`.
package struct Commons: PhotoSource {
  package let name = SourceName.commons
  private let credentials: SourceCredentials

  package init(_ credentials: SourceCredentials) { self.credentials = credentials }

  /// One of the widths that its servers keep prerendered.
  private static let width = 1280

  package func step(
    _ query: SourceQuery, after cursor: String?
  ) throws(SourceError) -> SourceResult {
    var parameters = [
      ("action", "query"), ("format", "json"), ("formatversion", "2"), ("maxlag", "5"),
      ("prop", "imageinfo|coordinates"), ("iiprop", "url|size|mime|extmetadata"),
      ("iiurlwidth", "\(Commons.width)"), ("iiextmetadatalanguage", "en"),
      ("iiextmetadatafilter", "License|LicenseShortName|LicenseUrl|Artist|DateTimeOriginal"),
      ("colimit", "max"),
    ]
    parameters += try generator(query)
    let own = Set(parameters.map(\.0))
    // A cursor is untrusted and must not override other parameters.
    for (key, value) in try Commons.members(of: cursor, name) where !own.contains(key) {
      parameters.append((key, value))
    }
    return .request(url: WebLocation.query(credentials.url, parameters), headers: [:])
  }

  private func generator(_ query: SourceQuery) throws(SourceError) -> [(String, String)] {
    if let area = query.area, area.radiusMeters > 10_000 {
      throw SourceError(.unsupportedQuery, name.title, "searches at most 10 km around a location")
    }
    let circle = query.area.map { ($0.center, max(10, Int($0.radiusMeters.rounded()))) }
    if let text = query.text {
      let near = circle.map { " nearcoord:\($1)m,\($0.latitude),\($0.longitude)" } ?? ""
      return [
        ("generator", "search"), ("gsrsearch", "\(text) filetype:bitmap\(near)"),
        ("gsrnamespace", "6"), ("gsrlimit", "50"),
      ]
    }
    guard let (center, radius) = circle else {
      throw SourceError(.unsupportedQuery, name.title, "requires a search text or a location")
    }
    // It has no second page, but returns the properties of all results in batches.
    return [
      ("generator", "geosearch"), ("ggscoord", "\(center.latitude)|\(center.longitude)"),
      ("ggsradius", "\(radius)"), ("ggslimit", "500"), ("ggsnamespace", "6"),
      ("ggsprimary", "all"),
    ]
  }

  /// Parses a cursor, which is the `continue` object of the previous response.
  private static func members(
    of cursor: String?, _ name: SourceName
  ) throws(SourceError) -> [(String, String)] {
    guard let cursor else { return [] }
    guard let members = JSON(response: Array(cursor.utf8))?.object?.members, members.count <= 16
    else {
      throw SourceError(.invalidResponse, name.title, "returned an invalid “continue” value")
    }
    return members.compactMap { member in
      guard member.key.utf8.allSatisfy({ 97...122 ~= $0 }), let value = member.value.name,
        value.utf8.count <= 1024
      else { return nil }
      return (member.key, value)
    }
  }

  package func page(
    _ response: JSON, _ query: SourceQuery, after cursor: String?
  ) throws(SourceError) -> SourcePage {
    guard response.object != nil else {
      throw SourceError(.invalidResponse, name.title, "did not return a JSON object")
    }
    let pages = response["query"]?["pages"]?.array ?? []
    // By distance or by relevance.
    let ordered = pages.enumerated().sorted {
      ($0.element["index"]?.double ?? 0, $0.offset) < ($1.element["index"]?.double ?? 0, $1.offset)
    }
    let next = response["continue"]?.object.map { JSON.object($0).canonicalText }
    return SourcePage(ordered.compactMap { photo($0.element, query) }, next: next)
  }

  package func rejection(_ response: JSON) -> SourceRejection? {
    guard let error = response["error"], let code = error["code"]?.string else { return nil }
    let message = "reported “\(error["info"]?.line ?? SourceText.line(code) ?? "an error")”"
    switch code {
    case "maxlag", "ratelimited", "readonly":
      return SourceRejection(.busy, message, isTransient: true)
    default:
      return code.hasPrefix("internal_api_error")
        ? SourceRejection(.busy, message, isTransient: true) : SourceRejection(.refused, message)
    }
  }

  private func photo(_ json: JSON, _ query: SourceQuery) -> SourcePhoto? {
    guard let info = json["imageinfo"]?.array?.first,
      ["image/jpeg", "image/png", "image/webp"].contains(info["mime"]?.string),
      let original = info["url"]?.string.flatMap({ WebLocation($0) })
    else { return nil }
    let scaled = info["thumburl"]?.string.flatMap { WebLocation($0) }
    var photo = SourcePhoto(.web(query.wantsOriginal ? original : scaled ?? original))
    photo.id = json["pageid"]?.name ?? ""
    photo.original = original.text
    photo.page = info["descriptionurl"]?.string.flatMap { WebLocation($0)?.text }
    photo.title = title(json["title"]?.line)
    let metadata = info["extmetadata"]
    photo.author = SourceText.plain(metadata?["Artist"]?["value"]?.string)
    photo.license = License(
      name: SourceText.plain(metadata?["LicenseShortName"]?["value"]?.string),
      code: metadata?["License"]?["value"]?.string, url: metadata?["LicenseUrl"]?["value"]?.string)
    if let time = metadata?["DateTimeOriginal"]?["value"]?.string {
      photo.taken = ReportedTime(time.replacing(" ", with: "T"))
    }
    if let location = json["coordinates"]?.array?.first,
      location["globe"]?.string ?? "earth" == "earth"
    {
      photo.location = Coordinate(location["lat"], location["lon"]).map { ReportedLocation($0) }
    }
    return photo
  }

  /// Returns the name of a file without its namespace and extension.
  private func title(_ text: String?) -> String? {
    guard var text else { return nil }
    if text.hasPrefix("File:") { text.removeFirst(5) }
    if let dot = text.lastIndex(of: "."), dot > text.startIndex { text = String(text[..<dot]) }
    return SourceText.line(text)
  }
}
