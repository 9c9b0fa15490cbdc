internal import CPNG
internal import CairnDocument

/// Decodes a PNG of any kind at its full size.
func pngPixels(_ image: ImageBytes, alpha: AlphaHandling) throws(ImageError) -> PixelBuffer {
  let size = try pngSize(image)
  return try withMemory(for: size, .png) { () throws(ImageError) in
    let hasAlpha = alpha == .onWhite && pngHasAlpha(image)
    let channels = hasAlpha ? 4 : 3
    let length = channels * size.width * size.height
    var message = [CChar](repeating: 0, count: Int(CAIRN_PNG_MESSAGE_SIZE))
    var isDecoded = false
    let bytes = [UInt8](unsafeUninitializedCapacity: length) { buffer, count in
      isDecoded =
        cairn_png_decode(
          image.start, image.count, UInt32(clamping: size.width), UInt32(clamping: size.height),
          Int32(channels), buffer.baseAddress, &message) != 0
      count = isDecoded ? length : 0
    }
    guard isDecoded else { throw .undecodable(.png, text(of: message)) }
    return PixelBuffer(
      width: size.width, height: size.height, bytes: hasAlpha ? onWhite(bytes) : bytes)
  }
}

/// Returns whether pixels may be transparent.
///
/// Source: W3C PNG, third edition, 11.2.1 and 11.3.1.1: by the color type, or by a chunk tRNS before
/// the image data.
private func pngHasAlpha(_ image: ImageBytes) -> Bool {
  guard let colorType = image[25] else { return false }
  if colorType == 4 || colorType == 6 { return true }
  var position = 8
  while let length = image.bigEndian32(at: position), !image.hasASCII("IDAT", at: position + 4) {
    if image.hasASCII("tRNS", at: position + 4) { return true }
    position += 12 + length
  }
  return false
}
