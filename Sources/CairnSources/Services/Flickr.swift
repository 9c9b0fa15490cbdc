internal import CairnBase
package import CairnDocument

/// Flickr, accessed through its photo search.
///
/// Source: Flickr Services, `flickr.photos.search`; “Photo Source URLs”;
/// `flickr.photos.licenses.getInfo` for the license numbers.
package struct Flickr: PhotoSource {
  package let name = SourceName.flickr
  private let credentials: SourceCredentials

  package init(_ credentials: SourceCredentials) { self.credentials = credentials }

  private static let pageSize = 100
  /// Beyond this number of photos it repeats results.
  private static let photoLimit = 4000
  private static let largestRadiusKilometers = 31.9

  package func step(
    _ query: SourceQuery, after cursor: String?
  ) throws(SourceError) -> SourceResult {
    guard let key = credentials.key else {
      throw SourceError(.needsKey, name.title, "requires a key")
    }
    var parameters = [
      ("method", "flickr.photos.search"), ("api_key", key), ("format", "json"),
      ("nojsoncallback", "1"), ("media", "photos"), ("safe_search", "1"),
      ("extras", "license,owner_name,geo,date_taken,original_format,url_m,url_z,url_c,url_l,url_o"),
      ("per_page", "\(Flickr.pageSize)"), ("page", cursor ?? "1"),
    ]
    if let text = query.text { parameters.append(("text", text)) }
    if let area = query.area {
      let kilometers = area.radiusMeters / 1000
      guard kilometers <= Flickr.largestRadiusKilometers else {
        throw SourceError(
          .unsupportedQuery, name.title, "searches at most 31.9 km around a location")
      }
      // Without text or a date it searches only the last twelve hours; Flickr began in 2004.
      parameters += [
        ("lat", "\(area.center.latitude)"), ("lon", "\(area.center.longitude)"),
        ("radius", "\(max(kilometers, 0.01))"), ("radius_units", "km"), ("has_geo", "1"),
        ("min_upload_date", "1072915200"),
      ]
    } else if query.text == nil {
      throw SourceError(.unsupportedQuery, name.title, "requires a search text or a location")
    }
    if let licenses = query.licenses {
      let numbers = Flickr.licenses.enumerated().filter { licenses.contains($1.kind) }.map(\.offset)
      if numbers.isEmpty { return .page(SourcePage([])) }
      parameters.append(("license", numbers.map(String.init).joined(separator: ",")))
    }
    return .request(url: WebLocation.query(credentials.url, parameters), headers: [:])
  }

  package func page(
    _ response: JSON, _ query: SourceQuery, after cursor: String?
  ) throws(SourceError) -> SourcePage {
    guard let photos = response["photos"]?["photo"]?.array else {
      throw SourceError(.invalidResponse, name.title, "returned no list of photos")
    }
    let page = cursor.flatMap { Int($0) } ?? 1
    let pages = min(
      response["photos"]?["pages"]?.decimal.map { Int(max(0, min($0, 1e6))) } ?? 0,
      Flickr.photoLimit / Flickr.pageSize)
    let found = photos.compactMap { photo($0, query) }
    return SourcePage(found, next: page < pages && !photos.isEmpty ? "\(page + 1)" : nil)
  }

  package func rejection(_ response: JSON) -> SourceRejection? {
    guard response["stat"]?.string == "fail" else { return nil }
    let message = "reported “\(response["message"]?.line ?? "an error")”"
    switch response["code"]?.decimal {
    case 100: return SourceRejection(.wrongKey, message)
    case 10, 105, 106, 201: return SourceRejection(.busy, message, isTransient: true)
    default: return SourceRejection(.refused, message)
    }
  }

  private func photo(_ json: JSON, _ query: SourceQuery) -> SourcePhoto? {
    guard let id = json["id"]?.name, let owner = json["owner"]?.name else { return nil }
    let original = json["url_o"]?.string.flatMap { WebLocation($0) }
    let sizes = ["url_l", "url_c", "url_z", "url_m"].compactMap {
      json[$0]?.string.flatMap { WebLocation($0) }
    }
    guard
      let image = query.wantsOriginal
        ? original ?? sizes.first : sizes.first ?? original ?? medium(json, id)
    else { return nil }
    var photo = SourcePhoto(.web(image))
    photo.id = id
    photo.original = original?.text
    photo.title = json["title"]?.line
    photo.author = json["ownername"]?.line ?? SourceText.line(owner)
    let page = [owner, id].map { PercentEncoding.encoded($0) + "/" }.joined()
    photo.page = WebLocation("https://www.flickr.com/photos/\(page)")?.text
    photo.location = location(json)
    photo.taken = taken(json)
    if let number = json["license"]?.decimal.flatMap({ Int(exactly: $0) }),
      Flickr.licenses.indices.contains(number)
    {
      let (kind, version) = Flickr.licenses[number]
      photo.license = License(kind, version: version)
    }
    return photo
  }

  /// Returns the location with Flickr's level of accuracy, 1 (world) to 16 (street); 0 without one.
  private func location(_ json: JSON) -> ReportedLocation? {
    guard let coordinate = Coordinate(json["latitude"], json["longitude"]) else { return nil }
    var location = ReportedLocation(coordinate)
    let level = json["accuracy"]?.decimal.flatMap { Int(exactly: $0) }
    location.level = level.flatMap { 1...16 ~= $0 ? $0 : nil }
    return location
  }

  /// Returns the date as precisely as Flickr knows it; nil if it is only that of the upload.
  ///
  /// Source: Flickr Services, “Photo Dates”: granularity 0 is the exact time, 4 the month, 6 the
  /// year, 8 about the year; applications shall accept all numbers from 0 to 10.
  private func taken(_ json: JSON) -> ReportedTime? {
    guard json["datetakenunknown"]?.decimal != 1, let time = json["datetaken"]?.string else {
      return nil
    }
    switch json["datetakengranularity"]?.decimal ?? 0 {
    case ..<1: return ReportedTime(time.replacing(" ", with: "T"))
    case ..<4: return ReportedTime(time.prefix(10))
    case ..<6: return ReportedTime(time.prefix(7))
    case ..<8: return ReportedTime(time.prefix(4))
    default: return ReportedTime("\(time.prefix(4))~")
    }
  }

  /// Returns the URL of the 500-pixel version, which every photo has.
  private func medium(_ json: JSON, _ id: String) -> WebLocation? {
    guard let server = json["server"]?.name, let secret = json["secret"]?.name else { return nil }
    let parts = [server, id, secret].map { PercentEncoding.encoded($0) }
    return WebLocation("https://live.staticflickr.com/\(parts[0])/\(parts[1])_\(parts[2]).jpg")
  }

  /// The licenses, indexed by number.
  private static let licenses: [(kind: LicenseKind, version: String?)] = [
    (.allRightsReserved, nil), (.byNCSA, "2.0"), (.byNC, "2.0"), (.byNCND, "2.0"), (.by, "2.0"),
    (.bySA, "2.0"), (.byND, "2.0"), (.noKnownRestrictions, nil), (.usGov, nil), (.cc0, nil),
    (.pdm, nil), (.by, "4.0"), (.bySA, "4.0"), (.byND, "4.0"), (.byNC, "4.0"), (.byNCSA, "4.0"),
    (.byNCND, "4.0"),
  ]
}
