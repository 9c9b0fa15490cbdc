import Foundation

/// Returns a PNG with random pixels of about `bytes` bytes, different for each seed.
func png(seed: Int, bytes: Int) -> Data {
  let side = Int((Double(bytes) / 3).squareRoot())
  var numbers = SeededNumbers(0x696D616765, seed)
  var rows: [UInt8] = []
  for _ in 0..<side {
    rows.append(0)
    for _ in 0..<3 * side { rows.append(UInt8(truncatingIfNeeded: numbers.next())) }
  }
  return Data(
    [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
      + chunk("IHDR", big(side) + big(side) + [8, 2, 0, 0, 0]) + chunk("IDAT", stored(rows))
      + chunk("IEND", []))
}

/// Returns a zlib stream of stored blocks (RFC 1950, RFC 1951).
private func stored(_ bytes: [UInt8]) -> [UInt8] {
  var stream: [UInt8] = [0x78, 0x01]
  for start in stride(from: 0, to: bytes.count, by: 65_535) {
    let block = bytes[start..<min(bytes.count, start + 65_535)]
    let size = [UInt8(block.count & 255), UInt8(block.count >> 8)]
    stream += [start + block.count == bytes.count ? 1 : 0] + size + size.map { ~$0 } + block
  }
  let (low, high) = bytes.reduce((1, 0)) { sums, byte in
    let low = (sums.0 + Int(byte)) % 65_521
    return (low, (sums.1 + low) % 65_521)
  }
  return stream + big(high << 16 | low)
}

private func chunk(_ type: String, _ data: [UInt8]) -> [UInt8] {
  let body = Array(type.utf8) + data
  return big(data.count) + body + big(Int(~body.reduce(~0, crc)))
}

private func crc(_ crc: UInt32, _ byte: UInt8) -> UInt32 {
  (0..<8).reduce(crc ^ UInt32(byte)) { value, _ in
    value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1
  }
}

private func big(_ value: Int) -> [UInt8] {
  (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) }
}
