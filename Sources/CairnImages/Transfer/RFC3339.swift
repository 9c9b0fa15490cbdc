internal import CairnHTTP

/// Times in Git LFS's format: `2016-11-10T15:29:07Z`, optionally with a fraction or a time zone.
///
/// Source: RFC 3339, section 5.6.
enum RFC3339 {
  /// Returns the milliseconds since 1970; nil when the text is invalid.
  static func milliseconds(_ text: String) -> Int64? {
    let bytes = Array(text.utf8)
    guard bytes.count >= 20, bytes[10] | 0x20 == UInt8(ascii: "t") else { return nil }
    func number(_ start: Int, _ length: Int, _ range: ClosedRange<Int>) -> Int? {
      guard start + length <= bytes.count else { return nil }
      var value = 0
      for byte in bytes[start..<start + length] {
        guard 48...57 ~= byte else { return nil }
        value = value * 10 + Int(byte - 48)
      }
      return range ~= value ? value : nil
    }
    func isSign(_ index: Int, _ sign: Unicode.Scalar) -> Bool { bytes[index] == UInt8(ascii: sign) }
    guard let year = number(0, 4, 1970...9999), isSign(4, "-"), let month = number(5, 2, 1...12),
      isSign(7, "-"), let day = number(8, 2, 1...31), let hour = number(11, 2, 0...23),
      isSign(13, ":"), let minute = number(14, 2, 0...59), isSign(16, ":"),
      let second = number(17, 2, 0...60)
    else { return nil }
    var rest = 19
    if isSign(rest, ".") {
      rest += 1
      while rest < bytes.count, 48...57 ~= bytes[rest] { rest += 1 }
    }
    guard rest < bytes.count else { return nil }
    var zone = 0
    if bytes[rest] | 0x20 != UInt8(ascii: "z") {
      guard isSign(rest, "+") || isSign(rest, "-"), let hours = number(rest + 1, 2, 0...23),
        let minutes = number(rest + 4, 2, 0...59)
      else { return nil }
      zone = (hours * 60 + minutes) * (isSign(rest, "-") ? -1 : 1)
    }
    let days = CivilDate.daysSince1970(year: year, month: month, day: day)
    return Int64((days * 24 + hour) * 3600 + (minute - zone) * 60 + second) * 1000
  }
}
