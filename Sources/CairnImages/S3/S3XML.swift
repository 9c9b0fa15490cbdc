/// The minimal XML support that S3 responses need: the text of an element.
enum S3XML {
  /// Returns the text of the first element with a name, without attributes and child elements.
  static func text(of element: String, in bytes: some Collection<UInt8>) -> String? {
    let bytes = Array(bytes)[...]
    guard let start = firstRange(of: Array("<\(element)>".utf8), in: bytes),
      let end = firstRange(of: [UInt8(ascii: "<")], in: bytes[start.upperBound...]),
      bytes[end.lowerBound...].starts(with: "</\(element)>".utf8)
    else { return nil }
    return String(validating: bytes[start.upperBound..<end.lowerBound], as: UTF8.self)
      .map(unescaped)
  }

  /// Returns the contents of all elements with a name that do not contain another of that name.
  static func contents(of element: String, in bytes: [UInt8]) -> [ArraySlice<UInt8>] {
    let (open, close) = (Array("<\(element)>".utf8), Array("</\(element)>".utf8))
    var found: [ArraySlice<UInt8>] = []
    var rest = bytes[...]
    while let start = firstRange(of: open, in: rest),
      let end = firstRange(of: close, in: rest[start.upperBound...])
    {
      found.append(rest[start.upperBound..<end.lowerBound])
      rest = rest[end.upperBound...]
    }
    return found
  }

  static func has(_ element: String, in bytes: [UInt8]) -> Bool {
    guard let range = firstRange(of: Array("<\(element)".utf8), in: bytes[...]) else {
      return false
    }
    return bytes[range.upperBound...].first.map { " >/\n\r\t".utf8.contains($0) } ?? false
  }

  /// Returns a text escaped for use in an element.
  static func escaped(_ text: String) -> String {
    text.unicodeScalars.reduce(into: "") { out, scalar in
      switch scalar {
      case "&": out += "&amp;"
      case "<": out += "&lt;"
      case ">": out += "&gt;"
      case "\"": out += "&quot;"
      default: out.unicodeScalars.append(scalar)
      }
    }
  }

  private static let entities: [(name: String, value: String)] = [
    ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#34;", "\""), ("&apos;", "'"),
    ("&#39;", "'"), ("&amp;", "&"),
  ]

  private static func unescaped(_ text: String) -> String {
    var out: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.first {
      if byte == UInt8(ascii: "&"),
        let entity = entities.first(where: { rest.starts(with: $0.name.utf8) })
      {
        out += entity.value.utf8
        rest = rest.dropFirst(entity.name.utf8.count)
      } else {
        out.append(byte)
        rest.removeFirst()
      }
    }
    return String(decoding: out, as: UTF8.self)
  }

  static func firstRange(of wanted: [UInt8], in bytes: ArraySlice<UInt8>) -> Range<Int>? {
    guard let first = wanted.first, bytes.count >= wanted.count else { return nil }
    for start in bytes.startIndex...(bytes.endIndex - wanted.count)
    where bytes[start] == first && bytes[start...].starts(with: wanted) {
      return start..<start + wanted.count
    }
    return nil
  }
}
