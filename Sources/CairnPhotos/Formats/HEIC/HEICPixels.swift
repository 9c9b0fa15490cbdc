internal import CHeif
internal import CairnDocument

/// Decodes the primary image of a HEIC or AVIF with libheif, if installed, without applying the
/// orientation.
///
/// Decodes one image at a time: libheif has threads of its own, and tiles may be larger than the
/// whole image.
func heicPixels(
  _ image: ImageBytes, _ format: ImageFormat
) throws(ImageError) -> PixelBuffer {
  let structure = try HEICStructure(image, format)
  let size = structure.codedSize
  return try withMemory(for: size, format, isAlone: true) { () throws(ImageError) in
    var message = [CChar](repeating: 0, count: Int(CAIRN_HEIF_MESSAGE_SIZE))
    var status = CAIRN_HEIF_BROKEN
    let count = 3 * size.width * size.height
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      buffer.initialize(repeating: 0)
      initialized = count
      status = cairn_heif_decode(
        image.start, image.count, Int32(clamping: size.width), Int32(clamping: size.height),
        buffer.baseAddress, &message)
    }
    switch status {
    case CAIRN_HEIF_DECODED:
      return PixelBuffer(width: size.width, height: size.height, bytes: bytes)
        .part(structure.aperture)
    case CAIRN_HEIF_MISSING:
      throw .undecodable(format, "libheif is not installed (Debian: apt install libheif1)")
    default:
      throw .undecodable(format, text(of: message))
    }
  }
}

extension PixelBuffer {
  fileprivate func part(_ part: HEICAperture) -> PixelBuffer {
    let size = part.size
    if size == PixelSize(width: width, height: height) { return self }
    var pixels: [UInt8] = []
    pixels.reserveCapacity(3 * size.width * size.height)
    for row in part.y..<part.y + size.height {
      let start = 3 * (row * width + part.x)
      pixels += bytes[start..<start + 3 * size.width]
    }
    return PixelBuffer(width: size.width, height: size.height, bytes: pixels)
  }
}
