internal import CairnDocument

/// An XML element: its name, its attributes, its child elements, and its own text.
struct XMLElement {
  let name: String
  /// The line where it starts, counted from 1.
  let line: Int
  var attributes: [String: String] = [:]
  var elements: [XMLElement] = []
  var text = ""

  subscript(name: String) -> XMLElement? { elements.first { $0.name == name } }

  /// Returns the first non-empty value among these attributes.
  func attribute(_ names: String...) -> String? {
    for name in names { if let value = attributes[name], !value.isEmpty { return value } }
    return nil
  }

  /// Returns the value of an attribute as a finite number.
  func number(_ name: String) -> Double? {
    attributes[name].flatMap { Double($0.trimmingSpaces()) }.flatMap { $0.isFinite ? $0 : nil }
  }

  /// Its text as a finite number.
  var number: Double? { Double(text.trimmingSpaces()).flatMap { $0.isFinite ? $0 : nil } }
}

/// A syntax error, or a limit exceeded.
struct XMLError: Error {
  let line: Int
  let message: String
}

/// A reader of the XML subset that annotations use: elements, attributes and text. Only the five
/// predefined entities and character references are supported, and document types are rejected, so
/// that nothing expands.
///
/// Source: W3C XML 1.0, fifth edition.
struct XMLReader {
  private let bytes: UnsafeBufferPointer<UInt8>
  private(set) var position = 0
  private var line = 1

  private static let depthLimit = 16
  /// The maximum number of elements in a tree, and of attributes of an element.
  private static let elementLimit = 200_000
  private static let attributeLimit = 1000
  private var count = 0

  private init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

  /// Returns the root element.
  static func read(_ bytes: [UInt8]) throws -> XMLElement {
    guard let text = String(validating: bytes, as: UTF8.self), !text.utf8.contains(0) else {
      throw XMLError(line: 1, message: "not valid UTF-8")
    }
    return try bytes.withUnsafeBufferPointer { bytes in
      var reader = XMLReader(bytes)
      try reader.beginRoot()
      let element = try reader.element(depth: 0)
      try reader.endRoot()
      return element
    }
  }

  /// Calls `visit` with each child of the root element, as it is read, and with the number of bytes
  /// read: the file may be larger than memory.
  ///
  /// - Parameter begin: Called first, with the root element without its children.
  static func forEachChild(
    of bytes: UnsafeBufferPointer<UInt8>, begin: (XMLElement) throws -> Void,
    _ visit: (XMLElement, _ offset: Int) throws -> Void
  ) throws {
    var reader = XMLReader(bytes)
    try reader.beginRoot()
    try reader.expect("<")
    var root = XMLElement(name: try reader.name(), line: reader.line)
    let isEmpty = try reader.attributes(of: &root)
    try begin(root)
    var text: [UInt8] = []
    while !isEmpty {
      reader.count = 0
      text.removeAll(keepingCapacity: true)
      guard let child = try reader.child(of: root.name, depth: 1, &text) else { break }
      try visit(child, reader.position)
    }
    try reader.endRoot()
  }

  private mutating func beginRoot() throws {
    position = withoutByteOrderMark(bytes).startIndex
    try skipMisc()
    guard peek == UInt8(ascii: "<") else { throw error("there is no element") }
  }

  private mutating func endRoot() throws {
    try skipMisc()
    if peek != nil { throw error("text after the root element") }
  }

  private func error(_ message: String) -> XMLError { XMLError(line: line, message: message) }

  // MARK: Structure

  private mutating func element(depth: Int) throws -> XMLElement {
    count += 1
    guard depth < XMLReader.depthLimit, count <= XMLReader.elementLimit else {
      throw error("too many elements, or elements nested too deeply")
    }
    try expect("<")
    var element = XMLElement(name: try name(), line: line)
    if try attributes(of: &element) { return element }
    var text: [UInt8] = []
    while let child = try child(of: element.name, depth: depth + 1, &text) {
      element.elements.append(child)
    }
    element.text = try string(text)
    return element
  }

  /// Returns the next child element of an open element, and appends the text before it; nil after
  /// the end tag.
  private mutating func child(
    of parent: String, depth: Int, _ text: inout [UInt8]
  ) throws -> XMLElement? {
    while true {
      guard let byte = peek else { throw error("“\(parent)” has no end tag") }
      if byte != UInt8(ascii: "<") {
        text += try character()
      } else if take("</") {
        guard try name() == parent else { throw error("“\(parent)” has no end tag") }
        skipSpaces()
        try expect(">")
        return nil
      } else if take("<!--") {
        try skip(past: "-->")
      } else if take("<![CDATA[") {
        let start = position
        try skip(past: "]]>")
        text += bytes[start..<position - 3]
      } else if take("<?") {
        try skip(past: "?>")
      } else {
        return try element(depth: depth)
      }
    }
  }

  private func string(_ bytes: [UInt8]) throws -> String {
    guard let text = String(validating: bytes, as: UTF8.self), !text.utf8.contains(0) else {
      throw error("not valid UTF-8")
    }
    return text
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

  /// Reads the attributes up to the end of a start tag; returns true for an empty-element tag.
  private mutating func attributes(of element: inout XMLElement) throws -> Bool {
    while true {
      skipSpaces()
      if take("/>") { return true }
      if take(">") { return false }
      let name = try name()
      skipSpaces()
      try expect("=")
      skipSpaces()
      let quote = take("\"") ? "\"" : "'"
      if quote == "'" { try expect("'") }
      var value: [UInt8] = []
      while !take(quote) {
        guard peek != nil else { throw error("“\(quote)” is missing") }
        value += try character()
      }
      element.attributes[name] = try string(value)
      guard element.attributes.count <= XMLReader.attributeLimit else {
        throw error("an element has more than \(XMLReader.attributeLimit) attributes")
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
