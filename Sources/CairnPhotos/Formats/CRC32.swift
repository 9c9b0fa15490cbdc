/// Returns the CRC-32 of `bytes`, as PNG, zlib and Ethernet compute it.
///
/// Source: W3C PNG (third edition), annex D. Processes eight bytes per step (“slicing by 8”),
/// because every added image passes through here.
package func crc32(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
  crcTables.withUnsafeBufferPointer { tables in
    var crc: UInt32 = 0xFFFF_FFFF
    var offset = 0
    while offset &+ 8 <= bytes.count {
      let word = UInt64(
        littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
      let mixed = word ^ UInt64(crc)
      crc = 0
      for index in 0..<8 {
        let byte = Int(truncatingIfNeeded: mixed >> UInt64(8 &* index)) & 0xFF
        crc ^= tables[(7 &- index) &* 256 &+ byte]
      }
      offset &+= 8
    }
    while offset < bytes.count {
      crc = tables[Int((crc ^ UInt32(bytes[offset])) & 0xFF)] ^ (crc >> 8)
      offset &+= 1
    }
    return crc ^ 0xFFFF_FFFF
  }
}

/// Eight tables of 256 entries. Table `n` advances a byte past `n` more zero bytes than table 0.
private let crcTables: [UInt32] = {
  var tables: [UInt32] = []
  for byte in UInt32(0)..<256 {
    var crc = byte
    for _ in 0..<8 { crc = crc & 1 == 1 ? (crc >> 1) ^ 0xEDB8_8320 : crc >> 1 }
    tables.append(crc)
  }
  for index in 256..<8 * 256 {
    let previous = tables[index - 256]
    tables.append(tables[Int(previous & 0xFF)] ^ (previous >> 8))
  }
  return tables
}()
