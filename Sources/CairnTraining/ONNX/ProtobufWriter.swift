/// Writes messages in the encoding of protocol buffers.
///
/// Source: protobuf.dev, “Encoding”.
struct ProtobufWriter {
  private(set) var bytes: [UInt8] = []

  mutating func add(_ field: Int, _ value: Int) {
    addVarint(UInt64(field) << 3)
    addVarint(UInt64(bitPattern: Int64(value)))
  }

  mutating func add(_ field: Int, _ value: Float) {
    addVarint(UInt64(field) << 3 | 5)
    withUnsafeBytes(of: value.bitPattern.littleEndian) { bytes += $0 }
  }

  mutating func add(_ field: Int, _ content: [UInt8]) {
    addVarint(UInt64(field) << 3 | 2)
    addVarint(UInt64(content.count))
    bytes += content
  }

  mutating func add(_ field: Int, _ text: String) { add(field, Array(text.utf8)) }

  mutating func add(_ field: Int, _ build: (inout ProtobufWriter) -> Void) {
    var message = ProtobufWriter()
    build(&message)
    add(field, message.bytes)
  }

  private mutating func addVarint(_ value: UInt64) {
    var value = value
    while value > 127 {
      bytes.append(UInt8(truncatingIfNeeded: value) | 128)
      value >>= 7
    }
    bytes.append(UInt8(value))
  }
}

/// Reads the fields of a message in the encoding of protocol buffers.
struct ProtobufReader {
  enum Value {
    case number(UInt64)
    case bytes(ArraySlice<UInt8>)
  }

  private var rest: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

  /// Returns the next field; nil at the end, or where the message is invalid.
  mutating func next() -> (field: Int, value: Value)? {
    guard let key = varint() else { return nil }
    let field = Int(key >> 3)
    switch key & 7 {
    case 0: return varint().map { (field, .number($0)) }
    case 1: return fixed(8).map { (field, .number($0)) }
    case 2:
      guard let count = varint(), count <= UInt64(rest.count) else { return nil }
      defer { rest = rest.dropFirst(Int(count)) }
      return (field, .bytes(rest.prefix(Int(count))))
    case 5: return fixed(4).map { (field, .number($0)) }
    default: return nil
    }
  }

  private mutating func varint() -> UInt64? {
    var (value, shift): (UInt64, UInt64) = (0, 0)
    while let byte = rest.popFirst(), shift < 64 {
      value |= UInt64(byte & 127) << shift
      if byte < 128 { return value }
      shift += 7
    }
    return nil
  }

  private mutating func fixed(_ count: Int) -> UInt64? {
    guard rest.count >= count else { return nil }
    defer { rest = rest.dropFirst(count) }
    return rest.prefix(count).reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }
}

extension ProtobufReader {
  /// Returns the contents of a field, which may be repeated.
  static func contents(of field: Int, in message: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
    var contents: [ArraySlice<UInt8>] = []
    var reader = ProtobufReader(message)
    while let (number, value) = reader.next() {
      if number == field, case .bytes(let content) = value { contents.append(content) }
    }
    return contents
  }

  /// Returns the numbers of a tensor's data.
  static func floats(_ bytes: ArraySlice<UInt8>) -> [Float] {
    bytes.withUnsafeBytes { bytes in
      (0..<bytes.count / 4).map {
        let bits = bytes.loadUnaligned(fromByteOffset: 4 * $0, as: UInt32.self)
        return Float(bitPattern: UInt32(littleEndian: bits))
      }
    }
  }
}
