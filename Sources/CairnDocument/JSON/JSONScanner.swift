internal import CairnBase

/// Reads JSON (RFC 8259) from a buffer, strictly: no duplicate key, no lone surrogate, no control
/// character in a string, nothing after the value.
///
/// A direct reader of one kind of document calls ``nextMember(_:)`` and builds no tree;
/// ``value(depth:)`` builds one for everything else.
package struct JSONScanner {
  private let bytes: UnsafeBufferPointer<UInt8>
  private var position = 0

  package init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

  /// A string literal in the buffer, without its quotes.
  package struct StringToken {
    let start: Int
    let end: Int
    let isEscaped: Bool
  }

  // MARK: Structure

  /// Reads `{`. Call ``nextMember(_:)`` until it returns nil.
  package mutating func beginObject() throws(DocumentError) {
    skipWhitespace()
    guard take(UInt8(ascii: "{")) else { throw unexpected("expected “{”") }
  }

  /// Reads up to the value of the next member and returns its key; nil after `}`.
  package mutating func nextMember(_ isFirst: inout Bool) throws(DocumentError) -> StringToken? {
    skipWhitespace()
    if take(UInt8(ascii: "}")) { return nil }
    if !isFirst {
      guard take(UInt8(ascii: ",")) else { throw unexpected("expected “,” or “}”") }
      skipWhitespace()
    }
    isFirst = false
    let key = try stringToken()
    skipWhitespace()
    guard take(UInt8(ascii: ":")) else { throw unexpected("expected “:” after a key") }
    return key
  }

  /// Reads `[`. Call ``nextElement(_:)`` and read one value for each true, until it returns false.
  package mutating func beginArray() throws(DocumentError) {
    skipWhitespace()
    guard take(UInt8(ascii: "[")) else { throw unexpected("expected “[”") }
  }

  /// Reads up to the next element; false after `]`.
  package mutating func nextElement(_ isFirst: inout Bool) throws(DocumentError) -> Bool {
    skipWhitespace()
    if take(UInt8(ascii: "]")) { return false }
    if !isFirst {
      guard take(UInt8(ascii: ",")) else { throw unexpected("expected “,” or “]”") }
    }
    isFirst = false
    skipWhitespace()
    return true
  }

  /// The offset of the next byte to read.
  package var offset: Int { position }

  /// Checks that only white space is left.
  package mutating func finish() throws(DocumentError) {
    skipWhitespace()
    if position < bytes.count { throw unexpected("unexpected text after the end") }
  }

  // MARK: Values

  /// Reads one value of any type as a tree, `depth` levels below the top.
  package mutating func value(depth: Int = 0) throws(DocumentError) -> JSON {
    skipWhitespace()
    guard position < bytes.count else { throw unexpected("unexpected end") }
    switch bytes[position] {
    case UInt8(ascii: "{"): return try object(depth: depth)
    case UInt8(ascii: "["): return try array(depth: depth)
    case UInt8(ascii: "\""): return .string(try string(of: try stringToken()))
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number(try number())
    case UInt8(ascii: "t"): return try literal("true", .bool(true))
    case UInt8(ascii: "f"): return try literal("false", .bool(false))
    case UInt8(ascii: "n"): return try literal("null", .null)
    default: throw unexpected("unexpected character")
    }
  }

  private mutating func object(depth: Int) throws(DocumentError) -> JSON {
    try checkDepth(depth)
    try beginObject()
    var members = JSONObjectBuilder()
    var isFirst = true
    while let token = try nextMember(&isFirst) {
      let key = try string(of: token)
      members.append(key, try value(depth: depth + 1), at: token.start)
    }
    return .object(try object(of: members))
  }

  /// Returns the object of the members that were read; throws if a key is repeated.
  func object(of members: JSONObjectBuilder) throws(DocumentError) -> JSONObject {
    do throws(JSONObjectBuilder.RepeatedKey) {
      return try members.finish()
    } catch {
      throw self.error("the key “\(error.key)” is duplicated", at: error.position)
    }
  }

  private mutating func array(depth: Int) throws(DocumentError) -> JSON {
    try checkDepth(depth)
    position += 1
    var elements: [JSON] = []
    skipWhitespace()
    if take(UInt8(ascii: "]")) { return .array([]) }
    while true {
      elements.append(try value(depth: depth + 1))
      skipWhitespace()
      if take(UInt8(ascii: "]")) { return .array(elements) }
      guard take(UInt8(ascii: ",")) else { throw unexpected("expected “,” or “]”") }
    }
  }

  private func checkDepth(_ depth: Int) throws(DocumentError) {
    if depth >= DocumentLimit.depth {
      throw DocumentError(
        .tooLarge, "nested deeper than \(DocumentLimit.depth) levels", line: line(at: position))
    }
  }

  private mutating func literal(_ text: StaticString, _ value: JSON) throws(DocumentError) -> JSON {
    let end = position + text.utf8CodeUnitCount
    guard end <= bytes.count,
      (position..<end).allSatisfy({ bytes[$0] == text.utf8Start[$0 - position] })
    else { throw unexpected("unexpected word") }
    position = end
    return value
  }

  package mutating func number() throws(DocumentError) -> JSONNumber {
    skipWhitespace()
    let start = position
    _ = take(UInt8(ascii: "-"))
    if !take(UInt8(ascii: "0")) { try digits() }
    if take(UInt8(ascii: ".")) { try digits() }
    if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
      if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
      try digits()
    }
    let text = String(decoding: bytes[start..<position], as: UTF8.self)
    guard let number = JSONNumber(literal: text[...].utf8) else {
      throw error("the number \(text) is out of range")
    }
    return number
  }

  private mutating func digits() throws(DocumentError) {
    let start = position
    while position < bytes.count, bytes[position] &- UInt8(ascii: "0") < 10 { position += 1 }
    if position == start { throw unexpected("expected a digit") }
  }

  // MARK: Strings

  package mutating func stringToken() throws(DocumentError) -> StringToken {
    skipWhitespace()
    guard take(UInt8(ascii: "\"")) else { throw unexpected("expected a string") }
    let start = position
    var isEscaped = false
    while position < bytes.count {
      switch bytes[position] {
      case UInt8(ascii: "\""):
        position += 1
        return StringToken(start: start, end: position - 1, isEscaped: isEscaped)
      case UInt8(ascii: "\\"):
        isEscaped = true
        position += 2
      case 0..<0x20:
        throw error("unescaped control character in a string")
      default:
        position += 1
      }
    }
    position = bytes.count
    throw error("unterminated string")
  }

  /// Returns the bytes of a token without escapes; nil if it has some.
  package func rawBytes(of token: StringToken) -> UnsafeBufferPointer<UInt8>? {
    token.isEscaped ? nil : UnsafeBufferPointer(rebasing: bytes[token.start..<token.end])
  }

  /// Returns whether the token has no escapes and is exactly `text`.
  package func isEqual(_ token: StringToken, _ text: StaticString) -> Bool {
    guard !token.isEscaped, token.end - token.start == text.utf8CodeUnitCount else { return false }
    for index in 0..<text.utf8CodeUnitCount
    where bytes[token.start + index] != text.utf8Start[index] {
      return false
    }
    return true
  }

  package func string(of token: StringToken) throws(DocumentError) -> String {
    let raw = UnsafeBufferPointer(rebasing: bytes[token.start..<token.end])
    if token.isEscaped { return try unescaped(raw, at: token.start) }
    guard let text = String(validating: raw, as: UTF8.self) else {
      throw error("string is not valid UTF-8", at: token.start)
    }
    return text
  }

  private func unescaped(
    _ raw: UnsafeBufferPointer<UInt8>, at start: Int
  ) throws(DocumentError) -> String {
    var out: [UInt8] = []
    out.reserveCapacity(raw.count)
    var index = 0
    while index < raw.count {
      guard raw[index] == UInt8(ascii: "\\") else {
        out.append(raw[index])
        index += 1
        continue
      }
      let escape = raw[index + 1]
      index += 2
      switch escape {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): out.append(escape)
      case UInt8(ascii: "b"): out.append(0x08)
      case UInt8(ascii: "f"): out.append(0x0C)
      case UInt8(ascii: "n"): out.append(0x0A)
      case UInt8(ascii: "r"): out.append(0x0D)
      case UInt8(ascii: "t"): out.append(0x09)
      case UInt8(ascii: "u"):
        guard let scalar = unicodeEscape(raw, &index) else {
          throw error("invalid \\u escape", at: start + index)
        }
        out.append(contentsOf: UTF8.encode(scalar)!)
      default:
        throw error("unknown escape", at: start + index)
      }
    }
    guard let text = String(validating: out, as: UTF8.self) else {
      throw error("string is not valid UTF-8", at: start)
    }
    return text
  }

  /// Reads the digits after `\u`, and the second half of a surrogate pair.
  private func unicodeEscape(_ raw: UnsafeBufferPointer<UInt8>, _ index: inout Int)
    -> Unicode.Scalar?
  {
    func unit() -> UInt32? {
      guard index + 4 <= raw.count else { return nil }
      var value: UInt32 = 0
      for _ in 0..<4 {
        guard let digit = Hex.value(raw[index], allowingUpperCase: true) else { return nil }
        value = value << 4 | UInt32(digit)
        index += 1
      }
      return value
    }
    guard let first = unit() else { return nil }
    guard 0xD800..<0xDC00 ~= first else { return Unicode.Scalar(first) }
    guard index + 2 <= raw.count, raw[index] == UInt8(ascii: "\\"),
      raw[index + 1] == UInt8(ascii: "u")
    else { return nil }
    index += 2
    guard let second = unit(), 0xDC00..<0xE000 ~= second else { return nil }
    return Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
  }

  // MARK: Positions and errors

  private mutating func take(_ byte: UInt8) -> Bool {
    guard position < bytes.count, bytes[position] == byte else { return false }
    position += 1
    return true
  }

  private mutating func skipWhitespace() {
    while position < bytes.count {
      switch bytes[position] {
      case 0x20, 0x0A, 0x0D, 0x09: position += 1
      default: return
      }
    }
  }

  private func line(at position: Int) -> Int {
    1 + bytes[..<Swift.min(position, bytes.count)].count { $0 == 0x0A }
  }

  package func error(_ message: String, at offset: Int? = nil) -> DocumentError {
    DocumentError(.syntax, message, line: line(at: offset ?? position))
  }

  /// Like ``error(_:at:)``, but reports another tool's conflict marker if there is one here.
  private func unexpected(_ message: String) -> DocumentError {
    guard let marker = firstConflictMarker() else { return error(message) }
    return DocumentError(.conflictMarkers, "unresolved merge conflict", line: line(at: marker))
  }

  private func firstConflictMarker() -> Int? {
    var lineStart = 0
    while lineStart + 7 <= bytes.count {
      let first = bytes[lineStart]
      if first == UInt8(ascii: "<") || first == UInt8(ascii: "=") || first == UInt8(ascii: ">"),
        (1..<7).allSatisfy({ bytes[lineStart + $0] == first })
      {
        return lineStart
      }
      guard let newline = bytes[lineStart...].firstIndex(of: 0x0A) else { return nil }
      lineStart = newline + 1
    }
    return nil
  }
}
