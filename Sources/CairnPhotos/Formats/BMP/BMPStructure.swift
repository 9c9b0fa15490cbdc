internal import CairnDocument

/// The header of a BMP.
///
/// Source: Microsoft, “Bitmap Storage”, BITMAPFILEHEADER, BITMAPCOREHEADER, BITMAPINFOHEADER to
/// BITMAPV5HEADER.
struct BMPStructure {
  enum Compression: Int { case none, runs8, runs4, masks, jpeg, png, masksWithAlpha }

  let size: PixelSize
  /// Whether the first row is the upper one.
  let isTopDown: Bool
  let bitsPerPixel: Int
  let compression: Compression
  /// Of red, green, blue and alpha.
  let masks: [Int]
  /// Blue, green, red, and in most headers a fourth byte.
  let palette: ImageBytes?
  let paletteStride: Int
  /// The image data.
  let data: ImageBytes

  /// The bytes of a row, a multiple of four.
  var rowLength: Int { (size.width * bitsPerPixel + 31) / 32 * 4 }

  init(_ image: ImageBytes) throws(ImageError) {
    guard let start = image.littleEndian32(at: 10), let header = image.littleEndian32(at: 14) else {
      throw .truncated(.bmp)
    }
    let isOld = header == 12
    guard isOld || 40...124 ~= header else {
      throw .damaged(.bmp, "its header has an unknown length")
    }
    guard image.count >= 14 + header else { throw .truncated(.bmp) }
    func field(_ offset: Int) -> Int { image.littleEndian32(at: offset) ?? 0 }
    func short(_ offset: Int) -> Int { image.littleEndian16(at: offset) ?? 0 }
    let width = isOld ? short(18) : field(18)
    let height = isOld ? short(20) : Int(Int32(truncatingIfNeeded: field(22)))
    size = PixelSize(width: width, height: abs(height))
    isTopDown = height < 0
    try size.check(for: .bmp)
    bitsPerPixel = isOld ? short(24) : short(28)
    guard [1, 4, 8, 16, 24, 32].contains(bitsPerPixel),
      let compression = Compression(rawValue: isOld ? 0 : field(30))
    else { throw .damaged(.bmp, "its header has values that BMP does not allow") }
    self.compression = compression
    masks = BMPStructure.masks(image, header, bitsPerPixel, compression)
    let tableStart = 14 + header + (header == 40 && compression == .masks ? 12 : 0)
    paletteStride = isOld ? 3 : 4
    let most = bitsPerPixel <= 8 ? 1 << bitsPerPixel : 0
    let colors = isOld || field(46) == 0 ? most : min(field(46), most)
    palette = image.slice(from: tableStart, count: colors * paletteStride)
    if most > 0, palette == nil { throw .truncated(.bmp) }
    guard let data = image.slice(from: start, count: image.count - start) else {
      throw .truncated(.bmp)
    }
    self.data = data
    let needed =
      compression == .runs4 || compression == .runs8 ? field(34) : rowLength * size.height
    guard data.count >= needed else { throw .truncated(.bmp) }
  }

  private static func masks(
    _ image: ImageBytes, _ header: Int, _ bits: Int, _ compression: Compression
  ) -> [Int] {
    if compression == .masks || compression == .masksWithAlpha {
      let hasAlpha = header >= 56 || compression == .masksWithAlpha
      return (0..<4).map { channel in
        channel < 3 || hasAlpha ? image.littleEndian32(at: 54 + 4 * channel) ?? 0 : 0
      }
    }
    return bits == 16 ? [0x7C00, 0x3E0, 0x1F, 0] : [0xFF0000, 0xFF00, 0xFF, 0]
  }
}

extension ImageBytes {
  /// Whether the file is a BMP: two letters are ambiguous, but four reserved zeros follow the size.
  var isBMP: Bool { hasASCII("BM") && littleEndian32(at: 6) == 0 }
}
