/// The location where a photo was taken, as reported by the service that it was fetched from.
public struct ReportedLocation: Equatable, Sendable {
  /// The latitude and the longitude.
  public var coordinate: Coordinate
  /// The radius of the area in which the true location lies, in meters; nil if it is not known.
  public var accuracy: Double?
  /// The level of detail of the map on which a person placed it, from 1 (world) to 16 (street),
  /// such as 3 (country), 6 (region) or 11 (city); nil if it is not known.
  public var level: Int?
  /// Whether the service moved the coordinate at random, to hide the true one.
  public var isObscured = false
  /// Members that this version does not know.
  package var extra = JSONObject()

  /// Creates a location without an accuracy.
  public init(_ coordinate: Coordinate) { self.coordinate = coordinate }
}

extension ReportedLocation {
  init?(json: JSON) {
    guard let coordinate = Coordinate(json: json), var members = json.object else { return nil }
    self.init(coordinate)
    for key in ["latitude", "longitude"] { members[key] = nil }
    if let member = members["accuracy"] {
      guard let accuracy = member.double, accuracy.isFinite, accuracy >= 0 else { return nil }
      self.accuracy = accuracy
      members["accuracy"] = nil
    }
    if let member = members["level"] {
      guard let level = member.int, 1...16 ~= level else { return nil }
      self.level = level
      members["level"] = nil
    }
    if let member = members["obscured"] {
      guard let isObscured = member.bool else { return nil }
      self.isObscured = isObscured
      // A false value is kept as written.
      if isObscured { members["obscured"] = nil }
    }
    extra = members
  }

  public var json: JSON {
    var object = extra
    object["latitude"] = JSON(coordinate.latitude)
    object["longitude"] = JSON(coordinate.longitude)
    object["accuracy"] = accuracy.map { JSON($0) }
    object["level"] = level.map { JSON($0) }
    if isObscured { object["obscured"] = .bool(true) }
    return .object(object)
  }
}

/// The time when a photo was taken, as precisely as a service knows it: `2019-06-01T10:20:30+02:00`,
/// `2019-06-01`, `2019-06`, `2019`; `1970~` for about 1970.
///
/// Source: Extended Date/Time Format (ISO 8601-2), levels 0 and 1 without intervals; times as
/// ``CaptureTime``.
public struct ReportedTime: Hashable, Sendable, CustomStringConvertible {
  public let description: String
  /// When the day, by local time, begins; the exact time if it is known; nil for a month, a year or
  /// an approximate date.
  public let captureTime: CaptureTime?

  /// Parses a time; nil if the text is not one.
  public init?(_ text: some StringProtocol) {
    let text = String(text)
    var date = text
    let isApproximate = date.hasSuffix("~")
    if isApproximate { date.removeLast() }
    // The rest of the first moment of a year, a month or a day.
    let rest: String? =
      switch date.utf8.count {
      case 4: "-01-01T00:00:00"
      case 7: "-01T00:00:00"
      case 10: "T00:00:00"
      default: isApproximate ? nil : ""
      }
    guard let rest, let time = CaptureTime(date + rest) else { return nil }
    description = text
    captureTime = isApproximate || date.utf8.count < 10 ? nil : time
  }
}
