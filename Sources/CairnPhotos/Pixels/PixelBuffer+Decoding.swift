internal import CairnDocument
internal import Synchronization

/// What becomes of transparent pixels.
package enum AlphaHandling: Sendable {
  /// Blended onto white, for people.
  case onWhite
  /// Opaque, with the color that the file gives them: as models are trained, whose images are
  /// usually read by Pillow's `convert("RGB")`.
  case dropped
}

extension PixelBuffer {
  /// Decodes an image, rotated upright according to its EXIF; of an animation, the first frame.
  ///
  /// - Parameter bytes: A whole file.
  /// - Parameter side: The requested longest side in pixels: decoding a large JPEG at a small size
  ///   is far cheaper. Nil for full size.
  /// - Parameter alpha: What becomes of transparent pixels.
  /// - Throws: ``ImageError`` when it cannot be decoded, or when decoding would take too much
  ///   memory.
  package init(
    decoding bytes: UnsafeRawBufferPointer, fitting side: Int? = nil,
    alpha: AlphaHandling = .onWhite
  ) throws(ImageError) {
    let image = ImageBytes(bytes)
    guard image.count > 0 else { throw .empty }
    guard let format = ImageFormat(signatureOf: image) else {
      throw .unknownFormat(unsupportedFormatName(of: image))
    }
    let stored: PixelBuffer
    switch format {
    case .jpeg: stored = try jpegPixels(image, fitting: side)
    case .png: stored = try pngPixels(image, alpha: alpha)
    case .webp: stored = try webpPixels(image, fitting: side, alpha: alpha)
    case .heic, .avif: stored = try heicPixels(image, format)
    case .gif: stored = try gifPixels(image, alpha: alpha)
    case .bmp: stored = try bmpPixels(image, alpha: alpha)
    case .tiff: stored = try tiffPixels(image, alpha: alpha)
    case .dng, .cr2, .cr3, .nef, .arw, .orf, .rw2, .raf, .pef:
      stored = try jpegPixels(RawPreview(image, format).jpeg, fitting: side)
    }
    let sized = side.map { stored.fitting($0) } ?? stored
    self = sized.upright(from: orientation(of: image, format) ?? 1)
  }
}

/// Decodes an image within the memory limit: only one thread at a time decodes a large image.
///
/// - Parameter isAlone: Whether to decode one at a time regardless of size.
func withMemory(
  for size: PixelSize, _ format: ImageFormat, isAlone: Bool = false,
  _ decode: () throws(ImageError) -> PixelBuffer
) throws(ImageError) -> PixelBuffer {
  try size.check(for: format)
  guard size.width <= ImageLimit.decodedPixels / size.height else {
    throw .tooLargeToDecode(width: size.width, height: size.height)
  }
  guard isAlone || size.width * size.height > ImageLimit.pixelsAtOnce else { return try decode() }
  return try largeImage.withLock { (_) throws(ImageError) in try decode() }
}

private let largeImage = Mutex(())

/// Returns the red, green and blue of RGBA pixels blended onto white.
func onWhite(_ rgba: [UInt8]) -> [UInt8] {
  [UInt8](unsafeUninitializedCapacity: rgba.count / 4 * 3) { rgb, count in
    rgba.withUnsafeBufferPointer { rgba in
      for pixel in 0..<rgba.count / 4 {
        let alpha = Int(rgba[4 * pixel + 3])
        for channel in 0..<3 {
          let value = Int(rgba[4 * pixel + channel])
          rgb[3 * pixel + channel] = UInt8((value * alpha + 255 * (255 - alpha) + 127) / 255)
        }
      }
    }
    count = rgba.count / 4 * 3
  }
}

/// Returns the text that a C function wrote into a buffer, without surrounding white space.
func text(of message: [CChar]) -> String {
  let end = message.firstIndex(of: 0) ?? message.count
  return String(decoding: message[..<end].map(UInt8.init(bitPattern:)), as: UTF8.self).trimmed
}
