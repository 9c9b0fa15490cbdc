internal import CDeflate
internal import CPNG
internal import CairnBase
internal import CairnDocument

/// A mask of single pixels, as annotation tools pack it into text: Base64 of a zlib stream.
struct PackedMask {
  let width: Int
  let height: Int
  /// The foreground of each row, from the top: sorted ranges of columns that do not touch.
  let rows: [[Range<Int>]]

  /// The maximum number of bytes of an unpacked mask.
  private static let limit = 1 << 28

  /// The foreground of a mask whose values are given row by row.
  private init(width: Int, height: Int, isForeground: (Int) -> Bool) {
    (self.width, self.height) = (width, height)
    rows = (0..<height).map { row in
      var ranges: [Range<Int>] = []
      for column in 0..<width where isForeground(row * width + column) {
        ranges.appendMerging(column..<column + 1)
      }
      return ranges
    }
  }

  /// Reads a PNG whose transparent pixels, or whose black ones if it has none, are the background;
  /// nil if the text is not one.
  ///
  /// Source: `Bitmap.base64_2_data` of the Supervisely SDK.
  init?(packedPNG text: String) {
    guard let packed = Base64.bytes(padded: text) else { return nil }
    let bytes = PackedMask.inflated(packed) ?? packed
    // The width and the height are the first members of the first chunk.
    func number(_ offset: Int) -> Int { bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) } }
    guard bytes.count > 24 else { return nil }
    let (width, height) = (number(16), number(20))
    let sides = 1...RunLengthMask.sideLimit
    guard sides ~= width, sides ~= height, width * height * 4 <= PackedMask.limit else {
      return nil
    }
    var message = [CChar](repeating: 0, count: Int(CAIRN_PNG_MESSAGE_SIZE))
    var pixels = [UInt8](repeating: 0, count: width * height * 4)
    let isDecoded = cairn_png_decode(
      bytes, bytes.count, UInt32(width), UInt32(height), 4, &pixels, &message)
    if isDecoded == 0 { return nil }
    let hasAlpha = stride(from: 3, to: pixels.count, by: 4).contains { pixels[$0] < 255 }
    self.init(width: width, height: height) { index in
      hasAlpha ? pixels[4 * index + 3] > 0 : pixels[4 * index..<4 * index + 3].contains { $0 > 0 }
    }
  }

  /// Reads a NumPy array of two dimensions with one byte for each pixel; nil if the text is not one.
  ///
  /// Source: NumPy “NPY format”, and `serialize_numpy_array` of FiftyOne's eta.
  init?(packedArray text: String) {
    guard let packed = Base64.bytes(padded: text), let bytes = PackedMask.inflated(packed),
      bytes.count > 12, bytes.starts(with: [0x93] + Array("NUMPY".utf8))
    else { return nil }
    // Two bytes for the length of the header in version 1, four in later ones.
    let start = bytes[6] == 1 ? 10 : 12
    let length = bytes[8..<start].reversed().reduce(0) { $0 << 8 | Int($1) }
    guard start + length <= bytes.count else { return nil }
    let header = String(decoding: bytes[start..<start + length], as: UTF8.self)
    let isBytes = ["|b1", "|u1", "|i1"].contains { header.contains("'\($0)'") }
    let shape = header.split(separator: "(").last?.split(separator: ")").first ?? ""
    let sides = shape.split(separator: ",").compactMap { Int(String($0).trimmingSpaces()) }
    guard isBytes, header.contains("'fortran_order': False"), sides.count == 2,
      sides.allSatisfy({ 1...RunLengthMask.sideLimit ~= $0 }),
      bytes.count == start + length + sides[0] * sides[1]
    else { return nil }
    self.init(width: sides[1], height: sides[0]) { bytes[start + length + $0] != 0 }
  }

  /// Returns the content of a zlib stream; nil if it is not one, or is too large.
  private static func inflated(_ packed: [UInt8]) -> [UInt8]? {
    let decompressor = libdeflate_alloc_decompressor()
    defer { libdeflate_free_decompressor(decompressor) }
    var capacity = max(4096, 8 * packed.count)
    while capacity <= limit {
      var result = LIBDEFLATE_INSUFFICIENT_SPACE
      let bytes = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
        var size = 0
        result = libdeflate_zlib_decompress(
          decompressor, packed, packed.count, buffer.baseAddress, capacity, &size)
        count = result == LIBDEFLATE_SUCCESS ? size : 0
      }
      if result == LIBDEFLATE_SUCCESS { return bytes }
      if result != LIBDEFLATE_INSUFFICIENT_SPACE { return nil }
      capacity *= 4
    }
    return nil
  }
}

extension ImportedOutline {
  /// Creates the outline of a mask whose first pixel is at a corner, in pixels.
  init(_ mask: PackedMask, at corner: Polygon.Point) {
    self.init(
      [Polygon](tracingRows: mask.rows).map { polygon in
        polygon.mapped { Polygon.Point(x: corner.x + $0.x, y: corner.y + $0.y) }
      }, in: .pixels)
  }

  /// Creates the outline of a mask that fills a box, in fractions of the image.
  init(_ mask: PackedMask, in box: NormalizedRect) {
    let (across, down) = (box.width / Double(mask.width), box.height / Double(mask.height))
    self.init(
      [Polygon](tracingRows: mask.rows).map { polygon in
        polygon.mapped { Polygon.Point(x: box.x + $0.x * across, y: box.y + $0.y * down) }
      }, in: .fractions)
  }
}
