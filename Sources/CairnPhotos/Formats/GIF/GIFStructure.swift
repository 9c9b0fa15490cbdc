internal import CairnDocument

/// The first image of a GIF; no pixel is decoded.
///
/// Source: CompuServe, “Graphics Interchange Format, version 89a”, 17 to 27.
struct GIFStructure {
  /// The first frame, and how it lies on the screen.
  struct Frame {
    let left: Int
    let top: Int
    let width: Int
    let height: Int
    let isInterlaced: Bool
    let palette: ImageBytes?
    /// The index that is transparent.
    let transparency: UInt8?
    /// The offset of the minimum code size, which precedes the blocks of image data.
    let data: Int
  }

  /// The size of the screen, on which frames lie.
  let size: PixelSize
  let frame: Frame
  /// The blocks of an application extension with XMP, with the extension's header.
  private(set) var xmp: Range<Int>?

  init(_ image: ImageBytes) throws(ImageError) {
    guard let width = image.littleEndian16(at: 6), let height = image.littleEndian16(at: 8),
      let flags = image[10]
    else { throw .truncated(.gif) }
    size = PixelSize(width: width, height: height)
    try size.check(for: .gif)
    var walk = GIFWalk(image: image, position: 13)
    let global = try walk.palette(flags)
    var (first, transparency): (Frame?, UInt8?) = (nil, nil)
    walking: while let kind = image[walk.position] {
      switch kind {
      case 0x3B: break walking
      case 0x21:
        let start = walk.position
        let label = image[start + 1]
        if label == 0xF9, first == nil, let packed = image[start + 3], packed & 1 == 1 {
          transparency = image[start + 6]
        }
        walk.position += 2
        try walk.skipBlocks()
        if label == 0xFF, image.hasASCII("XMP DataXMP", at: start + 3) {
          xmp = start..<walk.position
        }
      case 0x2C:
        let found = try walk.frame(global, transparency)
        if first == nil { first = found }
      default:
        // Programs stop at the first byte that starts no block.
        if first == nil { throw .damaged(.gif, "it has an unknown block") }
        break walking
      }
    }
    // Many files lack the last byte, the trailer.
    guard let first else { throw .truncated(.gif) }
    guard first.left + first.width <= width, first.top + first.height <= height else {
      throw .damaged(.gif, "its image is larger than its screen")
    }
    frame = first
  }
}

private struct GIFWalk {
  let image: ImageBytes
  var position: Int

  /// Reads a color table if the flags say that there is one.
  mutating func palette(_ flags: UInt8) throws(ImageError) -> ImageBytes? {
    guard flags & 0x80 != 0 else { return nil }
    let length = 3 << (Int(flags & 7) + 1)
    guard let table = image.slice(from: position, count: length) else { throw .truncated(.gif) }
    position += length
    return table
  }

  /// Skips data blocks up to the empty one that ends them.
  mutating func skipBlocks() throws(ImageError) {
    while true {
      guard let length = image[position], position + Int(length) < image.count else {
        throw .truncated(.gif)
      }
      position += 1 + Int(length)
      if length == 0 { return }
    }
  }

  mutating func frame(
    _ global: ImageBytes?, _ transparency: UInt8?
  ) throws(ImageError) -> GIFStructure.Frame {
    guard let left = image.littleEndian16(at: position + 1),
      let top = image.littleEndian16(at: position + 3),
      let width = image.littleEndian16(at: position + 5),
      let height = image.littleEndian16(at: position + 7), let flags = image[position + 9]
    else { throw .truncated(.gif) }
    position += 10
    let own = try palette(flags)
    let data = position
    position += 1
    try skipBlocks()
    return GIFStructure.Frame(
      left: left, top: top, width: width, height: height, isInterlaced: flags & 0x40 != 0,
      palette: own ?? global, transparency: transparency, data: data)
  }
}
