internal import CTIFF
internal import CairnDocument

/// Decodes the first image of a TIFF with libtiff, if installed, without applying the orientation.
///
/// Decodes one image at a time: strips and tiles may be larger than the whole image.
func tiffPixels(_ image: ImageBytes, alpha: AlphaHandling) throws(ImageError) -> PixelBuffer {
  let tiff = try TIFFImage(image)
  return try withMemory(for: tiff.size, .tiff, isAlone: true) { () throws(ImageError) in
    guard cairn_tiff_is_installed() != 0 else {
      throw .undecodable(.tiff, "libtiff is not installed (Debian: apt install libtiff6)")
    }
    let blockLength = tiff.samples * max(1, tiff.bits / 8) * tiff.block.width * tiff.block.height
    guard blockLength <= ImageLimit.decodedBlock else {
      throw .undecodable(.tiff, "its strips or tiles are too large")
    }
    let decoder = try TIFFDecoder(image, tiff)
    return try tiff.isPlain ? decoder.plainPixels(alpha) : decoder.convertedPixels(alpha)
  }
}

extension TIFFImage {
  /// Whether samples are used as they are: gray, palette, red-green-blue or four inks, of 8 or 16
  /// bits. libtiff converts all others, and multiplies colors by alpha.
  fileprivate var isPlain: Bool {
    let needed = [0: 1, 1: 1, 2: 3, 3: 1, 5: 4][photometric]
    guard let needed, samples >= needed, isInteger, bits == 8 || bits == 16 else { return false }
    return photometric != 3 || bits == 8 && colorMap?.count == 768
  }
}

private final class TIFFDecoder {
  private let tiff: TIFFImage
  private let handle: OpaquePointer
  private let message: UnsafeMutablePointer<CChar>

  init(_ image: ImageBytes, _ tiff: TIFFImage) throws(ImageError) {
    self.tiff = tiff
    let size = Int(CAIRN_TIFF_MESSAGE_SIZE)
    let message = UnsafeMutablePointer<CChar>.allocate(capacity: size)
    message.initialize(repeating: 0, count: size)
    guard let handle = cairn_tiff_open(image.start, image.count, message) else {
      defer { message.deallocate() }
      let bytes = UnsafeBufferPointer(start: message, count: size)
      throw .undecodable(.tiff, text(of: Array(bytes)))
    }
    (self.handle, self.message) = (handle, message)
  }

  deinit {
    cairn_tiff_close(handle)
    message.deallocate()
  }

  private var failure: ImageError {
    let bytes = UnsafeBufferPointer(start: message, count: Int(CAIRN_TIFF_MESSAGE_SIZE))
    return .undecodable(.tiff, text(of: Array(bytes)))
  }

  /// Returns pixels that libtiff converts.
  func convertedPixels(_ alpha: AlphaHandling) throws(ImageError) -> PixelBuffer {
    let (width, height) = (tiff.size.width, tiff.size.height)
    var isDecoded = false
    let pixels = [UInt32](unsafeUninitializedCapacity: width * height) { buffer, count in
      buffer.initialize(repeating: 0)
      count = width * height
      isDecoded =
        cairn_tiff_read_rgba(
          handle, UInt32(clamping: width), UInt32(clamping: height),
          Int32(tiff.orientation ?? 1), buffer.baseAddress) != 0
    }
    guard isDecoded else { throw failure }
    let bytes = [UInt8](unsafeUninitializedCapacity: 3 * pixels.count) { out, count in
      for (index, pixel) in pixels.enumerated() {
        // Colors are multiplied by alpha, so white is added.
        let white = alpha == .onWhite ? 255 - (pixel >> 24) : 0
        for channel in 0..<3 {
          let value = pixel >> UInt32(8 * channel) & 255
          out[3 * index + channel] = UInt8(min(255, value + white))
        }
      }
      count = 3 * pixels.count
    }
    return PixelBuffer(width: width, height: height, bytes: bytes)
  }

