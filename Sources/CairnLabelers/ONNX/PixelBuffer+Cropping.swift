package import CairnPhotos

/// Decodes an image, upright; its errors are reported for the photo.
package typealias PixelReader = @Sendable (LabelerImage) throws -> PixelBuffer

extension PixelBuffer {
  /// Returns a rectangle of the image.
  package func cropped(x: Int, y: Int, width: Int, height: Int) -> PixelBuffer {
    if x == 0, y == 0, width == self.width, height == self.height { return self }
    var pixels: [UInt8] = []
    pixels.reserveCapacity(width * height * 3)
    for row in y..<y + height {
      let start = (row * self.width + x) * 3
      pixels += bytes[start..<start + width * 3]
    }
    return PixelBuffer(width: width, height: height, bytes: pixels)
  }
}
