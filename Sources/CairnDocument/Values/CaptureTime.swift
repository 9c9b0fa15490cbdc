/// The time when a photo was taken, by the camera's clock: local time, with the offset from UTC if
/// the file has one. `2024-05-01T12:30:00`, `2024-05-01T12:30:00.25+02:00`, `2024-05-01T10:30:00Z`.
///
/// Source: RFC 3339, section 5.6, without the offset if it is not known; years 1 to 9999.
public struct CaptureTime: Hashable, Sendable, CustomStringConvertible {
  public let description: String

  /// Parses a time; nil if the text is not one.
  public init?(_ text: some StringProtocol) {
    var text = String(text)
    guard text.withUTF8(CaptureTime.isValid) else { return nil }
    description = text
  }

  /// Date and time to the second, without the offset: sorts by the camera's clock.
  public var local: Substring { description.prefix(19) }

  /// Minutes east of UTC; nil if the file has none.
  public var offset: Int? {
    if description.last == "Z" { return 0 }
    let tail = Array(description.utf8.suffix(6))
    guard description.utf8.count > 20, let sign = tail.first, sign != UInt8(ascii: ":"),
      tail[3] == UInt8(ascii: ":")
    else { return nil }
    let digits = tail.map { Int($0) - 48 }
    let minutes = (digits[1] * 10 + digits[2]) * 60 + digits[4] * 10 + digits[5]
    return sign == UInt8(ascii: "-") ? -minutes : minutes
  }

  private static func isValid(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    func number(_ start: Int, _ length: Int, _ range: ClosedRange<Int>) -> Int? {
      guard start + length <= text.count else { return nil }
      var value = 0
      for byte in text[start..<start + length] {
        guard 48...57 ~= byte else { return nil }
        value = value * 10 + Int(byte - 48)
      }
      return range ~= value ? value : nil
    }
    func has(_ sign: Unicode.Scalar, at index: Int) -> Bool {
      index < text.count && text[index] == UInt8(ascii: sign)
    }
    guard let year = number(0, 4, 1...9999), has("-", at: 4), let month = number(5, 2, 1...12),
      has("-", at: 7), number(8, 2, 1...days(in: month, of: year)) != nil, has("T", at: 10),
      number(11, 2, 0...23) != nil, has(":", at: 13), number(14, 2, 0...59) != nil,
      has(":", at: 16), number(17, 2, 0...60) != nil
    else { return false }
    var rest = 19
    if has(".", at: rest) {
      rest += 1
      let start = rest
      while rest < text.count, 48...57 ~= text[rest] { rest += 1 }
      guard 1...9 ~= rest - start else { return false }
    }
    if rest == text.count { return true }
    if has("Z", at: rest) { return rest + 1 == text.count }
    return (has("+", at: rest) || has("-", at: rest)) && number(rest + 1, 2, 0...23) != nil
      && has(":", at: rest + 3) && number(rest + 4, 2, 0...59) != nil && rest + 6 == text.count
  }

  private static func days(in month: Int, of year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }
}
