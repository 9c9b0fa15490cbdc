/// Returns a segment with parameters (ITU-T T.81, B.1.1.4).
func segment(_ code: UInt8, _ parameters: [UInt8]) -> [UInt8] {
  var bytes: [UInt8] = [0xFF, code]
  bytes.append16(bigEndian: parameters.count + 2)
  return bytes + parameters
}

/// Returns a frame header (B.2.2) of a grayscale image.
func frameHeader(_ width: Int, _ height: Int, code: UInt8 = 0xC0) -> [UInt8] {
  var parameters: [UInt8] = [8]
  parameters.append16(bigEndian: height)
  parameters.append16(bigEndian: width)
  return segment(code, parameters + [1, 1, 0x11, 0])
}

let scanHeader = segment(0xDA, [1, 1, 0x00, 0, 63, 0])

/// A quantization table and Huffman tables in which one zero bit means “no difference in brightness”
/// and one zero bit means “end of block”.
let jpegTables =
  segment(0xDB, [0] + [UInt8](repeating: 16, count: 64))
  + segment(0xC4, [0x00, 1] + [UInt8](repeating: 0, count: 15) + [0])
  + segment(0xC4, [0x10, 1] + [UInt8](repeating: 0, count: 15) + [0])

/// Returns a uniform gray baseline JPEG: two zero bits for each block of 8 × 8 pixels, padded with
/// ones to a whole byte.
/// - Parameter data: Entropy-coded data to use instead.
func jpeg(
  _ width: Int, _ height: Int, code: UInt8 = 0xC0, scans: Int = 1, data: [UInt8]? = nil,
  appended: [UInt8] = []
) -> [UInt8] {
  let bits = 2 * ((width + 7) / 8) * ((height + 7) / 8)
  var gray = [UInt8](repeating: 0, count: bits / 8)
  if bits % 8 > 0 { gray.append(0xFF >> UInt8(bits % 8)) }
  var bytes: [UInt8] = [0xFF, 0xD8]
  bytes += segment(0xE0, Array("JFIF\0".utf8) + [1, 1, 0, 0, 1, 0, 1, 0, 0])
  bytes += jpegTables + frameHeader(width, height, code: code)
  for _ in 0..<scans { bytes += scanHeader + (data ?? gray) }
  return bytes + [0xFF, 0xD9] + appended
}

/// Returns a JPEG with a complete JPEG of another size in its first APP1 segment.
func jpegWithThumbnail(_ width: Int, _ height: Int) -> [UInt8] {
  let image = jpeg(width, height)
  return image[..<2] + segment(0xE1, Array("Exif\0\0".utf8) + jpeg(160, 120)) + image[2...]
}
