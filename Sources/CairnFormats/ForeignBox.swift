public import CairnDocument

/// A box as a foreign file has it, from the top left corner.
public enum ForeignBox: Equatable, Sendable {
  case fractions(x: Double, y: Double, width: Double, height: Double)
  /// Of the size that the file gives the image, else of the image's own.
  case pixels(x: Double, y: Double, width: Double, height: Double)
}

/// The size of an image, in pixels.
public struct PixelExtent: Equatable, Sendable, CustomStringConvertible {
  public let width: Double
  public let height: Double

  /// Makes a size; nil unless an image can have it.
  public init?(width: Double?, height: Double?) {
    guard let width, let height, 1...1e6 ~= width, 1...1e6 ~= height else { return nil }
    (self.width, self.height) = (width, height)
  }

  public var description: String { "\(JSONNumber(width).text) × \(JSONNumber(height).text)" }

  /// Whether an image of the other size would look the same, but for its scale: within a hundredth, or
  /// what rounding to whole pixels makes.
  func isSimilar(to other: PixelExtent) -> Bool {
    let height = self.width * other.height / other.width
    return abs(height - self.height) <= max(1, 0.01 * self.height)
  }
}

/// How the boxes of a foreign file lie on an image: on the upright one, or on the pixels as they are
/// stored, where a program took no notice of the orientation.
public struct ForeignFrame: Equatable, Sendable {
  /// Of the image that the boxes were drawn on.
  public let extent: PixelExtent
  /// As EXIF has it, for boxes on the stored pixels; 1 else.
  public let orientation: Int
  /// Whether the file has the image in another size than it has.
  public let isScaled: Bool

  /// Makes the frame of an image whose size a file gives, or does not; nil when the image cannot be
  /// the one that the file means.
  public init?(_ given: PixelExtent?, of image: ImageFacts) {
    let stored = PixelExtent(width: Double(image.width), height: Double(image.height))
    let turned = PixelExtent(width: Double(image.height), height: Double(image.width))
    guard let stored, let turned else { return nil }
    let upright = image.isOnItsSide ? turned : stored
    guard let given else {
      (extent, orientation, isScaled) = (upright, 1, false)
      return
    }
    extent = given
    if given.isSimilar(to: upright) {
      (orientation, isScaled) = (1, given != upright)
    } else if image.isOnItsSide, given.isSimilar(to: stored) {
      (orientation, isScaled) = (image.orientation ?? 1, given != stored)
    } else {
      return nil
    }
  }

  /// How far a box may lie outside of its image, as rounding leaves it.
  private static let tolerance = 0.01

  public typealias Fractions = (x: Double, y: Double, width: Double, height: Double)

  /// Returns a box in fractions of the upright image, cut to it; nil when it has no area there.
  public func fractions(of box: ForeignBox) -> Fractions? {
    let corners: (left: Double, top: Double, right: Double, bottom: Double)
    switch box {
    case .fractions(let x, let y, let width, let height):
      corners = (x, y, x + width, y + height)
    case .pixels(let x, let y, let width, let height):
      corners = (
        x / extent.width, y / extent.height, (x + width) / extent.width,
        (y + height) / extent.height
      )
    }
    let (left, top, right, bottom) = upright(corners)
    let limits = -ForeignFrame.tolerance...1 + ForeignFrame.tolerance
    guard [left, top, right, bottom].allSatisfy({ limits ~= $0 }) else { return nil }
    // What was written in pixels comes back with the noise of a division. Edges are cut, so that the far
    // ones stay where they are.
    func rounded(_ value: Double) -> Double { (min(max(value, 0), 1) * 1e9).rounded() / 1e9 }
    let (x, y) = (rounded(left), rounded(top))
    let (width, height) = (rounded(right) - x, rounded(bottom) - y)
    return width > 0 && height > 0 ? (x, y, width, height) : nil
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
