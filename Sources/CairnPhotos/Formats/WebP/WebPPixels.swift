internal import CWebP
internal import CairnDocument

/// Decodes a WebP, or the first frame of an animation on its canvas; downscales while decoding if
/// `side` is much smaller.
///
/// Source: libwebp 1.2, webp/decode.h, “Advanced decoding API”.
func webpPixels(
  _ image: ImageBytes, fitting side: Int?, alpha: AlphaHandling
) throws(ImageError) -> PixelBuffer {
  let structure = try WebPStructure(image)
  let size = structure.size
  return try withMemory(for: size, .webp) { () throws(ImageError) in
    guard let frame = structure.frame else {
      return try decode(image, fitting: side, alpha)
    }
    if frame.size == size { return try decode(frame.image, fitting: side, alpha) }
    let pixels = try decode(frame.image, fitting: nil, alpha)
    guard (pixels.width, pixels.height) == (frame.size.width, frame.size.height) else {
      throw failure(VP8_STATUS_BITSTREAM_ERROR)
    }
    return pixels.placed(x: frame.x, y: frame.y, on: size, alpha)
  }
}

extension PixelBuffer {
  /// Returns the image on a transparent canvas, whose pixels are black without their alpha, as in
  /// libwebp.
  fileprivate func placed(
    x: Int, y: Int, on canvas: PixelSize, _ alpha: AlphaHandling
  ) -> PixelBuffer {
    let outside: UInt8 = alpha == .onWhite ? 255 : 0
    var placed = [UInt8](repeating: outside, count: 3 * canvas.width * canvas.height)
    for row in 0..<height {
      let target = 3 * ((y + row) * canvas.width + x)
      placed.replaceSubrange(
        target..<target + 3 * width, with: bytes[3 * row * width..<3 * (row + 1) * width])
    }
    return PixelBuffer(width: canvas.width, height: canvas.height, bytes: placed)
  }
}

private func decode(
  _ image: ImageBytes, fitting side: Int?, _ alpha: AlphaHandling
) throws(ImageError) -> PixelBuffer {
  var decoder = WebPDecoderConfig()
  guard WebPInitDecoderConfig(&decoder) != 0 else { throw failure(VP8_STATUS_INVALID_PARAM) }
  let status = WebPGetFeatures(image.start, image.count, &decoder.input)
  guard status == VP8_STATUS_OK else { throw failure(status) }
  var size = PixelSize(width: Int(decoder.input.width), height: Int(decoder.input.height))
  try size.check(for: .webp)
  if let side, max(size.width, size.height) > 4 * side {
    let scaled = PixelBuffer.size(of: size.width, size.height, fitting: 2 * side)
    size = PixelSize(width: scaled.width, height: scaled.height)
    decoder.options.use_scaling = 1
    (decoder.options.scaled_width, decoder.options.scaled_height) = (
      Int32(size.width), Int32(size.height)
    )
  }
  let hasAlpha = decoder.input.has_alpha != 0 && alpha == .onWhite
  let stride = (hasAlpha ? 4 : 3) * size.width
  decoder.output.colorspace = hasAlpha ? MODE_RGBA : MODE_RGB
  decoder.output.is_external_memory = 1
  defer { WebPFreeDecBuffer(&decoder.output) }
  var decoded = VP8_STATUS_OK
  let bytes = [UInt8](unsafeUninitializedCapacity: stride * size.height) { buffer, count in
    buffer.initialize(repeating: 0)
    count = stride * size.height
    decoder.output.u.RGBA = WebPRGBABuffer(
      rgba: buffer.baseAddress, stride: Int32(stride), size: count)
    decoded = WebPDecode(image.start, image.count, &decoder)
  }
  guard decoded == VP8_STATUS_OK else { throw failure(decoded) }
  return PixelBuffer(
    width: size.width, height: size.height, bytes: hasAlpha ? onWhite(bytes) : bytes)
}

private func failure(_ status: VP8StatusCode) -> ImageError {
  let what =
    switch status {
    case VP8_STATUS_OUT_OF_MEMORY: "out of memory"
    case VP8_STATUS_NOT_ENOUGH_DATA: "its image data is truncated"
    case VP8_STATUS_UNSUPPORTED_FEATURE: "it uses a feature that libwebp does not support"
    default: "its image data is broken"
    }
  return .undecodable(.webp, what)
}
