/// A writer of structures in Thrift's compact protocol, with fields in ascending order of id.
///
/// Source: Apache Thrift, “Thrift Compact protocol encoding”.
struct Thrift {
  private(set) var bytes: [UInt8] = []
  private var last = 0

  private enum Kind: UInt8 {
    case i32 = 5
    case i64 = 6
    case binary = 8
    case list = 9
    case structure = 12
  }

  /// Returns the bytes of a structure.
  static func structure(_ fields: (inout Thrift) -> Void) -> [UInt8] {
    var thrift = Thrift()
    fields(&thrift)
    return thrift.bytes + [0]
  }

  mutating func i32(_ field: Int, _ value: Int) {
    begin(field, .i32)
    bytes += Thrift.varint(Thrift.zigzag(value))
  }

  mutating func i64(_ field: Int, _ value: Int) {
    begin(field, .i64)
    bytes += Thrift.varint(Thrift.zigzag(value))
  }

  mutating func text(_ field: Int, _ text: String) {
    begin(field, .binary)
    bytes += Thrift.binary(text)
  }

  mutating func structure(_ field: Int, _ fields: (inout Thrift) -> Void) {
    begin(field, .structure)
    bytes += Thrift.structure(fields)
  }

  mutating func structures(_ field: Int, _ elements: [[UInt8]]) {
    list(field, .structure, elements)
  }

  mutating func texts(_ field: Int, _ texts: [String]) {
    list(field, .binary, texts.map(Thrift.binary))
  }

  mutating func numbers(_ field: Int, _ numbers: [Int]) {
    list(field, .i32, numbers.map { Thrift.varint(Thrift.zigzag($0)) })
  }

  private mutating func begin(_ field: Int, _ kind: Kind) {
    bytes.append(UInt8(field - last) << 4 | kind.rawValue)
    last = field
  }

  private mutating func list(_ field: Int, _ kind: Kind, _ elements: [[UInt8]]) {
    begin(field, .list)
    if elements.count < 15 {
      bytes.append(UInt8(elements.count) << 4 | kind.rawValue)
    } else {
      bytes.append(0xF0 | kind.rawValue)
      bytes += Thrift.varint(UInt64(elements.count))
    }
    bytes += elements.joined()
  }

  private static func binary(_ text: String) -> [UInt8] {
    varint(UInt64(text.utf8.count)) + Array(text.utf8)
  }

  private static func zigzag(_ value: Int) -> UInt64 {
    UInt64(bitPattern: Int64(value << 1 ^ value >> 63))
  }

  /// Returns seven bits per byte, lowest first; all bytes but the last have the highest bit set.
  static func varint(_ value: UInt64) -> [UInt8] {
    var (rest, bytes) = (value, [UInt8]())
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    return bytes + [UInt8(rest)]
  }
}
