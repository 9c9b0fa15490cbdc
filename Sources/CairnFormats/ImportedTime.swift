internal import CairnBase
internal import CairnDocument

/// Returns a time in milliseconds since 1970, in UTC without an offset; nil when it is no time.
///
/// It may be as ``isoTime(_:)`` has it; a day alone; or seconds or milliseconds since 1970.
func importedTime(_ text: String?) -> Int64? {
  guard let text else { return nil }
  var bytes = Array(text.utf8)
  if bytes.allSatisfy({ 0x30...0x39 ~= $0 }) {
    // From 2001 to 2286.
    let number = bytes.count <= 13 ? Int64(text) : nil
    return bytes.count == 13 ? number : bytes.count == 10 ? number.map { $0 * 1000 } : nil
  }
  if bytes.count == 10 { bytes += Array("T00:00:00".utf8) }
  let time = isoTime(bytes).withUnsafeBufferPointer {
    RFC3339(utf8: $0, allowingLowerCase: true)
  }
  return time?.milliseconds
}

/// Returns the time when a photo was taken, as precisely as a text says: a year, a month, a day, or
/// a time as ``isoTime(_:)`` has it; nil when it is none of these.
func reportedTime(_ text: String?) -> ReportedTime? {
  guard let text = text?.trimmingSpaces() else { return nil }
  if let time = ReportedTime(text) { return time }
  return ReportedTime(String(decoding: isoTime(Array(text.utf8)), as: UTF8.self))
}

/// Returns a time as RFC 3339 has it, from one with a space instead of the “T”, as spreadsheets and
/// databases write it; with “UTC” or `+0100` for the offset, as iNaturalist and Ruby write it; or
/// without seconds, as Darwin Core allows. Other text is returned in some form.
private func isoTime(_ text: [UInt8]) -> [UInt8] {
  var bytes = text
  if bytes.count > 10, bytes[10] == UInt8(ascii: " ") { bytes[10] = UInt8(ascii: "T") }
  // PostgreSQL separates the offset by a space, too.
  bytes.removeAll { $0 == UInt8(ascii: " ") }
  if bytes.suffix(3).elementsEqual("UTC".utf8) {
    bytes.replaceSubrange((bytes.count - 3)..., with: "Z".utf8)
  }
  let sign = bytes.count - 5
  if sign > 10, bytes[sign] == UInt8(ascii: "+") || bytes[sign] == UInt8(ascii: "-") {
    bytes.insert(UInt8(ascii: ":"), at: sign + 3)
  }
  if bytes.count == 16 || bytes.count > 16 && bytes[16] != UInt8(ascii: ":") {
    bytes.insert(contentsOf: ":00".utf8, at: 16)
  }
  return bytes
}
