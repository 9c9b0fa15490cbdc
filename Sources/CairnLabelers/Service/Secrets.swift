internal import CairnBase
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
    if occursEncoded(in: bytes) { return Secrets.mark }
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
  private static let encodingLimit = 3

  private func occursEncoded(in bytes: [UInt8]) -> Bool {
    let wanted = values.map { $0.map(Secrets.lowercased) }
    var bytes = bytes
    for _ in 0...Secrets.encodingLimit {
      let folded = bytes.map(Secrets.lowercased)
      if wanted.contains(where: folded.contains) { return true }
      let next = Secrets.decodedOnce(bytes)
      if next == bytes { return false }
      bytes = next
    }
    return false
  }

  private static func lowercased(_ byte: UInt8) -> UInt8 {
    0x41...0x5A ~= byte ? byte | 0x20 : byte
  }

  /// Decodes each `%2F`, `\/` and `\u002f`.
  private static func decodedOnce(_ bytes: [UInt8]) -> [UInt8] {
    var out: [UInt8] = []
    var index = 0
    func number(_ count: Int) -> UInt32? {
      guard index + count < bytes.count else { return nil }
      return Hex.number(bytes[(index + 1)...(index + count)], allowingUpperCase: true)
        .map { UInt32($0) }
    }
    while index < bytes.count {
      let byte = bytes[index]
      if byte == UInt8(ascii: "%"), let value = number(2) {
        out.append(UInt8(truncatingIfNeeded: value))
        index += 3
      } else if byte == UInt8(ascii: "\\"), index + 1 < bytes.count {
        index += 1
        if bytes[index] == UInt8(ascii: "u"), let scalar = number(4).flatMap(Unicode.Scalar.init) {
          out += UTF8.encode(scalar)!
          index += 5
        } else {
          out.append(bytes[index])
          index += 1
        }
      } else {
        out.append(byte)
        index += 1
      }
    }
    return out
  }
}
