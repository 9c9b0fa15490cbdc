package import CairnDocument

/// Openverse, which searches many collections of openly licensed images by text.
///
/// Source: api.openverse.org/v1, `images_search`; “Openverse API results constrained to 20 pages”.
package struct Openverse: PhotoSource {
  package let name = SourceName.openverse
  private let credentials: SourceCredentials

  package init(_ credentials: SourceCredentials) { self.credentials = credentials }

  /// The maximum page size without a key.
  private static let pageSize = 20
  private static let pageLimit = 20

  package func step(
    _ query: SourceQuery, after cursor: String?
  ) throws(SourceError) -> SourceResult {
    guard let text = query.text else {
      throw SourceError(
        .unsupportedQuery, name.title, "requires a search text, such as --text \"oak\"")
    }
    if query.area != nil {
      throw SourceError(.unsupportedQuery, name.title, "does not provide locations")
    }
    var parameters = [
      ("q", text), ("page", cursor ?? "1"), ("page_size", "\(Openverse.pageSize)"),
      ("mature", "false"),
    ]
    if let licenses = query.licenses {
      let known = licenses.compactMap { kind in
        kind == .cc0 || kind == .pdm ? kind.rawValue : kind.ccCode
      }
      if known.isEmpty { return .page(SourcePage([])) }
      parameters.append(("license", known.sorted().joined(separator: ",")))
    }
    let headers = credentials.key.map { ["Authorization": "Bearer \($0)"] } ?? [:]
    let url = WebLocation.query(credentials.url + "images/", parameters)
    return .request(url: url, headers: headers)
  }

  package func page(
    _ response: JSON, _ query: SourceQuery, after cursor: String?
  ) throws(SourceError) -> SourcePage {
    guard let results = response["results"]?.array else {
      throw SourceError(.invalidResponse, name.title, "returned no list of results")
    }
    let page = cursor.flatMap { Int($0) } ?? 1
    let pages = min(response["page_count"]?.int ?? 0, Openverse.pageLimit)
    return SourcePage(
      results.compactMap(photo), next: page < pages && !results.isEmpty ? "\(page + 1)" : nil)
  }

  package func rejection(_ response: JSON) -> SourceRejection? {
    guard response["results"] == nil, let detail = response["detail"] else { return nil }
    // The detail is a sentence, or a list of errors per parameter.
    let message =
      "reported “\(detail.line ?? SourceText.line(detail.canonicalText) ?? "an error")”"
    let text = message.lowercased()
    if text.contains("throttled") { return SourceRejection(.busy, message, isTransient: true) }
    let isOfKey = ["credential", "token", "authenticat"].contains { text.contains($0) }
    return SourceRejection(isOfKey ? .wrongKey : .refused, message)
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
        photo.license = License(kind, version: json["license_version"]?.name)
      } else {
        photo.license = License(name: code, code: code, url: nil)
      }
      if let url = json["license_url"]?.string.flatMap({ WebLocation($0) }) {
        photo.license?.url = url.text
      }
    }
    return photo
  }
}
