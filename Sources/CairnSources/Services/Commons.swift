public import CairnDocument

/// Wikimedia Commons, accessed through the MediaWiki API.
///
/// Source: mediawiki.org, “API:Imageinfo”, “API:Continue”, “Manual:Maxlag parameter”;
/// “Extension:GeoData” for `geosearch`; “Help:CirrusSearch” for `nearcoord` and `filetype`.
public struct Commons: PhotoSource {
  public let name = SourceName.commons
  private let access: SourceCredentials

  public init(_ access: SourceCredentials) { self.access = access }

  /// One of the widths that its servers keep prerendered.
  private static let width = 1280

  public func step(
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
    return .ask(url: WebLocation.query(access.url, parameters), headers: [:])
  }

  private func generator(_ query: SourceQuery) throws(SourceError) -> [(String, String)] {
    if let area = query.area, area.radiusMeters > 10_000 {
      throw SourceError(.badQuery, name.title, "looks at most 10 km around a place")
    }
    let place = query.area.map { ($0.center, max(10, Int($0.radiusMeters.rounded()))) }
    if let text = query.text {
      let near = place.map { " nearcoord:\($1)m,\($0.latitude),\($0.longitude)" } ?? ""
      return [
        ("generator", "search"), ("gsrsearch", "\(text) filetype:bitmap\(near)"),
        ("gsrnamespace", "6"), ("gsrlimit", "50"),
      ]
    }
    guard let (center, radius) = place else {
      throw SourceError(.badQuery, name.title, "needs words or a place to look for")
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
    guard let members = JSON(answer: Array(cursor.utf8))?.object?.members, members.count <= 16
    else {
      throw SourceError(.garbled, name.title, "says where to go on in a way that does not read")
    }
    return members.compactMap { member in
      guard member.key.utf8.allSatisfy({ 97...122 ~= $0 }), let value = member.value.name,
        value.utf8.count <= 1024
      else { return nil }
      return (member.key, value)
    }
  }

  public func page(
    _ answer: JSON, _ query: SourceQuery, after cursor: String?
  ) throws(SourceError) -> SourcePage {
    guard answer.object != nil else {
      throw SourceError(.garbled, name.title, "answered with something else than an object")
    }
    let pages = answer["query"]?["pages"]?.array ?? []
    // By distance or by relevance.
    let ordered = pages.enumerated().sorted {
      ($0.element["index"]?.double ?? 0, $0.offset) < ($1.element["index"]?.double ?? 0, $1.offset)
    }
    let next = answer["continue"]?.object.map { JSON.object($0).canonicalText }
    return SourcePage(ordered.compactMap { photo($0.element, query) }, next: next)
  }

  public func refusal(_ answer: JSON) -> SourceRejection? {
    guard let error = answer["error"], let code = error["code"]?.string else { return nil }
    let words = "says “\(error["info"]?.line ?? SourceText.line(code) ?? "no")”"
    switch code {
    case "maxlag", "ratelimited", "readonly":
      return SourceRejection(.busy, words, isTransient: true)
    default:
      return code.hasPrefix("internal_api_error")
        ? SourceRejection(.busy, words, isTransient: true) : SourceRejection(.refused, words)
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
    let said = info["extmetadata"]
    photo.author = SourceText.plain(said?["Artist"]?["value"]?.string)
    photo.licence = License(
      name: SourceText.plain(said?["LicenseShortName"]?["value"]?.string),
      code: said?["License"]?["value"]?.string, url: said?["LicenseUrl"]?["value"]?.string)
    if let time = said?["DateTimeOriginal"]?["value"]?.string {
      photo.taken = CaptureTime(time.replacing(" ", with: "T"))
    }
    if let place = json["coordinates"]?.array?.first, place["globe"]?.string ?? "earth" == "earth" {
      photo.position = Coordinate(place["lat"], place["lon"])
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
