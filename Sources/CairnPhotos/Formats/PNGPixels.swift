internal import CPNG
internal import CairnDocument

/// Decodes a PNG of any kind at its full size.
///
/// Source: libpng 1.6, “The simplified API”.
func pngPixels(_ image: ImageBytes) throws(ImageError) -> PixelBuffer {
  let size = try pngSize(image)
  return try withMemory(for: size, .png) { () throws(ImageError) in
    var reader = png_image()
    reader.version = png_uint_32(PNG_IMAGE_VERSION)
    defer { png_image_free(&reader) }
    guard png_image_begin_read_from_memory(&reader, image.buffer.baseAddress, image.count) != 0,
      Int(reader.width) == size.width, Int(reader.height) == size.height
    else { throw failure(of: reader) }
    // Alpha is not blended by libpng, which blends linear light where other decoders blend bytes.
    let hasAlpha = reader.format & png_uint_32(PNG_FORMAT_FLAG_ALPHA) != 0
    reader.format = png_uint_32(PNG_FORMAT_FLAG_COLOR | (hasAlpha ? PNG_FORMAT_FLAG_ALPHA : 0))
    let length = (hasAlpha ? 4 : 3) * size.width * size.height
    var isDecoded = false
    let bytes = [UInt8](unsafeUninitializedCapacity: length) { buffer, count in
      isDecoded = png_image_finish_read(&reader, nil, buffer.baseAddress, 0, nil) != 0
      count = isDecoded ? length : 0
    }
    guard isDecoded else { throw failure(of: reader) }
    return PixelBuffer(
      width: size.width, height: size.height, bytes: hasAlpha ? onWhite(bytes) : bytes)
  }
}

private func failure(of reader: png_image) -> ImageError {
  let text = withUnsafeBytes(of: reader.message) { message in
    String(decoding: message.prefix { $0 != 0 }, as: UTF8.self)
  }
  return .undecodable(.png, text)
}
