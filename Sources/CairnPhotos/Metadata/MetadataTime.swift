internal import CairnBase
internal import CairnDocument

/// Returns the time when a photo was taken; nil when the metadata have none.
///
/// The first present of: Exif's original time, XMP's, IPTC's, Photoshop's, then Exif's digitization
/// time, then XMP's creation time. The modification time is never used.
func captureTime(_ tags: MetadataTags) -> CaptureTime? {
  exifTime(
    tags, "DateTimeOriginal", fraction: "SubSecTimeOriginal", offset: "OffsetTimeOriginal")
    ?? tags.xmpText("exif.DateTimeOriginal").flatMap(isoTime)
    ?? iptcTime(tags, "DateCreated", "TimeCreated")
    ?? tags.xmpText("photoshop.DateCreated").flatMap(isoTime)
    ?? exifTime(
      tags, "DateTimeDigitized", fraction: "SubSecTimeDigitized", offset: "OffsetTimeDigitized")
    ?? tags.xmpText("xmp.CreateDate").flatMap(isoTime)
}

/// Source: Exif 2.32, section 4.6.5, “Tags relating to date and time”.
private func exifTime(
  _ tags: MetadataTags, _ key: String, fraction: String, offset: String
) -> CaptureTime? {
  guard let text = tags.exifText("Photo.\(key)"), let time = isoTime(text) else { return nil }
  // Some programs write the full timestamp into one text.
  if time.description.utf8.count > 19 { return time }
  let digits = tags.exifText("Photo.\(fraction)")?.prefix { $0.isASCII && $0.isNumber } ?? ""
  let exact = digits.isEmpty ? nil : CaptureTime("\(time).\(digits.prefix(9))")
  let local = exact ?? time
  if let zone = tags.exifText("Photo.\(offset)"), let zoned = CaptureTime("\(local)\(zone)") {
    return zoned
  }
  return offsetByGPS(of: time, tags).flatMap { CaptureTime("\(local)\($0)") } ?? local
}

/// Returns the difference between the camera's clock and its GPS time, as `+02:00`; nil without GPS
/// time, or when the difference is no time zone offset: then the GPS time is of another moment.
private func offsetByGPS(of time: CaptureTime, _ tags: MetadataTags) -> String? {
  guard let clock = tags.exif("GPSInfo.GPSTimeStamp")?.fractions, clock.count == 3,
    let date = tags.exifText("GPSInfo.GPSDateStamp"),
    let midnight = isoTime("\(date) 00:00:00").map(seconds), clock.allSatisfy({ $0 >= 0 }),
    clock[0] < 24, clock[1] < 60, clock[2] < 61
  else { return nil }
  let ahead = seconds(time) - midnight - (clock[0] * 3600 + clock[1] * 60 + clock[2])
  let quarters = (ahead / 900).rounded()
  // Time zone offsets are multiples of 15 minutes; the two clocks may differ slightly.
  guard abs(ahead - quarters * 900) <= 150, abs(quarters) <= 14 * 4 else { return nil }
  let minutes = Int(abs(quarters)) * 15
  func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
  return "\(quarters < 0 ? "-" : "+")\(two(minutes / 60)):\(two(minutes % 60))"
}

/// Returns the seconds since 1970 by the camera's clock, without the fraction.
private func seconds(_ time: CaptureTime) -> Double {
  RFC3339(time.local).map { Double($0.milliseconds / 1000) } ?? 0
}

/// Source: IPTC IIM 4.2, 2:55 and 2:60: `20220110` and `151544-0400`.
private func iptcTime(_ tags: MetadataTags, _ dateKey: String, _ timeKey: String) -> CaptureTime? {
  guard let dateText = tags.iptcTexts("Application2.\(dateKey)").first,
    let timeText = tags.iptcTexts("Application2.\(timeKey)").first
  else { return nil }
  let date = Array(dateText.filter { $0 != "-" })
  let time = Array(timeText.filter { $0 != ":" })
  guard date.count == 8, time.count >= 6 else { return nil }
  func text(_ part: ArraySlice<Character>) -> String { String(part) }
  let local =
    "\(text(date[0..<4]))-\(text(date[4..<6]))-\(text(date[6..<8]))"
    + "T\(text(time[0..<2])):\(text(time[2..<4])):\(text(time[4..<6]))"
  guard time.count == 11 else { return CaptureTime(local) }
  return CaptureTime("\(local)\(text(time[6..<9])):\(text(time[9..<11]))") ?? CaptureTime(local)
}

/// Reads Exif's `2022:01:10 15:15:44` and XMP's `2022-01-10T15:15:44.31-05:00`, with or without
/// seconds.
func isoTime(_ text: String) -> CaptureTime? {
  var signs = Array(text.trimmed)
  guard signs.count >= 16, signs[10] == " " || signs[10] == "T" else { return nil }
  (signs[4], signs[7], signs[10]) = ("-", "-", "T")
  if signs.count == 16 || signs[16] != ":" { signs.insert(contentsOf: ":00", at: 16) }
  return CaptureTime(String(signs)) ?? CaptureTime(String(signs.prefix(19)))
}
