/// Returns a chunk (W3C PNG, 5.3) with its CRC, computed bit by bit as in annex D.
func pngChunk(_ type: String, _ data: [UInt8]) -> [UInt8] {
  var crc: UInt32 = 0xFFFF_FFFF
  for byte in Array(type.utf8) + data {
    crc ^= UInt32(byte)
    for _ in 0..<8 { crc = crc & 1 == 1 ? (crc >> 1) ^ 0xEDB8_8320 : crc >> 1 }
  }
  var bytes: [UInt8] = []
  bytes.append32(bigEndian: data.count)
  bytes += Array(type.utf8) + data
  bytes.append32(bigEndian: Int(crc ^ 0xFFFF_FFFF))
  return bytes
}

let pngSignature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
let pngEnd = pngChunk("IEND", [])

func pngHeader(
  _ width: Int, _ height: Int, depth: UInt8 = 8, colorType: UInt8 = 0, interlace: UInt8 = 0
) -> [UInt8] {
  var data: [UInt8] = []
  data.append32(bigEndian: width)
  data.append32(bigEndian: height)
  return pngChunk("IHDR", data + [depth, colorType, 0, 0, interlace])
}

/// Returns the data of a grayscale gradient as stored (not compressed) zlib blocks.
func pngData(_ width: Int, _ height: Int) -> [UInt8] {
  var rows: [UInt8] = []
  for y in 0..<height {
    rows.append(0)
    for x in 0..<width { rows.append(UInt8(truncatingIfNeeded: 7 * x + 3 * y)) }
  }
  return pngChunk("IDAT", storedZlib(rows))
}

/// Returns zlib data in stored blocks (RFC 1950, RFC 1951 section 3.2.4).
func storedZlib(_ bytes: [UInt8]) -> [UInt8] {
  var zlib: [UInt8] = [0x78, 0x01]
  for start in stride(from: 0, to: max(1, bytes.count), by: 0xFFFF) {
    let block = bytes[start..<min(start + 0xFFFF, bytes.count)]
    zlib.append(block.endIndex == bytes.count ? 1 : 0)
    zlib.append(littleEndian: block.count, count: 2)
    zlib.append(littleEndian: ~block.count, count: 2)
    zlib += block
  }
  var (low, high) = (1, 0)
  for byte in bytes {
    low = (low + Int(byte)) % 65521
    high = (high + low) % 65521
  }
  zlib.append32(bigEndian: high << 16 | low)
  return zlib
}

func png(_ width: Int, _ height: Int) -> [UInt8] {
  pngSignature + pngHeader(width, height) + pngChunk("tEXt", Array("Title\0sample".utf8))
    + pngData(width, height) + pngEnd
}
