internal import CairnBase

/// The time when a register was written: wall clock, counter and replica of a hybrid logical clock.
///
/// The text form, `2026-11-20T23:31:05.123Z-0003-7f3a9c21`, has a fixed width, so that sorting
/// the text sorts the stamps. Source: Kulkarni, Demirbas, Madappa, Avva, Leone, “Logical Physical Clocks”.
public struct Stamp: Hashable, Sendable {
  /// Milliseconds since 1970-01-01T00:00:00Z.
  public let milliseconds: Int64
  /// Distinguishes stamps of one replica in the same millisecond.
  public let counter: UInt16
  /// The replica on which the edit was made; zero for derived stamps.
  public let replica: ReplicaID

  /// One past the latest valid stamp: 9000-01-01, so that a later one always exists.
  static let limit: Int64 = 221_845_392_000_000

  /// The length of the text form, in bytes.
  static let length = 38

  /// Creates a stamp; `milliseconds` count from 1970.
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
  package static let initial = Stamp(milliseconds: 0, counter: 0, replica: otherTools)

  /// The stamp of a chosen value in a new document: a name, a pin. It is later than ``initial``, so
  /// that a title wins over no title.
  package static let given = Stamp(milliseconds: 0, counter: 1, replica: otherTools)

  /// Whether its time is 1970-01-01, so that it does not show when the value was written: the stamp
  /// of a new document, or one derived from that.
  public var isTimeless: Bool { milliseconds == 0 }
}

extension Stamp: Comparable {
  public static func < (a: Stamp, b: Stamp) -> Bool {
    (a.milliseconds, a.counter, a.replica) < (b.milliseconds, b.counter, b.replica)
  }
}

extension Stamp: CustomStringConvertible {
  /// Parses the 38 bytes of a stamp; nil if they are not one.
  public init?(_ text: String) {
    var text = text
    guard let stamp = text.withUTF8(Stamp.init(utf8:)) else { return nil }
    self = stamp
  }

  package init?(utf8 text: UnsafeBufferPointer<UInt8>) {
    guard text.count == Stamp.length, text[24] == UInt8(ascii: "-"),
      text[29] == UInt8(ascii: "-"),
      let time = RFC3339(utf8: UnsafeBufferPointer(rebasing: text[..<RFC3339.length])),
      // Only as it is written: in UTC, and without leap seconds, which would not sort.
      time.offset == 0, time.fractionDigits == 3, time.second < 60,
      case let milliseconds = time.milliseconds, milliseconds < Stamp.limit,
      let counter = Hex.number(UnsafeBufferPointer(rebasing: text[25..<29])),
      let replica = Hex.number(UnsafeBufferPointer(rebasing: text[30..<38]))
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
    RFC3339.write(milliseconds: milliseconds, to: buffer)
    buffer[24] = UInt8(ascii: "-")
    Hex.write(UInt64(counter), digits: 4, to: buffer, at: 25)
    buffer[29] = UInt8(ascii: "-")
    Hex.write(UInt64(replica.rawValue), digits: 8, to: buffer, at: 30)
  }
}
