import CairnDocument

/// Walks the chunks of a PNG up to IEND and returns the size in IHDR.
///
/// Source: W3C PNG (third edition), 5.2 “PNG signature” to 5.6 “Chunk ordering” and 11.2
/// “Critical chunks”. Checks the CRC of critical chunks, as a decoder must; it may skip the others.
func pngSize(_ bytes: ImageBytes) throws(ImageError) -> PixelSize {
  var position = ImageFormat.pngSignature.count
  guard bytes.count >= position else { throw .truncated(.png) }
  let header = try pngChunk(bytes, at: &position)
  guard header.isNamed("IHDR") else {
    throw .damaged(.png, "it does not start with its header (IHDR)")
  }
  let size = try pngHeader(header.data)
  var hasImageData = false
  while true {
    let chunk = try pngChunk(bytes, at: &position)
    if chunk.isNamed("IEND") { break }
    if chunk.isNamed("IHDR") { throw .damaged(.png, "it has two headers (IHDR)") }
    if chunk.isNamed("IDAT"), chunk.data.count > 0 { hasImageData = true }
  }
  guard hasImageData else { throw .damaged(.png, "it contains no image data (IDAT)") }
  return size
}

private struct PNGChunk {
  /// Four letters.
  let type: ImageBytes
  let data: ImageBytes

  func isNamed(_ name: StaticString) -> Bool { type.hasASCII(name) }
}

/// Reads the chunk at `position` (5.3), with length, type, data and CRC, and advances to the next.
private func pngChunk(_ bytes: ImageBytes, at position: inout Int) throws(ImageError) -> PNGChunk {
  guard let length = bytes.bigEndian32(at: position) else { throw .truncated(.png) }
  guard length <= Int32.max else {
    throw .damaged(.png, "one of its chunks has an invalid length")
  }
  guard let type = bytes.slice(from: position + 4, count: 4) else { throw .truncated(.png) }
  guard type.buffer.allSatisfy(isLetter) else {
    throw .damaged(.png, "one of its chunks has an invalid name")
  }
  guard let data = bytes.slice(from: position + 8, count: length),
    let checked = bytes.slice(from: position + 4, count: 4 + length),
    let expected = bytes.bigEndian32(at: position + 8 + length)
  else { throw .truncated(.png) }
  // Bit 5 of the first letter is clear in the name of a critical chunk (5.4).
  if let first = type[0], first & 0x20 == 0, Int(crc32(checked.buffer)) != expected {
    let name = String(decoding: type.buffer, as: UTF8.self)
    throw .damaged(.png, "the checksum of a chunk (\(name)) is wrong")
  }
  position += 12 + length
  return PNGChunk(type: type, data: data)
}

private func isLetter(_ byte: UInt8) -> Bool {
  (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte & ~0x20)
}

/// Reads the data of IHDR (11.2.1).
private func pngHeader(_ data: ImageBytes) throws(ImageError) -> PixelSize {
  guard data.count == 13, let width = data.bigEndian32(at: 0), let height = data.bigEndian32(at: 4),
    let depth = data[8], let colorType = data[9],
    width <= Int32.max, height <= Int32.max
  else { throw .damaged(.png, "its header (IHDR) is broken") }
  let depths: [UInt8] =
    switch colorType {
    case 0: [1, 2, 4, 8, 16]
    case 3: [1, 2, 4, 8]
    case 2, 4, 6: [8, 16]
    default: []
    }
  guard depths.contains(depth), data[10] == 0, data[11] == 0, data[12].map({ $0 <= 1 }) == true
  else { throw .damaged(.png, "its header (IHDR) has values that PNG does not allow") }
  let size = PixelSize(width: width, height: height)
  try size.check(for: .png)
  return size
}
