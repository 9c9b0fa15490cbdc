internal import CairnDocument

/// Returns the location where a photo was taken; nil when it is missing or invalid.
func captureLocation(_ tags: MetadataTags) -> CaptureLocation? {
  exifLocation(tags) ?? xmpLocation(tags)
}

/// Source: Exif 2.32, section 4.6.6; Exif 3.0 for altitude references above and below sea level.
private func exifLocation(_ tags: MetadataTags) -> CaptureLocation? {
  guard
    let latitude = degrees(
      tags.exif("GPSInfo.GPSLatitude")?.fractions, tags.exifText("GPSInfo.GPSLatitudeRef"), "NS"),
    let longitude = degrees(
      tags.exif("GPSInfo.GPSLongitude")?.fractions, tags.exifText("GPSInfo.GPSLongitudeRef"), "EW")
  else { return nil }
  let isBelow = [1, 3].contains(tags.exif("GPSInfo.GPSAltitudeRef")?.bytes.first)
  return location(
    latitude, longitude, tags.exif("GPSInfo.GPSAltitude")?.fractions?.first, isBelow: isBelow)
}

/// Source: XMP specification part 2, “GPSCoordinate”: `39,6.9N` or `39,6,54N`.
private func xmpLocation(_ tags: MetadataTags) -> CaptureLocation? {
  func coordinate(_ key: String, _ references: String) -> Double? {
    guard let text = tags.xmpText(key), let reference = text.last else { return nil }
    let numbers = text.dropLast().split(separator: ",").map { Double($0.trimming) }
    return degrees(
      numbers.contains(nil) ? nil : numbers.compactMap { $0 }, String(reference), references)
  }
  guard let latitude = coordinate("exif.GPSLatitude", "NS"),
    let longitude = coordinate("exif.GPSLongitude", "EW")
  else { return nil }
  let altitude = tags.xmpText("exif.GPSAltitude").flatMap(fraction)
  return location(
    latitude, longitude, altitude, isBelow: tags.xmpText("exif.GPSAltitudeRef") == "1")
}

/// Reads `14839/10`, or `1483.9`.
private func fraction(_ text: String) -> Double? {
  let parts = text.split(separator: "/").map { Double($0.trimming) }
  switch parts.count {
  case 1: return parts[0]
  case 2:
    guard let numerator = parts[0], let denominator = parts[1], denominator != 0 else { return nil }
    return numerator / denominator
  default: return nil
  }
}

/// Returns the value in degrees of degrees, minutes and seconds; minutes and seconds are optional.
///
/// - Parameter references: The letters for plus and for minus. Without one of them the result is
///   nil.
private func degrees(
  _ parts: [Double]?, _ reference: String?, _ references: String
) -> Double? {
  guard let parts, 1...3 ~= parts.count, parts.allSatisfy({ $0 >= 0 && $0.isFinite }),
    let letter = reference?.uppercased().first, references.contains(letter)
  else { return nil }
  let minutes = parts.count > 1 ? parts[1] : 0
  let seconds = parts.count > 2 ? parts[2] : 0
  let value = parts[0] + (minutes + seconds / 60) / 60
  return letter == references.first ? value : -value
}

/// Creates a location with millimeter precision; nil at 0, 0, which receivers write without a fix,
/// and for invalid coordinates.
private func location(
  _ latitude: Double, _ longitude: Double, _ altitude: Double?, isBelow: Bool
) -> CaptureLocation? {
  guard latitude != 0 || longitude != 0,
    let coordinate = Coordinate(
      latitude: rounded(latitude, 1e8), longitude: rounded(longitude, 1e8))
  else { return nil }
  // Altitudes of 100 km and more are discarded as implausible.
  let meters = altitude.map { rounded(isBelow ? -abs($0) : $0, 1e3) }
  return CaptureLocation(coordinate, altitude: meters.flatMap { abs($0) < 100_000 ? $0 : nil })
}

/// Rounds to a multiple of 1 / `parts`; never returns negative zero.
func rounded(_ value: Double, _ parts: Double) -> Double { (value * parts).rounded() / parts + 0 }

extension Substring {
  fileprivate var trimming: String { String(self).trimmed }
}
