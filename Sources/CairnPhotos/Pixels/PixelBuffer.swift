/// The pixels of an image: red, green and blue, one byte each, row by row from the top left corner.
public struct PixelBuffer: Equatable, Sendable {
  public let width: Int
  public let height: Int
  /// 3 × width × height.
  public let bytes: [UInt8]

  /// - Precondition: `bytes` has 3 bytes per pixel.
  public init(width: Int, height: Int, bytes: [UInt8]) {
    precondition(bytes.count == 3 * width * height)
    (self.width, self.height, self.bytes) = (width, height, bytes)
  }

  /// Returns the upright image of stored pixels.
  ///
  /// Source: Exif 2.32 section 4.6.4, tag 0x0112.
  /// - Parameter orientation: 1 to 8; all other values are treated as 1.
  package func upright(from orientation: Int) -> PixelBuffer {
    guard 2...8 ~= orientation else { return self }
    let isTransposed = orientation >= 5
    let (newWidth, newHeight) = isTransposed ? (height, width) : (width, height)
    // The steps in the stored pixels for one pixel to the right and one down.
    let (right, down) = (3, 3 * width)
    let (lastColumn, lastRow) = (right * (width - 1), down * (height - 1))
    let (start, across, along) =
      switch orientation {
      case 2: (lastColumn, -right, down)
      case 3: (lastColumn + lastRow, -right, -down)
      case 4: (lastRow, right, -down)
      case 5: (0, down, right)
      case 6: (lastRow, -down, right)
      case 7: (lastColumn + lastRow, -down, -right)
      default: (lastColumn, down, -right)
      }
    let turned = [UInt8](unsafeUninitializedCapacity: bytes.count) { out, count in
      bytes.withUnsafeBufferPointer { stored in
        var target = 0
        for y in 0..<newHeight {
          var source = start + y * along
          for _ in 0..<newWidth {
            out[target] = stored[source]
            out[target + 1] = stored[source + 1]
            out[target + 2] = stored[source + 2]
            source += across
            target += 3
          }
        }
      }
      count = bytes.count
    }
    return PixelBuffer(width: newWidth, height: newHeight, bytes: turned)
  }

  /// Returns the size at which an image of `width` × `height` fits a square of `side`, at least 1 ×
  /// 1; its own size if it already fits.
  static func size(
    of width: Int, _ height: Int, fitting side: Int
  ) -> (width: Int, height: Int) {
    let longest = max(width, height)
    guard longest > side else { return (width, height) }
    func scaled(_ length: Int) -> Int {
      max(1, (2 * length * side + longest) / (2 * longest))
    }
    return (scaled(width), scaled(height))
  }
}
