/// A box of a file, with a four-letter type. Source: ISO/IEC 14496-12, “Object structure”.
struct HEICBox {
  let type: String
  /// The offset of the box in the file: its length in four bytes, then its type.
  let start: Int
  /// The range of the box's content in the file.
  let content: Range<Int>
}

/// A sequence of boxes.
struct HEICBoxes {
  private let image: ImageBytes
  private var position: Int
  private let end: Int
  /// Whether the last box is truncated.
  private(set) var isCut = false

  init(_ image: ImageBytes, in range: Range<Int>) {
    (self.image, position, end) = (image, range.lowerBound, range.upperBound)
  }

  mutating func next() -> HEICBox? {
    guard position < end, !isCut else { return nil }
    guard end - position >= 8, let short = image.bigEndian32(at: position),
      let type = image.slice(from: position + 4, count: 4)
    else {
      // Trailing bytes after a whole box are allowed, also if they are fewer than a box header.
      position = end
      return nil
    }
    var (header, length) = (8, short)
    if short == 1 {
      guard let high = image.bigEndian32(at: position + 8),
        let low = image.bigEndian32(at: position + 12)
      else {
        isCut = true
        return nil
      }
      (header, length) = (16, high << 32 | low)
    } else if short == 0 {
      length = end - position
    }
    guard length >= header else {
      position = end
      return nil
    }
    guard length <= end - position else {
      isCut = true
      return nil
    }
    defer { position += length }
    return HEICBox(
      type: String(decoding: type.buffer, as: UTF8.self), start: position,
      content: position + header..<position + length)
  }
}
