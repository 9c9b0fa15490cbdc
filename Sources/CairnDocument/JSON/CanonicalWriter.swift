internal import CairnBase

/// Writes canonical JSON into a growing buffer.
///
/// Source: RFC 8785 sections 3.2.2.2 and 3.2.2.3 for string escapes and numbers; see
/// ``JSON/canonicalBytes`` for the layout.
package struct CanonicalWriter {
  package private(set) var bytes: [UInt8] = []
  private var indent = 0

  package init(capacity: Int = 512) { bytes.reserveCapacity(capacity) }

  /// Ends the text with a newline and returns it.
  package mutating func finish() -> [UInt8] {
    bytes.append(0x0A)
    return bytes
  }

  package mutating func write(_ value: JSON) {
    switch value {
    case .null: append("null")
    case .bool(let value): append(value ? "true" : "false")
    case .number(let number): bytes.append(contentsOf: number.text.utf8)
    case .string(let text): write(text)
    case .array(let elements):
      write(elements, open: "[", close: "]") { (writer, element) in writer.write(element) }
    case .object(let object):
      write(object.members, open: "{", close: "}") { (writer, member) in
        writer.write(member.key)
        writer.append(": ")
        writer.write(member.value)
      }
    }
  }

  private mutating func write<Element>(
    _ elements: [Element], open: StaticString, close: StaticString,
    _ body: (inout CanonicalWriter, Element) -> Void
  ) {
    append(open)
    if !elements.isEmpty {
      indent += 1
      var isFirst = true
      for element in elements {
        if !isFirst { append(",") }
        isFirst = false
        newline()
        body(&self, element)
      }
      indent -= 1
      newline()
    }
    append(close)
  }

  package mutating func write(_ text: String) {
    var text = text
    bytes.append(UInt8(ascii: "\""))
    text.withUTF8 { utf8 in
      if !utf8.contains(where: { $0 < 0x20 || $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") }
      ) {
        bytes.append(contentsOf: utf8)
      } else {
        for byte in utf8 { appendEscaped(byte) }
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private mutating func appendEscaped(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: "\""): append("\\\"")
    case UInt8(ascii: "\\"): append("\\\\")
    case 0x08: append("\\b")
    case 0x09: append("\\t")
    case 0x0A: append("\\n")
    case 0x0C: append("\\f")
    case 0x0D: append("\\r")
    case 0..<0x20:
      append("\\u00")
      bytes.append(Hex.digit(byte >> 4))
      bytes.append(Hex.digit(byte & 15))
    default: bytes.append(byte)
    }
  }

  package mutating func append(_ text: StaticString) {
    bytes.append(
      contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  package mutating func append(contentsOf text: some Sequence<UInt8>) {
    bytes.append(contentsOf: text)
  }

  private mutating func newline() {
    bytes.append(0x0A)
    bytes.append(contentsOf: repeatElement(0x20, count: 2 * indent))
  }
}
