/// Base64 of whole groups: three bytes are four characters. Padding is read, not written.
///
/// Source: RFC 4648, section 4.
package enum Base64 {
  private static let alphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  /// The value of each character; 64 for one that is not in the alphabet.
  private static let values: [UInt8] = {
    var values = [UInt8](repeating: 64, count: 256)
    for (value, character) in alphabet.enumerated() { values[Int(character)] = UInt8(value) }
    return values
  }()

  /// Returns the characters of bytes; of a last group with fewer than three bytes, none.
  package static func text(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count / 3 * 4)
    for start in stride(from: 0, to: bytes.count - bytes.count % 3, by: 3) {
      let group = Int(bytes[start]) << 16 | Int(bytes[start + 1]) << 8 | Int(bytes[start + 2])
      for shift in [18, 12, 6, 0] { text.append(alphabet[group >> shift & 63]) }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Returns the bytes that characters stand for; nil if any of them is not in the alphabet, or the
  /// last group has fewer than four.
  package static func bytes(_ text: String) -> [UInt8]? {
    guard text.utf8.count % 4 == 0 else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count / 4 * 3)
    var (group, count) = (0, 0)
    for character in text.utf8 {
      let value = values[Int(character)]
      if value == 64 { return nil }
      group = group << 6 | Int(value)
      count += 1
      if count == 4 {
        for shift in [16, 8, 0] { bytes.append(UInt8(truncatingIfNeeded: group >> shift)) }
        (group, count) = (0, 0)
      }
    }
    return bytes
  }

  /// Returns the bytes of text whose last group may be padded with “=”; nil if it is not Base64.
  package static func bytes(padded text: String) -> [UInt8]? {
    let padding = text.utf8.suffix(2).count { $0 == UInt8(ascii: "=") }
    guard let bytes = bytes(text.dropLast(padding) + String(repeating: "A", count: padding)) else {
      return nil
    }
    return Array(bytes.dropLast(padding))
  }
}
