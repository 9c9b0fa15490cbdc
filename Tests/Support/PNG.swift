package import Foundation

/// Generated images: grayscale, uncompressed, a different one for each seed.
///
/// Source: W3C PNG, third edition; RFC 1950 and 1951 for the stored blocks.
package enum PNG {
  /// Returns an image of one pixel, whose gray value is the seed.
  package static func bytes(_ seed: UInt8) -> [UInt8] {
    file(width: 1, height: 1, rows: [0, seed])
  }

  /// Returns an image of random pixels.
  package static func bytes(seed: Int, width: Int = 8, height: Int = 8) -> Data {
    var state = UInt32(truncatingIfNeeded: seed) &* 2_654_435_761 | 1
    var rows = [UInt8](repeating: 0, count: (width + 1) * height)
    for index in rows.indices where index % (width + 1) != 0 {
      state ^= state << 13
      state ^= state >> 17
      state ^= state << 5
      rows[index] = UInt8(truncatingIfNeeded: state)
    }
    return Data(file(width: width, height: height, rows: rows))
  }

  /// - Parameter rows: The rows of pixels, each after the byte of its filter.
  private static func file(width: Int, height: Int, rows: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    bytes += chunk("IHDR", bigEndian(width) + bigEndian(height) + [8, 0, 0, 0, 0])
    bytes += chunk("IDAT", zlib(rows))
    bytes += chunk("IEND", [])
    return bytes
  }

  private static func zlib(_ bytes: [UInt8]) -> [UInt8] {
    var out: [UInt8] = [0x78, 0x01]
    for start in stride(from: 0, to: bytes.count, by: 0xFFFF) {
      let block = bytes[start..<min(start + 0xFFFF, bytes.count)]
      let size = UInt16(block.count)
      out.append(block.endIndex == bytes.count ? 1 : 0)
      out += [UInt8(size & 0xFF), UInt8(size >> 8), UInt8(~size & 0xFF), UInt8(~size >> 8)]
      out += block
    }
    var (low, high) = (1, 0)
    for byte in bytes {
      low = (low + Int(byte)) % 65521
      high = (high + low) % 65521
    }
    return out + bigEndian(high << 16 | low)
  }

  private static func chunk(_ type: String, _ data: [UInt8]) -> [UInt8] {
    let body: [UInt8] = Array(type.utf8) + data
    var crc: UInt32 = 0xFFFF_FFFF
    for byte in body { crc = table[Int((crc ^ UInt32(byte)) & 0xFF)] ^ (crc >> 8) }
    return bigEndian(data.count) + body + bigEndian(Int(crc ^ 0xFFFF_FFFF))
  }

  private static let table: [UInt32] = (0..<256).map { index in
    var crc = UInt32(index)
    for _ in 0..<8 { crc = crc & 1 == 1 ? (crc >> 1) ^ 0xEDB8_8320 : crc >> 1 }
    return crc
  }

  private static func bigEndian(_ number: Int) -> [UInt8] {
    [24, 16, 8, 0].map { (shift: Int) -> UInt8 in UInt8(truncatingIfNeeded: number >> shift) }
  }
}
