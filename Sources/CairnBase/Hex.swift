/// Hexadecimal digits, most significant first, written in lower case.
///
/// Source: RFC 4648, section 8, “Base 16 Encoding”, with lower-case letters as git writes them.
package enum Hex {
  /// Returns the digit of a number from 0 to 15.
  @inlinable @inline(__always)
  package static func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") - 10 + value
  }

  /// Returns the value of a digit, from 0 to 15; nil when it is none. Canonical text has lower-case
  /// digits only.
  @inlinable @inline(__always)
  package static func value(_ digit: UInt8, allowingUpperCase: Bool = false) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F") where allowingUpperCase:
      digit - UInt8(ascii: "A") + 10
    default: nil
    }
  }

  // MARK: Numbers

  /// Returns the number that 1 to 16 digits stand for; nil when any of them is not a digit.
  package static func number(
    _ digits: some Collection<UInt8>, allowingUpperCase: Bool = false
  ) -> UInt64? {
    guard 1...16 ~= digits.count else { return nil }
    return Array(digits).withUnsafeBufferPointer {
      number($0, allowingUpperCase: allowingUpperCase)
    }
  }

  /// Returns the number that 1 to 16 digits stand for; nil when any of them is not a digit. Imports
  /// read millions of ids, and a generic function takes twenty times as long.
  package static func number(
    _ digits: UnsafeBufferPointer<UInt8>, allowingUpperCase: Bool = false
  ) -> UInt64? {
    guard 1...16 ~= digits.count else { return nil }
    var number: UInt64 = 0
    for digit in digits {
      guard let value = value(digit, allowingUpperCase: allowingUpperCase) else { return nil }
      number = number << 4 | UInt64(value)
    }
    return number
  }

  /// Returns the last `count` digits of a number, with leading zeros.
  package static func text(_ number: UInt64, digits count: Int) -> String {
    String(unsafeUninitializedCapacity: count) { buffer in
      write(number, digits: count, to: buffer, at: 0)
      return count
    }
  }

  /// Writes the last `count` digits of a number, with leading zeros.
  @inlinable
  package static func write(
    _ number: UInt64, digits count: Int, to buffer: UnsafeMutableBufferPointer<UInt8>,
    at offset: Int
  ) {
    for index in 0..<count {
      let shift = 4 * UInt64(count - 1 - index)
      buffer[offset + index] = digit(UInt8(truncatingIfNeeded: number >> shift & 15))
    }
  }

  // MARK: Bytes

  /// Returns the digits of bytes, two for each.
  @inlinable
  package static func text(_ bytes: some Sequence<UInt8>) -> String {
    var digits: [UInt8] = []
    digits.reserveCapacity(2 * bytes.underestimatedCount)
    for byte in bytes {
      digits.append(digit(byte >> 4))
      digits.append(digit(byte & 15))
    }
    return String(decoding: digits, as: UTF8.self)
  }

  /// Returns the bytes that digits stand for, two digits for each; nil when any of them is not a
  /// digit, or their number is odd.
  @inlinable
  package static func bytes(
    _ digits: some Collection<UInt8>, allowingUpperCase: Bool = false
  ) -> [UInt8]? {
    guard digits.count.isMultiple(of: 2) else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(digits.count / 2)
    var digits = digits.makeIterator()
    while let first = digits.next(), let second = digits.next() {
      guard let high = value(first, allowingUpperCase: allowingUpperCase),
        let low = value(second, allowingUpperCase: allowingUpperCase)
      else { return nil }
      bytes.append(high << 4 | low)
    }
    return bytes
  }
}
