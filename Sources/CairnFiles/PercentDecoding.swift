extension StringProtocol {
  /// The text of a URL component with percent-encoded octets such as `%2F` decoded; malformed
  /// escapes stay unchanged. Source: RFC 3986 section 2.1.
  package var percentDecoded: String {
    var bytes: [UInt8] = []
    var rest = Array(utf8)[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%"), rest.count >= 2,
        let high = Character(UnicodeScalar(rest[rest.startIndex])).hexDigitValue,
        let low = Character(UnicodeScalar(rest[rest.startIndex + 1])).hexDigitValue
      {
        bytes.append(UInt8(high << 4 | low))
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
