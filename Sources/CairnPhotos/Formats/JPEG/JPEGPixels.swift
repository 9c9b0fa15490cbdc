internal import CTurboJPEG
internal import CairnDocument

/// Decodes a JPEG, at an eighth, a quarter or half of its size if that is large enough for `side`.
///
/// Source: libjpeg-turbo 2.1, turbojpeg.h.
func jpegPixels(_ image: ImageBytes, fitting side: Int?) throws(ImageError) -> PixelBuffer {
  let size = try jpegSize(image)
  return try withMemory(for: size, .jpeg) { () throws(ImageError) in
    guard let handle = tjInitDecompress() else { throw .undecodable(.jpeg, "out of memory") }
    let decoder = JPEGDecoder(handle, image)
    return try decoder.decode(fitting: side)
  }
}

private struct JPEGDecoder: ~Copyable {
  private let handle: tjhandle
  private let image: ImageBytes
  private let size: PixelSize
  private let isCMYK: Bool

  /// - Parameter handle: A handle that the decoder takes ownership of.
  init(_ handle: tjhandle, _ image: ImageBytes) {
    var (width, height, subsampling, colors): (Int32, Int32, Int32, Int32) = (0, 0, -1, -1)
    // It fails for subsampling that it has no name for but can decode.
    _ = tjDecompressHeader3(
      handle, image.start, UInt(image.count), &width, &height, &subsampling, &colors)
    (self.handle, self.image) = (handle, image)
    size = PixelSize(width: Int(width), height: Int(height))
    isCMYK = colors == Int32(TJCS_CMYK.rawValue) || colors == Int32(TJCS_YCCK.rawValue)
  }

  deinit { tjDestroy(handle) }

  private var failure: ImageError {
    .undecodable(.jpeg, String(cString: tjGetErrorStr2(handle)))
  }

  /// Returns the smallest scaled size that is at least as large as requested. Its sides are rounded
  /// up.
  private func size(for side: Int?) -> PixelSize {
    guard let side else { return size }
    let longest = max(size.width, size.height)
    let divisor = [8, 4, 2].first { longest / $0 >= side } ?? 1
    return PixelSize(
      width: (size.width + divisor - 1) / divisor, height: (size.height + divisor - 1) / divisor)
  }

  func decode(fitting side: Int?) throws(ImageError) -> PixelBuffer {
    guard size.width > 0, size.height > 0 else { throw failure }
    let size = size(for: side)
    let channels = isCMYK ? 4 : 3
    let format = isCMYK ? TJPF_CMYK : TJPF_RGB
    var isFatal = false
    let bytes = [UInt8](unsafeUninitializedCapacity: channels * size.width * size.height) {
      buffer, count in
      // Pixels missing from a broken scan are gray.
      buffer.initialize(repeating: 128)
      count = buffer.count
      let status = tjDecompress2(
        handle, image.start, UInt(image.count), buffer.baseAddress, Int32(size.width), 0,
        Int32(size.height), Int32(format.rawValue), TJFLAG_LIMITSCANS)
      isFatal = status != 0 && tjGetErrorCode(handle) != Int32(TJERR_WARNING.rawValue)
    }
    if isFatal { throw failure }
    return PixelBuffer(
      width: size.width, height: size.height, bytes: isCMYK ? rgb(fromInvertedCMYK: bytes) : bytes)
  }
}

extension PixelBuffer {
  /// Returns the pixels as a JPEG of a quality from 1 to 100; nil when out of memory.
  public func jpegBytes(quality: Int) -> [UInt8]? {
    guard let handle = tjInitCompress() else { return nil }
    defer { tjDestroy(handle) }
    var encoded: UnsafeMutablePointer<UInt8>?
    var count: UInt = 0
    let status = bytes.withUnsafeBufferPointer { pixels in
      tjCompress2(
        handle, pixels.baseAddress, Int32(width), 0, Int32(height), Int32(TJPF_RGB.rawValue),
        &encoded, &count, Int32(TJSAMP_420.rawValue), Int32(quality), 0)
    }
    defer { tjFree(encoded) }
    guard status == 0, let encoded else { return nil }
    return Array(UnsafeBufferPointer(start: encoded, count: Int(count)))
  }
}

extension ImageBytes {
  var start: UnsafePointer<UInt8>? { buffer.baseAddress?.assumingMemoryBound(to: UInt8.self) }
}
