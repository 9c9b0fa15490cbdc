/// Returns a chunk (RFC 9649, “RIFF File Format”) with its padding.
func riffChunk(_ type: String, _ data: [UInt8]) -> [UInt8] {
  var bytes = Array(type.utf8)
  bytes.append(littleEndian: data.count, count: 4)
  return bytes + data + (data.count % 2 == 1 ? [0] : [])
}

/// Returns a WebP file with these chunks.
func webp(_ chunks: [[UInt8]]) -> [UInt8] {
  riffChunk("RIFF", Array("WEBP".utf8) + chunks.joined())
}

/// Returns a “VP8 ” chunk (RFC 6386, 9.1): a real frame of one pixel with another size in its
/// header. Decoders treat the missing bytes as zeros.
func lossy(_ width: Int, _ height: Int) -> [UInt8] {
  var data: [UInt8] = [0x30, 0x01, 0x00, 0x9D, 0x01, 0x2A]
  data.append(littleEndian: width, count: 2)
  data.append(littleEndian: height, count: 2)
  data += [0x03, 0x00, 0x34, 0x25, 0xA4, 0x00, 0x03, 0x70, 0x00, 0xFE, 0xFB, 0x94, 0x00, 0x00]
  return riffChunk("VP8 ", data)
}

/// Returns a “VP8L” chunk (RFC 9649, “WebP Lossless Bitstream”) of one color: no transform, cache
/// or meta codes, then five prefix codes with the single symbol 0, so that a pixel takes no bits.
func lossless(_ width: Int, _ height: Int) -> [UInt8] {
  var data: [UInt8] = [0x2F]
  data.append(littleEndian: width - 1 | (height - 1) << 14, count: 4)
  let code = 0b0001
  data.append(
    littleEndian: (0..<5).reduce(0) { bits, index in bits | code << (3 + 4 * index) }, count: 3)
  return riffChunk("VP8L", data)
}

/// Returns a “VP8X” chunk (RFC 9649, “Extended File Format”).
func extended(_ width: Int, _ height: Int, flags: UInt8 = 0) -> [UInt8] {
  var data: [UInt8] = [flags, 0, 0, 0]
  data.append(littleEndian: width - 1, count: 3)
  data.append(littleEndian: height - 1, count: 3)
  return riffChunk("VP8X", data)
}

/// Returns an “ANMF” chunk (RFC 9649, “Animation”): a frame at (x, y), both even.
func frame(x: Int, y: Int, _ width: Int, _ height: Int, _ image: [UInt8]) -> [UInt8] {
  var data: [UInt8] = []
  for value in [x / 2, y / 2, width - 1, height - 1, 100] {
    data.append(littleEndian: value, count: 3)
  }
  return riffChunk("ANMF", data + [0] + image)
}
