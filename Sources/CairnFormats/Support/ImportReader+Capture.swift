internal import CairnDocument

extension ImportReader {
  /// Returns the time when a photo was taken, and counts a text that is none.
  func captureTime(_ text: String?) -> ReportedTime? {
    guard let text else { return nil }
    let time = reportedTime(text)
    if time == nil { ignore("times of photos that are not ISO 8601 times") }
    return time
  }
}

extension TableRecord {
  /// Returns the location in the columns with these names; nil unless it is one.
  ///
  /// - Parameter accuracy: The column with the radius in meters.
  func location(_ latitude: String, _ longitude: String, accuracy: String) -> ReportedLocation? {
    guard let latitude = number(latitude), let longitude = number(longitude),
      let coordinate = Coordinate(latitude: latitude, longitude: longitude)
    else { return nil }
    var location = ReportedLocation(coordinate)
    location.accuracy = number(accuracy).flatMap { $0 >= 0 ? $0 : nil }
    return location
  }
}
