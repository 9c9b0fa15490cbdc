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
    let isObscured = isObscured(json)
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
    photo.taken = taken(json)
    photo.location = location(json, isObscured: isObscured)
  }

  /// Returns whether iNaturalist hides where an observation was made, because its observer wants it
  /// or because its species is endangered.
  private func isObscured(_ json: JSON) -> Bool {
    json["obscured"]?.bool == true
      || ["geoprivacy", "taxon_geoprivacy"].contains {
        ["obscured", "private"].contains(json[$0]?.string)
      }
  }

  /// Returns the public location: of an obscured observation, a random one within the same cell of
  /// 0.2 by 0.2 degrees. A private observation has none.
  private func location(_ json: JSON, isObscured: Bool) -> ReportedLocation? {
    let coordinates = json["geojson"]?["coordinates"]?.array ?? []
    guard coordinates.count == 2, let coordinate = Coordinate(coordinates[1], coordinates[0])
    else { return nil }
    var location = ReportedLocation(coordinate)
    location.isObscured = isObscured
    // The other accuracy is that of the true location.
    let own = isObscured ? nil : json["positional_accuracy"]?.decimal
    let accuracy = json["public_positional_accuracy"]?.decimal ?? own
    location.accuracy = accuracy.flatMap { $0 >= 0 ? $0 : nil }
    return location
  }

  /// Returns the time of the observation or, if only that is known or public, its day, month or
  /// year.
  private func taken(_ json: JSON) -> ReportedTime? {
    if let time = json["time_observed_at"]?.string.flatMap({ ReportedTime($0) }) { return time }
    if let day = json["observed_on"]?.string.flatMap({ ReportedTime($0) }) { return day }
    let details = json["observed_on_details"]
    guard let year = details?["year"]?.int, 1...9999 ~= year else { return nil }
    var text = String(String(10_000 + year).dropFirst())
    for key in ["month", "day"] {
      guard let number = details?[key]?.int, 1...31 ~= number else { break }
      text += number < 10 ? "-0\(number)" : "-\(number)"
    }
    return ReportedTime(text)
  }
}
