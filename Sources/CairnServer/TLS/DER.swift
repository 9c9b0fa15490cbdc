/// Values in the distinguished encoding rules, as certificates need them.
///
/// Source: ITU-T X.690.
enum DER {
  private static func value(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
    if content.count < 128 { return [tag, UInt8(content.count)] + content }
    var length: [UInt8] = []
    var rest = content.count
    while rest > 0 {
      length.insert(UInt8(rest & 255), at: 0)
      rest >>= 8
    }
    return [tag, 0x80 | UInt8(length.count)] + length + content
  }

  static func sequence(_ values: [UInt8]...) -> [UInt8] { value(0x30, values.flatMap { $0 }) }
  static func set(_ content: [UInt8]) -> [UInt8] { value(0x31, content) }
  static func octets(_ content: [UInt8]) -> [UInt8] { value(0x04, content) }
  static func bits(_ content: [UInt8]) -> [UInt8] { value(0x03, [0] + content) }
  static func text(_ text: String) -> [UInt8] { value(0x0C, Array(text.utf8)) }
  static let yes = value(0x01, [0xFF])

  /// A positive number, from its big-endian bytes.
  static func integer(_ bytes: [UInt8]) -> [UInt8] {
    let digits = bytes.drop { $0 == 0 }
    return value(0x02, (digits.first ?? 0x80) >= 0x80 ? [0] + digits : Array(digits))
  }

  /// A value with an explicit tag of its context.
  static func explicit(_ number: UInt8, _ content: [UInt8]) -> [UInt8] {
    value(0xA0 | number, content)
  }

  /// A value whose tag is replaced by one of its context.
  static func implicit(_ number: UInt8, _ content: [UInt8]) -> [UInt8] {
    value(0x80 | number, content)
  }

  /// An object identifier: `1.2.840.10045.4.3.2`.
  static func identifier(_ numbers: Int...) -> [UInt8] {
    let bytes = ([numbers[0] * 40 + numbers[1]] + numbers.dropFirst(2)).flatMap { number in
      var (digits, rest) = ([UInt8(number & 127)], number >> 7)
      while rest > 0 {
        digits.insert(UInt8(rest & 127) | 128, at: 0)
        rest >>= 7
      }
      return digits
    }
    return value(0x06, bytes)
  }

  /// A time of a year from 1950 to 2049: `260503142210Z`.
  static func time(_ text: String) -> [UInt8] { value(0x17, Array(text.utf8)) }
}
