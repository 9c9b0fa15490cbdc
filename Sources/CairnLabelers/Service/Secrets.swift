internal import CairnDocument

/// Keys and passwords, which must not appear in any message or document, even if a service echoes
/// them.
struct Secrets: Sendable {
  private let values: [[UInt8]]

  init(_ values: [String]) {
    self.values = values.filter { !$0.isEmpty }.map { Array($0.utf8) }
  }

  /// Returns a text without secrets. If a secret occurs in encoded form (JSON escapes,
  /// percent-encoding, different case), the whole text is removed.
  func removed(from text: String) -> String {
    if values.isEmpty { return text }
    var bytes = Array(text.utf8)
    var isChanged = false
    for value in values where bytes.contains(value) {
      bytes = bytes.replacing(value, with: Array(Secrets.mark.utf8))
      isChanged = true
    }
    if isDisguised(in: bytes) { return Secrets.mark }
    return isChanged ? String(decoding: bytes, as: UTF8.self) : text
  }

  /// Returns a value with secrets removed from its strings and keys.
  func removed(from json: JSON) -> JSON {
    switch json {
    case .string(let text): return .string(removed(from: text))
    case .array(let elements): return .array(elements.map { removed(from: $0) })
    case .object(let object):
      return .object(
        JSONObject(object.members.map { (removed(from: $0.key), removed(from: $0.value)) }))
    default: return json
    }
  }

  private static let mark = "…"
  /// The maximum number of nested encodings to undo.
  private static let dresses = 3

  private func isDisguised(in bytes: [UInt8]) -> Bool {
    let wanted = values.map { $0.map(Secrets.lowercased) }
    var bytes = bytes
    for _ in 0...Secrets.dresses {
      let folded = bytes.map(Secrets.lowercased)
      if wanted.contains(where: folded.contains) { return true }
      let next = Secrets.undressed(bytes)
      if next == bytes { return false }
      bytes = next
    }
    return false
  }

  private static func lowercased(_ byte: UInt8) -> UInt8 {
    0x41...0x5A ~= byte ? byte | 0x20 : byte
  }

  /// Decodes each `%2F`, `\/` and `\u002f`.
  private static func undressed(_ bytes: [UInt8]) -> [UInt8] {
    var out: [UInt8] = []
    var place = 0
    func number(_ count: Int) -> UInt32? {
      guard place + count < bytes.count else { return nil }
      return UInt32(
        String(decoding: bytes[(place + 1)...(place + count)], as: UTF8.self), radix: 16)
    }
    while place < bytes.count {
      let byte = bytes[place]
      if byte == UInt8(ascii: "%"), let value = number(2) {
        out.append(UInt8(truncatingIfNeeded: value))
        place += 3
      } else if byte == UInt8(ascii: "\\"), place + 1 < bytes.count {
        place += 1
        if bytes[place] == UInt8(ascii: "u"), let scalar = number(4).flatMap(Unicode.Scalar.init) {
          out += UTF8.encode(scalar)!
          place += 5
        } else {
          out.append(bytes[place])
          place += 1
        }
      } else {
        out.append(byte)
        place += 1
      }
    }
    return out
  }
}
