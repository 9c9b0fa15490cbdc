/// A date and time of day in the notation of RFC 3339: `2026-11-20T23:31:05.123Z`,
/// `2026-11-21T00:31:05+01:00`; or local, without an offset: `2026-11-20T23:31:05`.
///
/// Source: RFC 3339, section 5.6, `date-time`.
package struct RFC3339: Equatable, Sendable {
  package let date: CivilDate
  package let hour: Int
  package let minute: Int
  /// From 0 to 60, a leap second.
  package let second: Int
  /// The number of digits after the decimal point; 0 without one.
  package let fractionDigits: Int
  /// The fraction of the second, in whole milliseconds: further digits are dropped.
  package let millisecond: Int
  /// Minutes east of UTC; nil without an offset.
  package let offset: Int?

  /// Parses UTF-8; nil unless all of it is a time in a year from 0000 to 9999.
  ///
  /// - Parameter allowingLowerCase: Whether `t` and `z` stand for `T` and `Z`.
  package init?(utf8 text: UnsafeBufferPointer<UInt8>, allowingLowerCase: Bool = false) {
    func number(_ start: Int, _ length: Int, _ range: ClosedRange<Int>) -> Int? {
      guard start + length <= text.count else { return nil }
      var value = 0
      for index in start..<start + length {
        let digit = text[index] &- UInt8(ascii: "0")
        guard digit < 10 else { return nil }
        value = value * 10 + Int(digit)
      }
      return range ~= value ? value : nil
    }
    func has(_ sign: Unicode.Scalar, at index: Int) -> Bool {
      index < text.count && text[index] == UInt8(ascii: sign)
    }
    func hasLetter(_ upper: Unicode.Scalar, _ lower: Unicode.Scalar, at index: Int) -> Bool {
      has(upper, at: index) || allowingLowerCase && has(lower, at: index)
    }
    guard let year = number(0, 4, 0...9999), has("-", at: 4), let month = number(5, 2, 1...12),
      has("-", at: 7), let day = number(8, 2, 1...31), hasLetter("T", "t", at: 10),
      let hour = number(11, 2, 0...23), has(":", at: 13), let minute = number(14, 2, 0...59),
      has(":", at: 16), let second = number(17, 2, 0...60),
      let date = CivilDate(year: year, month: month, day: day)
    else { return nil }
    var rest = 19
    var (fractionDigits, millisecond) = (0, 0)
    if has(".", at: rest) {
      rest += 1
      while let digit = number(rest, 1, 0...9) {
        if fractionDigits < 3 { millisecond = millisecond * 10 + digit }
        fractionDigits += 1
        rest += 1
      }
      guard fractionDigits > 0 else { return nil }
      for _ in fractionDigits..<max(3, fractionDigits) { millisecond *= 10 }
    }
    let offset: Int?
    if rest == text.count {
      offset = nil
    } else if hasLetter("Z", "z", at: rest) {
      offset = 0
      rest += 1
    } else {
      guard has("+", at: rest) || has("-", at: rest), let hours = number(rest + 1, 2, 0...23),
        has(":", at: rest + 3), let minutes = number(rest + 4, 2, 0...59)
      else { return nil }
      offset = (hours * 60 + minutes) * (has("-", at: rest) ? -1 : 1)
      rest += 6
    }
    guard rest == text.count else { return nil }
    (self.date, self.hour, self.minute, self.second) = (date, hour, minute, second)
    (self.fractionDigits, self.millisecond) = (fractionDigits, millisecond)
    self.offset = offset
  }

  /// Parses a text; nil unless all of it is a time in a year from 0000 to 9999.
  ///
  /// - Parameter allowingLowerCase: Whether `t` and `z` stand for `T` and `Z`.
  package init?(_ text: some StringProtocol, allowingLowerCase: Bool = false) {
    var text = String(text)
    let time = text.withUTF8 { RFC3339(utf8: $0, allowingLowerCase: allowingLowerCase) }
    guard let time else { return nil }
    self = time
  }

  /// Milliseconds since 1970-01-01T00:00:00Z; without an offset, as if the time were in UTC. A leap
  /// second counts as the second after it.
  package var milliseconds: Int64 {
    let minutes = (date.daysSince1970 * 24 + hour) * 60 + minute - (offset ?? 0)
    return Int64(minutes * 60 + second) * 1000 + Int64(millisecond)
  }

  // MARK: Writing

  /// The length of a written time in bytes: in UTC, with three digits of a second.
  package static let length = 24

  /// Returns a time in UTC with three digits of a second: `2026-11-20T23:31:05.123Z`.
  ///
  /// - Parameter milliseconds: Since 1970; in a year from 0000 to 9999.
  package static func text(milliseconds: Int64) -> String {
    String(unsafeUninitializedCapacity: length) { buffer in
      write(milliseconds: milliseconds, to: buffer)
      return length
    }
  }

  /// Writes the text of a time to the first 24 bytes of a buffer.
  package static func write(milliseconds: Int64, to buffer: UnsafeMutableBufferPointer<UInt8>) {
    let dayMilliseconds: Int64 = 86_400_000
    let (quotient, remainder) = milliseconds.quotientAndRemainder(dividingBy: dayMilliseconds)
    let date = CivilDate(daysSince1970: Int(remainder < 0 ? quotient - 1 : quotient))
    let time = Int(remainder < 0 ? remainder + dayMilliseconds : remainder)
    func put(_ value: Int, _ digits: Int, at offset: Int, then separator: Unicode.Scalar) {
      var rest = value
      for index in (0..<digits).reversed() {
        buffer[offset + index] = UInt8(ascii: "0") + UInt8(rest % 10)
        rest /= 10
      }
      buffer[offset + digits] = UInt8(ascii: separator)
    }
    put(date.year, 4, at: 0, then: "-")
    put(date.month, 2, at: 5, then: "-")
    put(date.day, 2, at: 8, then: "T")
    put(time / 3_600_000, 2, at: 11, then: ":")
    put(time / 60_000 % 60, 2, at: 14, then: ":")
    put(time / 1000 % 60, 2, at: 17, then: ".")
    put(time % 1000, 3, at: 20, then: "Z")
  }
}