  /// Returns the pixels of samples of 8 or 16 bits, whose upper 8 are used.
  func plainPixels(_ alpha: AlphaHandling) throws(ImageError) -> PixelBuffer {
    let (size, block) = (tiff.size, tiff.block)
    let channels = tiff.photometric == 2 ? 3 : tiff.photometric == 5 ? 4 : 1
    let alphaSample = tiff.alpha > 0 && tiff.samples > channels ? channels : nil
    let colors = TIFFColors(tiff, channels)
    // Of each pixel the channels, and alpha.
    let stored = channels + (alphaSample == nil ? 0 : 1)
    var samples = [UInt8](repeating: 0, count: stored * size.width * size.height)
    let across = (size.width + block.width - 1) / block.width
    let down = (size.height + block.height - 1) / block.height
    let planes = tiff.isPlanar ? stored : 1
    let samplesHere = tiff.isPlanar ? 1 : tiff.samples
    let bytesPerSample = tiff.bits / 8
    var buffer = [UInt8](
      repeating: 0, count: samplesHere * bytesPerSample * block.width * block.height)
    for plane in 0..<planes {
      for number in 0..<across * down {
        let (left, top) = (number % across * block.width, number / across * block.height)
        let rows = min(block.height, size.height - top)
        try read(plane * across * down + number, rows * block.width, samplesHere, &buffer)
        let columns = min(block.width, size.width - left)
        for row in 0..<rows {
          for sample in 0..<(tiff.isPlanar ? 1 : stored) {
            // The upper byte of a sample is the last on this machine.
            var source =
              (row * block.width * samplesHere + sample) * bytesPerSample + bytesPerSample - 1
            var target =
              ((top + row) * size.width + left) * stored + (tiff.isPlanar ? plane : sample)
            for _ in 0..<columns {
              samples[target] = buffer[source]
              source += samplesHere * bytesPerSample
              target += stored
            }
          }
        }
      }
    }
    let bytes = colors.pixels(samples, hasAlpha: alphaSample != nil, alpha)
    return PixelBuffer(width: size.width, height: size.height, bytes: bytes)
  }

  /// Reads a block; the last strip may have fewer rows.
  private func read(
    _ number: Int, _ pixels: Int, _ samples: Int, _ buffer: inout [UInt8]
  ) throws(ImageError) {
    let needed = pixels * samples * tiff.bits / 8
    let count = buffer.withUnsafeMutableBufferPointer { buffer in
      tiff.isTiled
        ? cairn_tiff_read_tile(handle, UInt32(clamping: number), buffer.baseAddress, buffer.count)
        : cairn_tiff_read_strip(handle, UInt32(clamping: number), buffer.baseAddress, needed)
    }
    guard count >= needed || tiff.isTiled && count > 0 else { throw failure }
  }
}

/// Converts samples to colors.
private struct TIFFColors {
  private let tiff: TIFFImage
  private let channels: Int

  init(_ tiff: TIFFImage, _ channels: Int) { (self.tiff, self.channels) = (tiff, channels) }

  func pixels(_ samples: [UInt8], hasAlpha: Bool, _ alpha: AlphaHandling) -> [UInt8] {
    let stored = channels + (hasAlpha ? 1 : 0)
    if channels == 4 {
      let inverted = stride(from: 0, to: samples.count, by: stored).flatMap { start in
        (0..<4).map { 255 - samples[start + $0] }
      }
      return rgb(fromInvertedCMYK: inverted)
    }
    let count = samples.count / stored
    let isBlended = hasAlpha && alpha == .onWhite
    let width = isBlended ? 4 : 3
    var out = [UInt8](repeating: 255, count: width * count)
    for pixel in 0..<count {
      let opacity = hasAlpha ? samples[pixel * stored + channels] : 255
      for channel in 0..<3 {
        let sample = samples[pixel * stored + (channels == 3 ? channel : 0)]
        let color = color(sample, channel)
        out[width * pixel + channel] = tiff.alpha == 1 ? divided(color, by: opacity) : color
      }
      if isBlended { out[width * pixel + 3] = opacity }
    }
    return isBlended ? onWhite(out) : out
  }

  private func color(_ sample: UInt8, _ channel: Int) -> UInt8 {
    switch tiff.photometric {
    case 0: 255 - sample
    case 3: UInt8(truncatingIfNeeded: (tiff.colorMap?[256 * channel + Int(sample)] ?? 0) >> 8)
    default: sample
    }
  }

  /// Returns a color that was multiplied by alpha, as Pillow restores it.
  private func divided(_ color: UInt8, by opacity: UInt8) -> UInt8 {
    opacity == 0 ? 0 : opacity == 255 ? color : UInt8(min(255, Int(color) * 255 / Int(opacity)))
  }
}
