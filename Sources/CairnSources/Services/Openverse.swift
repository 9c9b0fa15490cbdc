public import CairnDocument

/// Openverse, which searches many collections of openly licensed images by text.
///
/// Source: api.openverse.org/v1, `images_search`; “Openverse API results constrained to 20 pages”.
public struct Openverse: PhotoSource {
  public let name = SourceName.openverse
  private let access: SourceCredentials

  public init(_ access: SourceCredentials) { self.access = access }

  /// The maximum page size without a key.
  private static let pageSize = 20
  private static let mostPages = 20

  public func step(
    _ query: SourceQuery, after cursor: String?
  ) throws(SourceError) -> SourceResult {
    guard let text = query.text else {
      throw SourceError(.badQuery, name.title, "needs words to look for, such as --text \"oak\"")
    }
    if query.area != nil {
      throw SourceError(.badQuery, name.title, "does not know where its photos were taken")
    }
    var parameters = [
      ("q", text), ("page", cursor ?? "1"), ("page_size", "\(Openverse.pageSize)"),
      ("mature", "false"),
    ]
    if let licences = query.licences {
      let known = licences.compactMap { kind in
        kind == .cc0 || kind == .pdm ? kind.rawValue : kind.ccCode
      }
      if known.isEmpty { return .page(SourcePage([])) }
      parameters.append(("license", known.sorted().joined(separator: ",")))
    }
    let headers = access.key.map { ["Authorization": "Bearer \($0)"] } ?? [:]
    return .ask(url: WebLocation.query(access.url + "images/", parameters), headers: headers)
  }

  public func page(
    _ answer: JSON, _ query: SourceQuery, after cursor: String?
  ) throws(SourceError) -> SourcePage {
    guard let results = answer["results"]?.array else {
      throw SourceError(.garbled, name.title, "answered without a list of results")
    }
    let page = cursor.flatMap { Int($0) } ?? 1
    let pages = min(answer["page_count"]?.int ?? 0, Openverse.mostPages)
    return SourcePage(
      results.compactMap(photo), next: page < pages && !results.isEmpty ? "\(page + 1)" : nil)
  }

  public func refusal(_ answer: JSON) -> SourceRejection? {
    guard answer["results"] == nil, let detail = answer["detail"] else { return nil }
    // The detail is a sentence, or a list of errors per parameter.
    let words = "says “\(detail.line ?? SourceText.line(detail.canonicalText) ?? "no")”"
    let text = words.lowercased()
    if text.contains("throttled") { return SourceRejection(.busy, words, isTransient: true) }
    let isOfKey = ["credential", "token", "authenticat"].contains { text.contains($0) }
    return SourceRejection(isOfKey ? .wrongKey : .refused, words)
  }

  private func photo(_ json: JSON) -> SourcePhoto? {
    guard let image = json["url"]?.string.flatMap({ WebLocation($0) }) else { return nil }
    var photo = SourcePhoto(.web(image))
    photo.id = json["id"]?.name ?? ""
    photo.original = image.text
    photo.title = json["title"]?.line
    photo.author = json["creator"]?.line
    photo.page = json["foreign_landing_url"]?.string.flatMap { WebLocation($0)?.text }
    if let code = json["license"]?.string {
      if let kind = LicenseKind(code) {
        photo.licence = License(kind, version: json["license_version"]?.name)
      } else {
        photo.licence = License(name: code, code: code, url: nil)
      }
      if let url = json["license_url"]?.string.flatMap({ WebLocation($0) }) {
        photo.licence?.url = url.text
      }
    }
    return photo
  }
}
