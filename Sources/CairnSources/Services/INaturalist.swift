internal import CairnBase
package import CairnDocument

/// iNaturalist, limited to observations confirmed by others (“research grade”).
///
/// Source: api.inaturalist.org/v1/docs, `GET /observations`.
package struct INaturalist: PhotoSource {
  package let name = SourceName.inaturalist
  private let credentials: SourceCredentials

  package init(_ credentials: SourceCredentials) { self.credentials = credentials }

  private static let pageSize = 50

  package func step(
    _ query: SourceQuery, after cursor: String?
  ) throws(SourceError) -> SourceResult {
    var parameters = [
      ("photos", "true"), ("quality_grade", "research"), ("order_by", "id"), ("order", "asc"),
      ("per_page", "\(INaturalist.pageSize)"),
    ]
    if let text = query.text { parameters.append(("taxon_name", text)) }
    if let area = query.area {
      parameters += [
        ("lat", "\(area.center.latitude)"), ("lng", "\(area.center.longitude)"),
        ("radius", "\(max(area.radiusMeters / 1000, 0.01))"),
        // The coordinates of obscured observations are far from the true ones.
        ("geoprivacy", "open"), ("taxon_geoprivacy", "open"),
      ]
    }
    if let licenses = query.licenses {
      let known = licenses.filter { $0 == .cc0 || $0.ccCode != nil }.map(\.rawValue).sorted()
      let isAny = licenses.contains(.allRightsReserved)
      if known.isEmpty, !isAny { return .page(SourcePage([])) }
      if !isAny { parameters.append(("photo_license", known.joined(separator: ","))) }
    }
    if let cursor { parameters.append(("id_above", cursor)) }
    let url = WebLocation.query(credentials.url + "observations", parameters)
    return .request(url: url, headers: [:])
  }

  package func page(
    _ response: JSON, _ query: SourceQuery, after cursor: String?
  ) throws(SourceError) -> SourcePage {
    guard let results = response["results"]?.array else {
      throw SourceError(.invalidResponse, name.title, "returned no list of results")
    }
    let last = results.compactMap { $0["id"]?.int }.max()
    return SourcePage(
      results.compactMap { photo($0, query) },
      next: results.count < INaturalist.pageSize ? nil : last.map { "\($0)" })
  }

  package func rejection(_ response: JSON) -> SourceRejection? {
    guard let message = response["error"]?.line else { return nil }
    let isBusy = response["status"]?.decimal == 429
    return SourceRejection(isBusy ? .busy : .refused, "reported “\(message)”", isTransient: isBusy)
  }

  /// Returns the first photo of an observation with an accepted license: the others show the same
  /// organism.
  private func photo(_ json: JSON, _ query: SourceQuery) -> SourcePhoto? {
    let isObscured = json["obscured"]?.bool ?? false
    if isObscured, query.area != nil { return nil }
    for entry in json["photos"]?.array ?? [] {
      let code = entry["license_code"]?.string
      let kind = code == nil ? .allRightsReserved : code.flatMap { LicenseKind($0) }
      if let wanted = query.licenses, kind.map(wanted.contains) != true { continue }
      guard let square = entry["url"]?.string, let id = entry["id"]?.name,
        let large = WebLocation(square.replacing("/square.", with: "/large.")),
        let original = WebLocation(square.replacing("/square.", with: "/original."))
      else { continue }
      var photo = SourcePhoto(.web(query.wantsOriginal ? original : large))
      photo.id = id
      photo.original = original.text
      photo.page = "https://www.inaturalist.org/photos/\(PercentEncoding.encoded(id))"
      photo.author = json["user"]?["name"]?.line ?? json["user"]?["login"]?.line
      // The API reports no version of Creative Commons licenses.
      photo.license = kind.map { License($0) } ?? License(name: code, code: nil, url: nil)
      describe(&photo, json, isObscured: isObscured)
      return photo
    }
    return nil
  }

  private func describe(_ photo: inout SourcePhoto, _ json: JSON, isObscured: Bool) {
    let scientific = json["taxon"]?["name"]?.line
    let common = json["taxon"]?["preferred_common_name"]?.line
    photo.title = common ?? scientific
    let names = [scientific, common].compactMap { $0 }
    if !names.isEmpty { photo.classes = [names] }
    photo.taken = json["time_observed_at"]?.string.flatMap { CaptureTime($0) }
    if !isObscured, let coordinates = json["geojson"]?["coordinates"]?.array,
      coordinates.count == 2
    {
      photo.position = Coordinate(coordinates[1], coordinates[0])
    }
  }
}
