import CairnDocument

/// The canvas of a WebP, and the first frame of an animation; no pixel is decoded.
///
/// Source: RFC 9649, “WebP Container Specification”. As in libwebp, a file is complete when it has
/// all bytes that its RIFF header counts; bytes after those are ignored.
struct WebPStructure {
  /// A frame, and how it lies on the canvas.
  struct Frame {
    let x: Int
    let y: Int
    let size: PixelSize
    /// The chunks of its image.
    let image: ImageBytes
  }

  /// The size of the canvas.
  let size: PixelSize
  /// The first frame of an animation; nil for a still image.
  private(set) var frame: Frame?

  init(_ bytes: ImageBytes) throws(ImageError) {
    guard bytes.count >= 12, let riffSize = bytes.littleEndian32(at: 4) else {
      throw .truncated(.webp)
    }
    guard riffSize >= 12 else { throw webpDamaged("its length (RIFF) is invalid") }
    // The RIFF size starts at the four bytes “WEBP”.
    guard let chunks = bytes.slice(from: 12, count: riffSize - 4) else { throw .truncated(.webp) }
    var position = 0
    guard let first = try webpChunk(chunks, at: &position) else {
      throw webpDamaged("it contains no image")
    }
    if let size = try first.imageSize() {
      self.size = size
      return
    }
    guard first.isNamed("VP8X") else { throw webpDamaged("it does not start with an image") }
    size = try webpCanvas(first.data)
    var hasImage = false
    while let chunk = try webpChunk(chunks, at: &position) {
      if let size = try chunk.imageSize() {
        guard size == self.size else {
          throw webpDamaged("its image and its header differ in size")
        }
        hasImage = true
      } else if chunk.isNamed("ANMF") {
        let found = try Frame(chunk.data, canvas: size)
        if frame == nil { frame = found }
        hasImage = true
      }
    }
    guard hasImage else { throw webpDamaged("it contains no image") }
  }
}

private func webpDamaged(_ what: String) -> ImageError { .damaged(.webp, what) }

/// Reads the header of an extended file (“Extended File Format”).
private func webpCanvas(_ header: ImageBytes) throws(ImageError) -> PixelSize {
  guard let width = header.littleEndian24(at: 4), let height = header.littleEndian24(at: 7) else {
    throw webpDamaged("its header (VP8X) is broken")
  }
  let canvas = PixelSize(width: width + 1, height: height + 1)
  try canvas.check(for: .webp)
  return canvas
}

extension WebPStructure.Frame {
  /// Reads a frame of an animation (“Animation”), and checks its image.
  fileprivate init(_ data: ImageBytes, canvas: PixelSize) throws(ImageError) {
    guard let x = data.littleEndian24(at: 0), let y = data.littleEndian24(at: 3),
      let width = data.littleEndian24(at: 6), let height = data.littleEndian24(at: 9),
      2 * x + width + 1 <= canvas.width, 2 * y + height + 1 <= canvas.height,
      let chunks = data.slice(from: 16, count: data.count - 16)
    else { throw webpDamaged("the header of a frame (ANMF) is broken") }
    (self.x, self.y, image) = (2 * x, 2 * y, chunks)
    size = PixelSize(width: width + 1, height: height + 1)
    var position = 0
    while let chunk = try webpChunk(chunks, at: &position) {
      guard let size = try chunk.imageSize() else { continue }
      guard size == self.size else { throw webpDamaged("a frame and its header differ in size") }
      return
    }
    throw webpDamaged("a frame contains no image")
  }
}

// MARK: Chunks

private struct WebPChunk {
  let type: ImageBytes
  let data: ImageBytes

  func isNamed(_ name: StaticString) -> Bool { type.hasASCII(name) }

  /// Returns the size of the image in this chunk; nil when the chunk contains something other than
  /// an image.
  func imageSize() throws(ImageError) -> PixelSize? {
    if isNamed("VP8 ") { return try lossySize(data) }
    if isNamed("VP8L") { return try losslessSize(data) }
    return nil
  }
}

/// Reads the chunk at `position` (“RIFF File Format”), with type, length, data and padding to an
/// even length, and advances to the next. Returns nil when too few bytes remain.
private func webpChunk(
  _ bytes: ImageBytes, at position: inout Int
) throws(ImageError) -> WebPChunk? {
  guard let type = bytes.slice(from: position, count: 4),
    let length = bytes.littleEndian32(at: position + 4)
  else { return nil }
  // The file is complete, so a chunk that exceeds it is broken rather than truncated.
  guard let data = bytes.slice(from: position + 8, count: length) else {
    throw webpDamaged("one of its chunks is longer than the file")
  }
  position += 8 + length + length % 2
  return WebPChunk(type: type, data: data)
}

// MARK: Images

/// Source: RFC 6386, 9.1 “Uncompressed Data Chunk” and 19.1.
private func lossySize(_ data: ImageBytes) throws(ImageError) -> PixelSize {
  guard let tag = data.littleEndian24(at: 0), data.slice(from: 3, count: 3) != nil,
    data[3] == 0x9D, data[4] == 0x01, data[5] == 0x2A,
    let width = data.littleEndian16(at: 6), let height = data.littleEndian16(at: 8)
  else { throw webpDamaged("the header of its image (VP8) is broken") }
  let (isKeyFrame, version, isShown) = (tag & 1 == 0, tag >> 1 & 7, tag >> 4 & 1 == 1)
  guard isKeyFrame, version <= 3, isShown else {
    throw webpDamaged("the header of its image (VP8) is broken")
  }
  let firstPartition = tag >> 5
  guard firstPartition <= data.count - 10 else {
    throw webpDamaged("its image data (VP8) is truncated")
  }
  // The upper two bits of each request scaling on display.
  let size = PixelSize(width: width & 0x3FFF, height: height & 0x3FFF)
  try size.check(for: .webp)
  return size
}

/// Source: RFC 9649, “Specification for WebP Lossless Bitstream”, its “RIFF Header”.
private func losslessSize(_ data: ImageBytes) throws(ImageError) -> PixelSize {
  guard data[0] == 0x2F, let fields = data.littleEndian32(at: 1), fields >> 29 == 0 else {
    throw webpDamaged("the header of its image (VP8L) is broken")
  }
  guard data.count > 5 else { throw webpDamaged("its image data (VP8L) is truncated") }
  let size = PixelSize(width: (fields & 0x3FFF) + 1, height: (fields >> 14 & 0x3FFF) + 1)
  try size.check(for: .webp)
  return size
}
