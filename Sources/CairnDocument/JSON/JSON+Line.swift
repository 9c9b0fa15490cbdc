extension JSON {
  /// The value on one line, with its newline.
  public var line: String {
    var line: [UInt8] = []
    JSON.appendLine(ofCanonical: canonicalBytes, to: &line)
    return String(decoding: line, as: UTF8.self)
  }

  /// Appends canonical bytes as one line, without the white space of their layout and with a
  /// newline.
  package static func appendLine(ofCanonical bytes: [UInt8], to line: inout [UInt8]) {
    var (isText, isEscaped) = (false, false)
    for byte in bytes {
      if isText {
        line.append(byte)
        if isEscaped {
          isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
          isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
          isText = false
        }
      } else if byte != 0x20, byte != 0x0A {
        line.append(byte)
        isText = byte == UInt8(ascii: "\"")
      }
    }
    line.append(0x0A)
  }
}
