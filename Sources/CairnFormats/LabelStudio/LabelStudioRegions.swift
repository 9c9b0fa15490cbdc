internal import CairnBase
internal import CairnDocument

// Outlines of Label Studio: polygons in percent of the image, and masks of brushes.

extension ImportedOutline {
  /// Creates the outline of a `polygonlabels` result; nil unless it has three points.
  ///
  /// Source: Label Studio “PolygonLabels”: `points` in percent of the width and height.
  init?(labelStudioPolygon value: JSONObject) {
    guard let points = value["points"]?.pairs, points.count >= 3 else { return nil }
    let fractions = points.map { Polygon.Point(x: $0.x / 100, y: $0.y / 100) }
    self.init([Polygon(outer: fractions)], in: .fractions)
  }

  /// Creates the outline of a `brushlabels` result; nil if it is not a mask of the image's size, or
  /// is empty.
  ///
  /// - Parameter size: The `original_width` and `original_height`.
  init?(labelStudioBrush value: JSONObject, size: PixelExtent?) {
    let limit = Double(RunLengthMask.sideLimit)
    guard value["format"]?.string ?? "rle" == "rle", let array = value["rle"]?.array, let size,
      size.width <= limit, size.height <= limit
    else { return nil }
    let bytes = array.compactMap { $0.int.flatMap(UInt8.init(exactly:)) }
    guard bytes.count == array.count,
      let rows = BrushMask.rows(bytes, width: Int(size.width), height: Int(size.height))
    else { return nil }
    let outline = [Polygon](tracingRows: rows)
    guard !outline.isEmpty else { return nil }
    self.init(
      outline.map { polygon in
        polygon.mapped { Polygon.Point(x: $0.x / size.width, y: $0.y / size.height) }
      }, in: .fractions)
  }
}

/// The masks of Label Studio's brush: the four bytes of each pixel, row by row, as runs; the fourth
/// byte is the opacity.
///
/// Source: `decode_rle` of label-studio-sdk, `converter/brush.py`, after `@thi.ng/rle-pack`.
enum BrushMask {
  /// Returns the ranges of opaque pixels of each row; nil if the bytes are not such a mask.
  static func rows(_ bytes: [UInt8], width: Int, height: Int) -> [[Range<Int>]]? {
    var bits = BitReader(bytes)
    guard let count = bits.read(32), count == width * height * 4, let size = bits.read(5) else {
      return nil
    }
    // The lengths of runs have one of four widths.
    let lengthBits = (0..<4).compactMap { _ in bits.read(4).map { $0 + 1 } }
    guard lengthBits.count == 4 else { return nil }
    var rows = [[Range<Int>]](repeating: [], count: height)
    func fill(_ start: Int, _ end: Int) {
      // The pixels whose fourth byte is in the run.
      var pixel = start / 4
      let last = end / 4
      while pixel < last {
        let row = pixel / width
        let rowEnd = min(last, (row + 1) * width)
        rows[row].appendMerging(pixel - row * width..<rowEnd - row * width)
        pixel = rowEnd
      }
    }
    var position = 0
    while position < count {
      guard let isRun = bits.read(1), let kind = bits.read(2),
        let length = bits.read(lengthBits[kind])
      else { return nil }
      let end = position + length + 1
      guard end <= count else { return nil }
      if isRun == 1 {
        guard let value = bits.read(size + 1) else { return nil }
        if value > 0 { fill(position, end) }
        position = end
      } else {
        while position < end {
          guard let value = bits.read(size + 1) else { return nil }
          if value > 0, position % 4 == 3 { fill(position - 3, position + 1) }
          position += 1
        }
      }
    }
    return rows
  }

  /// Reads numbers of a few bits, the highest bit first.
  private struct BitReader {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Returns the next number of `count` bits, at most 32; nil at the end.
    mutating func read(_ count: Int) -> Int? {
      guard position + count <= bytes.count * 8 else { return nil }
      var value = 0
      for _ in 0..<count {
        value = value << 1 | Int(bytes[position / 8] >> (7 - UInt8(position % 8))) & 1
        position += 1
      }
      return value
    }
  }
}
