internal import CairnDocument

/// An XML element: its name, its child elements, and its own text.
struct XMLElement {
  let name: String
  /// The line where it starts, counted from 1.
  let line: Int
  var elements: [XMLElement] = []
  var text = ""

  subscript(name: String) -> XMLElement? { elements.first { $0.name == name } }

  /// Its text as a finite number.
  var number: Double? { Double(text.trimmingSpaces()).flatMap { $0.isFinite ? $0 : nil } }
}

/// A syntax error, or a limit exceeded.
struct XMLError: Error {
  let line: Int
  let message: String
}

/// A reader of the XML subset that annotations use: elements and text. Attributes are skipped; only
/// the five predefined entities and character references are supported, and document types are
/// rejected, so that nothing expands.
///
/// Source: W3C XML 1.0, fifth edition.
struct XMLReader {
  private let bytes: [UInt8]
  private var position = 0
  private var line = 1

  private static let depthLimit = 16
  private static let elementLimit = 200_000
  private var count = 0

  private init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Returns the root element.
  static func read(_ bytes: [UInt8]) throws -> XMLElement {
    guard let text = String(validating: bytes, as: UTF8.self), !text.utf8.contains(0) else {
      throw XMLError(line: 1, message: "not valid UTF-8")
    }
    var reader = XMLReader(bytes)
    if reader.bytes.starts(with: [0xEF, 0xBB, 0xBF]) { reader.position = 3 }
    try reader.skipMisc()
    guard reader.peek == UInt8(ascii: "<") else { throw reader.error("there is no element") }
    let element = try reader.element(depth: 0)
    try reader.skipMisc()
    if reader.peek != nil { throw reader.error("text after the root element") }
    return element
  }

  private func error(_ message: String) -> XMLError { XMLError(line: line, message: message) }

  // MARK: Structure

  private mutating func element(depth: Int) throws -> XMLElement {
    count += 1
    guard depth < XMLReader.depthLimit, count <= XMLReader.elementLimit else {
      throw error("elements are too many, or nested too deeply")
    }
    try expect("<")
    var element = XMLElement(name: try name(), line: line)
    if try skipAttributes() { return element }
    var text: [UInt8] = []
    while true {
      guard let byte = peek else { throw error("“\(element.name)” has no end tag") }
      if byte != UInt8(ascii: "<") {
        text += try character()
      } else if take("</") {
        guard try name() == element.name else { throw error("“\(element.name)” has no end tag") }
        skipSpaces()
        try expect(">")
        element.text = String(decoding: text, as: UTF8.self)
        return element
      } else if take("<!--") {
        try skip(past: "-->")
      } else if take("<![CDATA[") {
        let start = position
        try skip(past: "]]>")
        text += bytes[start..<position - 3]
      } else if take("<?") {
        try skip(past: "?>")
      } else {
        element.elements.append(try self.element(depth: depth + 1))
      }
    }
  }

  /// Skips comments, processing instructions and white space around the root element.
  private mutating func skipMisc() throws {
    while true {
      skipSpaces()
      if take("<?") {
        try skip(past: "?>")
      } else if take("<!--") {
        try skip(past: "-->")
      } else if take("<!") {
        throw error("a document type, which is not supported")
      } else {
        return
      }
    }
  }

  /// Skips to the end of a start tag; returns true for an empty-element tag.
  private mutating func skipAttributes() throws -> Bool {
    while true {
      skipSpaces()
      if take("/>") { return true }
      if take(">") { return false }
      _ = try name()
      skipSpaces()
      try expect("=")
      skipSpaces()
      if take("\"") {
        try skip(past: "\"")
      } else {
        try expect("'")
        try skip(past: "'")
      }
    }
  }

  private mutating func name() throws -> String {
    let start = position
    while let byte = peek, isName(byte) { advance() }
    if start == position { throw error("a name is missing") }
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }

  private func isName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"),
      UInt8(ascii: "."), UInt8(ascii: ":"), 0x80...0xFF:
      true
    default: false
    }
  }

  // MARK: Text

  private mutating func character() throws -> [UInt8] {
    guard let byte = peek else { throw error("unexpected end") }
    advance()
    guard byte == UInt8(ascii: "&") else { return [byte] }
    let start = position
    while let byte = peek, byte != UInt8(ascii: ";"), position - start < 12 { advance() }
    let name = String(decoding: bytes[start..<position], as: UTF8.self)
    try expect(";")
    switch name {
    case "amp": return [UInt8(ascii: "&")]
    case "lt": return [UInt8(ascii: "<")]
    case "gt": return [UInt8(ascii: ">")]
    case "quot": return [UInt8(ascii: "\"")]
    case "apos": return [UInt8(ascii: "'")]
    default: break
    }
    let isHex = name.hasPrefix("#x")
    guard name.hasPrefix("#"),
      let scalar = UInt32(name.dropFirst(isHex ? 2 : 1), radix: isHex ? 16 : 10)
        .flatMap(Unicode.Scalar.init), scalar.value > 0
    else { throw error("unknown entity “&\(name);”") }
    return Array(String(Character(scalar)).utf8)
  }

  // MARK: Bytes

  private var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func advance() {
    if bytes[position] == 0x0A { line += 1 }
    position += 1
  }

  private mutating func skipSpaces() {
    while let byte = peek, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
      advance()
    }
  }

  private mutating func take(_ text: String) -> Bool {
    guard bytes[position...].starts(with: text.utf8) else { return false }
    position += text.utf8.count
    return true
  }

  private mutating func expect(_ text: String) throws {
    if !take(text) { throw error("“\(text)” is missing") }
  }

  private mutating func skip(past text: String) throws {
    while position < bytes.count {
      if take(text) { return }
      advance()
    }
    throw error("“\(text)” is missing")
  }
}
