package import CairnBase
package import CairnDocument

/// A box in an imported file, from the top left corner.
package enum ImportedBox: Equatable, Sendable {
  /// In fractions of the upright image, or of the image size given in the file; it may exceed the
  /// image.
  case fractions(NormalizedRect)
  /// In pixels of the image size given in the file, otherwise of the image's own.
  case pixels(x: Double, y: Double, width: Double, height: Double)
}

/// The size of an image, in pixels.
package struct PixelExtent: Equatable, Sendable, CustomStringConvertible {
  package let width: Double
  package let height: Double

  /// Creates a size that a file gives; nil unless it is plausible.
  package init?(width: Double?, height: Double?) {
    guard let width, let height, 1...1e6 ~= width, 1...1e6 ~= height else { return nil }
    (self.width, self.height) = (width, height)
  }

  /// Creates the size of an image itself, which may have any number of pixels.
  fileprivate init(actual width: Int, _ height: Int) {
    (self.width, self.height) = (Double(width), Double(height))
  }

  package var description: String { "\(JSONNumber(width).text) × \(JSONNumber(height).text)" }

  /// Returns whether both sizes have the same aspect ratio: within one percent, or within rounding
  /// to whole pixels.
  func isSimilar(to other: PixelExtent) -> Bool {
    let height = self.width * other.height / other.width
    return abs(height - self.height) <= max(1, 0.01 * self.height)
  }
}

/// The image size that the boxes of an imported file refer to: the upright image, or the stored
/// pixels if the program ignored the orientation.
package struct ImageSize: Equatable, Sendable {
  /// The size of the image that the boxes were drawn on.
  package let extent: PixelExtent
  /// The EXIF orientation, for boxes on the stored pixels; otherwise 1.
  package let orientation: Int
  /// Whether the size given in the file differs from the actual one.
  package let isScaled: Bool

  /// Creates the size of an image for which the file gives none.
  package init(of image: ImageFacts) {
    (extent, orientation, isScaled) = (ImageSize.upright(image), 1, false)
  }

  /// Creates the size from the one given in a file; nil when that cannot belong to this image.
  package init?(_ given: PixelExtent, of image: ImageFacts) {
    let upright = ImageSize.upright(image)
    let stored = PixelExtent(actual: image.width, image.height)
    extent = given
    if given.isSimilar(to: upright) {
      (orientation, isScaled) = (1, given != upright)
    } else if image.isTransposed, given.isSimilar(to: stored) {
      (orientation, isScaled) = (image.orientation ?? 1, given != stored)
    } else {
      return nil
    }
  }

  private static func upright(_ image: ImageFacts) -> PixelExtent {
    image.isTransposed
      ? PixelExtent(actual: image.height, image.width)
      : PixelExtent(actual: image.width, image.height)
  }

  /// The distance by which a box may exceed its image, to allow for rounding.
  private static let tolerance = 0.01

  /// Returns a box in fractions of the upright image, clipped to it; nil when its area is zero, or
  /// it exceeds the image by more than the tolerance.
  package func fractions(of box: ImportedBox) -> NormalizedRect? {
    let corners: (left: Double, top: Double, right: Double, bottom: Double)
    switch box {
    case .fractions(let box):
      corners = (box.x, box.y, box.x + box.width, box.y + box.height)
    case .pixels(let x, let y, let width, let height):
      corners = (
        x / extent.width, y / extent.height, (x + width) / extent.width,
        (y + height) / extent.height
      )
    }
    let (left, top, right, bottom) = upright(corners)
    let limits = -ImageSize.tolerance...1 + ImageSize.tolerance
    guard [left, top, right, bottom].allSatisfy({ limits ~= $0 }) else { return nil }
    // Rounding removes the noise of dividing pixels. Edges rather than sizes are clipped, so that
    // the far edges do not move.
    func rounded(_ value: Double) -> Double { (min(max(value, 0), 1) * 1e9).rounded() / 1e9 }
    let (x, y) = (rounded(left), rounded(top))
    let (width, height) = (rounded(right) - x, rounded(bottom) - y)
    guard width > 0, height > 0 else { return nil }
    return NormalizedRect(x: x, y: y, width: width, height: height)
  }

  /// Returns a point of an outline in fractions of the upright image.
  func fraction(of point: Polygon.Point, _ unit: ImportedOutline.Unit) -> Polygon.Point {
    var (x, y) = (point.x, point.y)
    if unit == .pixels { (x, y) = (x / extent.width, y / extent.height) }
    let (left, top, _, _) = upright((x, y, x, y))
    return Polygon.Point(x: left, y: top)
  }

  /// Returns whether a point in fractions is within the image, up to the tolerance.
  func isWithinImage(_ point: Polygon.Point) -> Bool {
    let limits = -ImageSize.tolerance...1 + ImageSize.tolerance
    return limits ~= point.x && limits ~= point.y
  }

  /// Source: Exif 2.32 section 4.6.4, tag 0x0112.
  private func upright(
    _ box: (left: Double, top: Double, right: Double, bottom: Double)
  ) -> (Double, Double, Double, Double) {
    switch orientation {
    case 5: (box.top, box.left, box.bottom, box.right)
    case 6: (1 - box.bottom, box.left, 1 - box.top, box.right)
    case 7: (1 - box.bottom, 1 - box.right, 1 - box.top, 1 - box.left)
    case 8: (box.top, 1 - box.right, box.bottom, 1 - box.left)
    default: (box.left, box.top, box.right, box.bottom)
    }
  }
}
