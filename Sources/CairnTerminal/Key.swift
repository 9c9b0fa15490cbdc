/// One press of a key, as a terminal sends it.
package enum Key: Equatable, Sendable {
  /// One Unicode scalar; the scalars of a combined character come one after the other.
  case text(Unicode.Scalar)
  case enter, tab, backTab, backspace, escape
  case up, down, left, right, home, end, delete
  /// A letter with the control key: `control("c")`.
  case control(Unicode.Scalar)
  /// An unknown sequence.
  case unknown
}

/// Decodes keys from the bytes of a terminal, split at any point.
///
/// Source: ECMA-48, 5.4 (control sequences); xterm's “ctlseqs”, “Alt and Meta Keys” and “PC-Style
/// Function Keys”.
package struct KeyDecoder: Sendable {
  private var pending: [UInt8] = []

  /// The maximum length of a sequence in bytes; no terminal sends longer ones.
  private static let sequenceLimit = 64

  package init() {}

  /// Whether an incomplete sequence is waiting for more bytes. Call ``flush()`` after a short
  /// timeout to decode it without them.
  package var isPending: Bool { !pending.isEmpty }

  /// Appends bytes and returns the keys that they complete.
  package mutating func feed(_ bytes: some Sequence<UInt8>) -> [Key] {
    pending += bytes
    var keys: [Key] = []
    while let (key, length) = KeyDecoder.first(of: pending, isEnd: false) {
      pending.removeFirst(length)
      keys.append(key)
    }
    return keys
  }

  /// Returns the keys in the pending bytes if nothing follows: a single escape is the escape key.
  package mutating func flush() -> [Key] {
    var keys: [Key] = []
    while let (key, length) = KeyDecoder.first(of: pending, isEnd: true) {
      pending.removeFirst(length)
      keys.append(key)
    }
    return keys
  }

  /// Returns the first key in some bytes and its length; nil if it is incomplete.
  private static func first(of bytes: [UInt8], isEnd: Bool) -> (Key, Int)? {
    guard let first = bytes.first else { return nil }
    switch first {
    case 0x1B: return escape(bytes, isEnd: isEnd)
    case 0x0A, 0x0D: return (.enter, 1)
    case 0x09: return (.tab, 1)
    case 0x08, 0x7F: return (.backspace, 1)
    case 0x00..<0x20: return (.control(Unicode.Scalar(first + 0x60)), 1)
    default: return text(bytes, isEnd: isEnd)
    }
  }

  private static func escape(_ bytes: [UInt8], isEnd: Bool) -> (Key, Int)? {
    guard bytes.count > 1 else { return isEnd ? (.escape, 1) : nil }
    switch bytes[1] {
    case UInt8(ascii: "["):
      // Parameters and intermediates, then one final byte.
      guard let end = bytes.dropFirst(2).firstIndex(where: { !(0x20...0x3F ~= $0) }) else {
        let isTooLong = bytes.count > sequenceLimit
        return isEnd || isTooLong ? (.unknown, bytes.count) : nil
      }
      guard 0x40...0x7E ~= bytes[end] else { return (.unknown, end) }
      return (sequence(bytes[2...end]), end + 1)
    case UInt8(ascii: "O"):
      guard bytes.count > 2 else { return isEnd ? (.unknown, 2) : nil }
      return (sequence(bytes[2...2]), 3)
    case 0x1B: return (.escape, 1)
    default:
      // A key with Alt is an escape followed by the key.
      return first(of: Array(bytes.dropFirst()), isEnd: isEnd).map { (.unknown, $0.1 + 1) }
    }
  }

  private static func sequence(_ bytes: ArraySlice<UInt8>) -> Key {
    switch bytes.last.map({ Unicode.Scalar($0) }) {
    case "A": return .up
    case "B": return .down
    case "C": return .right
    case "D": return .left
    case "H": return .home
    case "F": return .end
    case "Z": return .backTab
    case "~":
      switch String(decoding: bytes.prefix { 0x30...0x39 ~= $0 }, as: UTF8.self) {
      case "1", "7": return .home
      case "4", "8": return .end
      case "3": return .delete
      default: return .unknown
      }
    default: return .unknown
    }
  }

  private static func text(_ bytes: [UInt8], isEnd: Bool) -> (Key, Int)? {
    let first = bytes[0]
    let length = first < 0x80 ? 1 : first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC2 ? 2 : 0
    guard length > 0, first <= 0xF4 else { return (.text("\u{FFFD}"), 1) }
    let rest = bytes.dropFirst().prefix(length - 1).prefix { 0x80..<0xC0 ~= $0 }
    if rest.count < length - 1 {
      // Cut short by another byte, or incomplete.
      if bytes.count > 1 + rest.count || isEnd { return (.text("\u{FFFD}"), 1 + rest.count) }
      return nil
    }
    let text = String(decoding: bytes.prefix(length), as: UTF8.self).unicodeScalars
    return (.text(text.count == 1 ? text.first! : "\u{FFFD}"), length)
  }
}
