internal import CairnBase

/// The time when a register was written: wall clock, counter and replica of a hybrid logical clock.
///
/// The text form, `2026-11-20T23:31:05.123Z-0003-7f3a9c21`, has a fixed width, so that stamps sort
/// like their texts. Source: Kulkarni, Demirbas, Madappa, Avva, Leone, “Logical Physical Clocks”.
public struct Stamp: Hashable, Sendable {
  /// Milliseconds since 1970-01-01T00:00:00Z.
  public let milliseconds: Int64
  public let counter: UInt16
  public let replica: ReplicaID

  /// One past the latest valid stamp: 9000-01-01, so that a later one always exists.
  static let limit: Int64 = 221_845_392_000_000

  /// The length of the text form, in bytes.
  static let length = 38

  public init(milliseconds: Int64, counter: UInt16, replica: ReplicaID) {
    self.milliseconds = milliseconds
    self.counter = counter
    self.replica = replica
  }
}

// Two devices that create the same document must write the same bytes; otherwise the merge button
// of a hosting site, which runs no merge driver, reports a conflict between equal values. So the
// registers of a new document have the same stamp everywhere, and every edit is later.

extension Stamp {
  /// The stamp of a default in a new document: an empty title, no pin.
  public static let born = Stamp(milliseconds: 0, counter: 0, replica: otherTools)

  /// The stamp of a chosen value in a new document: a name, a pin. It is later than ``born``, so
  /// that a title wins over no title.
  public static let given = Stamp(milliseconds: 0, counter: 1, replica: otherTools)

  /// Whether it has no time: it belongs to a value from the document's creation.
  public var isTimeless: Bool { milliseconds == 0 }
}

extension Stamp: Comparable {
  public static func < (a: Stamp, b: Stamp) -> Bool {
    (a.milliseconds, a.counter, a.replica) < (b.milliseconds, b.counter, b.replica)
  }
}

extension Stamp: CustomStringConvertible {
  public init?(_ text: String) {
    var text = text
    guard let stamp = text.withUTF8(Stamp.init(utf8:)) else { return nil }
    self = stamp
  }

  public init?(utf8 text: UnsafeBufferPointer<UInt8>) {
    guard text.count == Stamp.length, text[24] == UInt8(ascii: "-"),
      text[29] == UInt8(ascii: "-"),
      let milliseconds = UTCDate.milliseconds(utf8: text[..<24]), milliseconds < Stamp.limit,
      let counter = Hex.number(text[25..<29]), let replica = Hex.number(text[30..<38])
    else { return nil }
    self.init(
      milliseconds: milliseconds, counter: UInt16(counter),
      replica: ReplicaID(rawValue: UInt32(replica)))
  }

  public var description: String {
    String(unsafeUninitializedCapacity: Stamp.length) { buffer in
      write(into: buffer)
      return Stamp.length
    }
  }

  func write(into buffer: UnsafeMutableBufferPointer<UInt8>) {
    UTCDate.write(milliseconds: milliseconds, into: buffer)
    buffer[24] = UInt8(ascii: "-")
    Hex.write(UInt64(counter), digits: 4, to: buffer, at: 25)
    buffer[29] = UInt8(ascii: "-")
    Hex.write(UInt64(replica.rawValue), digits: 8, to: buffer, at: 30)
  }
}

/// RFC 3339 times in UTC with exactly three digits of a second: `2026-11-20T23:31:05.123Z`.
package enum UTCDate {
  /// Returns the text of a time between the years 0000 and 9999.
  package static func text(milliseconds: Int64) -> String {
    String(unsafeUninitializedCapacity: 24) { buffer in
      write(milliseconds: milliseconds, into: buffer)
      return 24
    }
  }

  static func write(milliseconds: Int64, into buffer: UnsafeMutableBufferPointer<UInt8>) {
    let days = Int((Double(milliseconds) / 86_400_000).rounded(.down))
    let time = Int(milliseconds - Int64(days) * 86_400_000)
    let (year, month, day) = civil(days: days)
    func put(_ value: Int, _ digits: Int, at offset: Int, then separator: Unicode.Scalar) {
      var rest = value
      for index in (0..<digits).reversed() {
        buffer[offset + index] = UInt8(ascii: "0") + UInt8(rest % 10)
        rest /= 10
      }
      buffer[offset + digits] = UInt8(ascii: separator)
    }
    put(year, 4, at: 0, then: "-")
    put(month, 2, at: 5, then: "-")
    put(day, 2, at: 8, then: "T")
    put(time / 3_600_000, 2, at: 11, then: ":")
    put(time / 60_000 % 60, 2, at: 14, then: ":")
    put(time / 1000 % 60, 2, at: 17, then: ".")
    put(time % 1000, 3, at: 20, then: "Z")
  }

  static func milliseconds(utf8 text: Slice<UnsafeBufferPointer<UInt8>>) -> Int64? {
    let text = UnsafeBufferPointer(rebasing: text)
    let separators: [(Int, Unicode.Scalar)] = [
      (4, "-"), (7, "-"), (10, "T"), (13, ":"), (16, ":"), (19, "."), (23, "Z"),
    ]
    guard text.count == 24, separators.allSatisfy({ text[$0] == UInt8(ascii: $1) }) else {
      return nil
    }
    func number(_ range: Range<Int>) -> Int? {
      var value = 0
      for index in range {
        let digit = text[index] &- UInt8(ascii: "0")
        guard digit < 10 else { return nil }
        value = value * 10 + Int(digit)
      }
      return value
    }
    guard let year = number(0..<4), let month = number(5..<7), let day = number(8..<10),
      let hour = number(11..<13), let minute = number(14..<16), let second = number(17..<19),
      let milli = number(20..<23),
      1...12 ~= month, hour < 24, minute < 60, second < 60
    else { return nil }
    let days = self.days(year: year, month: month, day: day)
    // A day that does not exist in its month would be formatted as another date.
    guard civil(days: days) == (year, month, day) else { return nil }
    return Int64(days) * 86_400_000 + Int64((hour * 60 + minute) * 60 + second) * 1000
      + Int64(milli)
  }

  // Howard Hinnant, “chrono-Compatible Low-Level Date Algorithms”: eras of 400 years from March.
  private static func days(year: Int, month: Int, day: Int) -> Int {
    let y = month <= 2 ? year - 1 : year
    let era = (y >= 0 ? y : y - 399) / 400
    let yearOfEra = y - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  private static func civil(days: Int) -> (Int, Int, Int) {
    let z = days + 719_468
    let era = (z >= 0 ? z : z - 146_096) / 146_097
    let dayOfEra = z - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let m = (5 * dayOfYear + 2) / 153
    let month = m < 10 ? m + 3 : m - 9
    return (
      yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * m + 2) / 5 + 1
    )
  }
}
