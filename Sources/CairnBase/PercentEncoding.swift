/// The encoding of a URL's components, in which `%2F` stands for the byte 0x2F.
///
/// Source: RFC 3986, section 2.1, “Percent-Encoding”.
package enum PercentEncoding {
  /// Returns a text with every byte of its UTF-8 encoded, except for the unreserved characters of
  /// RFC 3986, section 2.3, and those in `kept`.
  ///
  /// - Parameter kept: ASCII characters that have no special meaning where the text is used, or
  ///   have the one that is wanted, such as `/` in a path.
  package static func encoded(_ text: String, keeping kept: String = "") -> String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count)
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
        UInt8(ascii: "_"), UInt8(ascii: "~"):
        bytes.append(byte)
      case 0..<0x80 where kept.utf8.contains(byte): bytes.append(byte)
      default: bytes += encoded(byte).utf8
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Returns one byte as `%2F`.
  package static func encoded(_ byte: UInt8) -> String { "%" + Hex.text([byte]).uppercased() }

  /// Returns a text with each `%` and two digits decoded; nil when a `%` is not followed by two
  /// digits, or the result is not UTF-8.
  package static func decoded(_ text: some StringProtocol) -> String? {
    let (bytes, isValid) = bytes(text)
    return isValid ? String(validating: bytes, as: UTF8.self) : nil
  }

  /// Returns the decoded bytes, and whether each `%` was followed by two digits; one that is not
  /// stays as it is.
  fileprivate static func bytes(_ text: some StringProtocol) -> (bytes: [UInt8], isValid: Bool) {
    var (bytes, isValid) = ([UInt8](), true)
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      let digits = rest.prefix(2)
      if byte != UInt8(ascii: "%") {
        bytes.append(byte)
      } else if digits.count == 2, let value = Hex.number(digits, allowingUpperCase: true) {
        bytes.append(UInt8(value))
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
        isValid = false
      }
    }
    return (bytes, isValid)
  }
}

extension StringProtocol {
  /// The text of a URL component with percent-encoded bytes decoded; malformed escapes stay
  /// unchanged, and bytes that are not UTF-8 become U+FFFD. Source: RFC 3986, section 2.1.
  package var percentDecoded: String {
    String(decoding: PercentEncoding.bytes(self).bytes, as: UTF8.self)
  }
}
