internal import CairnDocument

/// Decodes a BMP, also with run-length encoding.
func bmpPixels(_ image: ImageBytes, alpha: AlphaHandling) throws(ImageError) -> PixelBuffer {
  let bmp = try BMPStructure(image)
  return try withMemory(for: bmp.size, .bmp) { () throws(ImageError) in
    let bytes: [UInt8]
    switch bmp.compression {
    case .jpeg, .png: throw .undecodable(.bmp, "it holds another format, for printers")
    case .runs4, .runs8:
      guard bmp.bitsPerPixel == (bmp.compression == .runs4 ? 4 : 8) else {
        throw .undecodable(.bmp, "its header has values that BMP does not allow")
      }
      bytes = bmp.colored(bmp.runIndexes())
    case .none, .masks, .masksWithAlpha:
      bytes = bmp.bitsPerPixel <= 8 ? bmp.colored(bmp.indexes()) : bmp.trueColors(alpha)
    }
    return PixelBuffer(width: bmp.size.width, height: bmp.size.height, bytes: bytes)
  }
}

extension BMPStructure {
  /// Returns the stored row of a row of the image.
  private func storedRow(_ row: Int) -> Int { isTopDown ? row : size.height - 1 - row }

  /// Returns the color index of each pixel.
  fileprivate func indexes() -> [UInt8] {
    var indexes: [UInt8] = []
    indexes.reserveCapacity(size.width * size.height)
    let perByte = 8 / bitsPerPixel
    let mask = UInt8(truncatingIfNeeded: (1 << bitsPerPixel) - 1)
    for row in 0..<size.height {
      let start = storedRow(row) * rowLength
      for x in 0..<size.width {
        let byte = data[start + x / perByte] ?? 0
        indexes.append(byte >> UInt8(8 - bitsPerPixel * (x % perByte + 1)) & mask)
      }
    }
    return indexes
  }

  /// Returns the color index of each pixel of run-length encoded data; 0 for those left out.
  ///
  /// Source: Microsoft, “Bitmap Compression”.
  fileprivate func runIndexes() -> [UInt8] {
    var indexes = [UInt8](repeating: 0, count: size.width * size.height)
    var (position, x, row) = (0, 0, 0)
    func put(_ index: UInt8) {
      if x < size.width, row < size.height { indexes[storedRow(row) * size.width + x] = index }
      x += 1
    }
    while let count = data[position], let value = data[position + 1], row < size.height {
      position += 2
      switch (count, value) {
      case (0, 0): (x, row) = (0, row + 1)
      case (0, 1): return indexes
      case (0, 2):
        (x, row) = (x + Int(data[position] ?? 0), row + Int(data[position + 1] ?? 0))
        position += 2
      case (0, let length):
        for index in 0..<Int(length) {
          let byte = data[position + index * bitsPerPixel / 8] ?? 0
          put(bitsPerPixel == 8 ? byte : index % 2 == 0 ? byte >> 4 : byte & 15)
        }
        // Padded to 16 bits.
        position += (Int(length) * bitsPerPixel + 15) / 16 * 2
      default:
        for index in 0..<Int(count) {
          put(bitsPerPixel == 8 ? value : index % 2 == 0 ? value >> 4 : value & 15)
        }
      }
    }
    return indexes
  }

  /// Returns the colors of indexes; black for those beyond the palette.
  fileprivate func colored(_ indexes: [UInt8]) -> [UInt8] {
    var colors = [UInt8](repeating: 0, count: 768)
    for index in 0..<(palette?.count ?? 0) / paletteStride {
      for channel in 0..<3 {
        colors[3 * index + channel] = palette?[index * paletteStride + 2 - channel] ?? 0
      }
    }
    return [UInt8](unsafeUninitializedCapacity: 3 * indexes.count) { out, count in
      for (pixel, index) in indexes.enumerated() {
        for channel in 0..<3 { out[3 * pixel + channel] = colors[3 * Int(index) + channel] }
      }
      count = 3 * indexes.count
    }
  }

  /// Returns the colors of pixels of 16, 24 or 32 bits.
  fileprivate func trueColors(_ alpha: AlphaHandling) -> [UInt8] {
    let count = size.width * size.height
    let channels = masks.map { BMPChannel(mask: $0) }
    let hasAlpha = alpha == .onWhite && channels[3].maximum > 0
    let stride = hasAlpha ? 4 : 3
    let bytesPerPixel = bitsPerPixel / 8
    let bytes = [UInt8](unsafeUninitializedCapacity: stride * count) { out, initialized in
      var target = 0
      for row in 0..<size.height {
        var source = storedRow(row) * rowLength
        for _ in 0..<size.width {
          var value = 0
          for byte in 0..<bytesPerPixel { value |= Int(data[source + byte] ?? 0) << (8 * byte) }
          for channel in 0..<stride { out[target + channel] = channels[channel].value(of: value) }
          source += bytesPerPixel
          target += stride
        }
      }
      initialized = stride * count
    }
    return hasAlpha ? onWhite(bytes) : bytes
  }
}

/// One channel of a pixel, by its bits.
private struct BMPChannel {
  private let mask: Int
  private let shift: Int
  let maximum: Int

  init(mask: Int) {
    self.mask = mask
    shift = mask == 0 ? 0 : mask.trailingZeroBitCount
    maximum = mask >> shift
  }

  func value(of pixel: Int) -> UInt8 {
    maximum == 0 ? 0 : UInt8(truncatingIfNeeded: ((pixel & mask) >> shift) * 255 / maximum)
  }
}
