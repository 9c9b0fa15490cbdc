/// A box on a photo, in fractions (0 to 1) of the width and height of the upright photo, measured
/// from its top left corner.
///
/// A box in the middle of a photo, and its width in a version of 4000 × 3000 pixels:
/// ```swift
/// let box = NormalizedRect(x: 0.25, y: 0.25, width: 0.5, height: 0.5)
/// let pixels = box.width * 4000  // 2000
/// ```
/// A value may exceed the photo.
public struct NormalizedRect: Hashable, Sendable {
  /// The left edge, as a fraction of the photo's width.
  public var x: Double
  /// The top edge, as a fraction of the photo's height.
  public var y: Double
  /// The width of the box, as a fraction of the photo's width.
  public var width: Double
  /// The height of the box, as a fraction of the photo's height.
  public var height: Double

  /// Creates a rectangle, in fractions of the image.
  public init(x: Double, y: Double, width: Double, height: Double) {
    (self.x, self.y, self.width, self.height) = (x, y, width, height)
  }

  /// How far a box may exceed the photo by rounding.
  private static let tolerance = 1e-9

  /// How far rounding on import may move an edge, or change a size, which is between two edges.
  private static let importTolerance = 1.5e-9

  /// Whether the box has an area and lies within the photo, up to rounding.
  package var isWithinPhoto: Bool {
    x >= 0 && y >= 0 && width > 0 && height > 0 && x + width <= 1 + NormalizedRect.tolerance
      && y + height <= 1 + NormalizedRect.tolerance
  }

  /// Returns the box in pixels of an upright photo of this size.
  ///
  /// Most files have pixels with at most two decimals, and imported fractions are rounded to 10⁻⁹:
  /// where two decimals are as near as that, they are the number of the file. Others have nine.
  package func pixels(width: Int, height: Int) -> PixelRect {
    func pixels(_ fraction: Double, _ size: Int) -> Double {
      let exact = fraction * Double(size)
      let short = (exact * 100).rounded() / 100
      let isNear = abs(short - exact) <= NormalizedRect.importTolerance * Double(size)
      return isNear ? short : (exact * 1e9).rounded() / 1e9
    }
    return PixelRect(
      x: pixels(x, width), y: pixels(y, height), width: pixels(self.width, width),
      height: pixels(self.height, height))
  }
}

/// A box on a photo in pixels, measured from the top left corner of the upright photo.
package struct PixelRect: Hashable, Sendable {
  package let x: Double
  package let y: Double
  package let width: Double
  package let height: Double

  package init(x: Double, y: Double, width: Double, height: Double) {
    (self.x, self.y, self.width, self.height) = (x, y, width, height)
  }
}
