/// The text form of age's keys: a prefix, “1”, groups of five bits and a checksum.
///
/// Source: Bitcoin Improvement Proposal 173, without its limit of 90 characters.
enum Bech32 {
  private static let alphabet = Array("qpzry9x8gf2tvdw0s3jn54khce6mua7l".utf8)

  /// Returns the text of bytes, in lower case.
  static func text(prefix: String, _ bytes: [UInt8]) -> String {
    let data = regrouped(bytes, from: 8, to: 5, padding: true) ?? []
    let sum = checksum(prefix, data + [0, 0, 0, 0, 0, 0]) ^ 1
    let digits = (0..<6).map { UInt8(sum >> (5 * (5 - $0)) & 31) }
    return prefix + "1" + String(decoding: (data + digits).map { alphabet[Int($0)] }, as: UTF8.self)
  }

  /// Returns the bytes of a text with this prefix, in lower case; nil if it is not valid.
  static func bytes(prefix: String, _ text: some StringProtocol) -> [UInt8]? {
    guard text.hasPrefix(prefix + "1") else { return nil }
    var data: [UInt8] = []
    for character in text.utf8.dropFirst(prefix.utf8.count + 1) {
      guard let value = alphabet.firstIndex(of: character) else { return nil }
      data.append(UInt8(value))
    }
    guard data.count >= 6, checksum(prefix, data) == 1 else { return nil }
    return regrouped(data.dropLast(6), from: 5, to: 8, padding: false)
  }

  private static func checksum(_ prefix: String, _ data: [UInt8]) -> UInt32 {
    let generators: [UInt32] = [0x3b6a_57b2, 0x2650_8e6d, 0x1ea1_19fa, 0x3d42_33dd, 0x2a14_62b3]
    let expanded = prefix.utf8.map { $0 >> 5 } + [0] + prefix.utf8.map { $0 & 31 }
    var sum: UInt32 = 1
    for value in expanded + data {
      let top = sum >> 25
      sum = (sum & 0x1ff_ffff) << 5 ^ UInt32(value)
      for (bit, generator) in generators.enumerated() where top >> UInt32(bit) & 1 == 1 {
        sum ^= generator
      }
    }
    return sum
  }

  /// Returns the same bits in groups of another size; nil if what is left over is not zero.
  private static func regrouped(
    _ values: some Sequence<UInt8>, from: Int, to: Int, padding: Bool
  ) -> [UInt8]? {
    var (buffer, count) = (0, 0)
    var groups: [UInt8] = []
    for value in values {
      buffer = (buffer << from | Int(value)) & 0xfff
      count += from
      while count >= to {
        count -= to
        groups.append(UInt8(buffer >> count & (1 << to - 1)))
      }
    }
    if padding {
      if count > 0 { groups.append(UInt8(buffer << (to - count) & (1 << to - 1))) }
    } else if count >= from || buffer & (1 << count - 1) != 0 {
      return nil
    }
    return groups
  }
}
