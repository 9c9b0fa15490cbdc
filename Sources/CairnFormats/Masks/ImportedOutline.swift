package import CairnBase
internal import CairnDocument

/// The outline of an object in an imported file.
package struct ImportedOutline: Equatable, Sendable {
  package enum Unit: Sendable {
    /// Fractions of the upright image, or of the image size given in the file.
    case fractions
    /// Pixels of the image size given in the file, otherwise of the image's own.
    case pixels
  }

  package var polygons: [Polygon]
  package var unit: Unit

  package init(_ polygons: [Polygon], in unit: Unit) {
    (self.polygons, self.unit) = (polygons, unit)
  }

  /// Creates the outline of a mask, in fractions of the size of the mask.
  init(_ mask: RunLengthMask) {
    let (width, height) = (Double(mask.width), Double(mask.height))
    let outline = [Polygon](tracing: mask.columns)
    self.init(
      outline.map { polygon in
        polygon.mapped { Polygon.Point(x: $0.x / width, y: $0.y / height) }
      }, in: .fractions)
  }

  /// The result of fitting an outline to an image.
  package enum Fit: Equatable {
    case polygons([Polygon], isSimplified: Bool)
    /// A reason why it cannot be a region, such as “the outline has no area”.
    case invalid(String)
  }

  /// The maximum number of points before simplification, whose time grows with their square.
  private static let pointLimit = 100_000

  /// Returns the polygons as a region has them: in fractions of the upright image, clipped to it,
  /// rounded, without repeated points, and simplified if there are too many points.
  package func fitted(to size: ImageSize) -> Fit {
    guard polygons.pointCount <= ImportedOutline.pointLimit else {
      return .invalid("the outline has more than \(ImportedOutline.pointLimit) points")
    }
    let upright = polygons.map { $0.mapped { size.fraction(of: $0, unit) } }
    let isWithin = upright.lazy.flatMap(\.rings).allSatisfy { $0.allSatisfy(size.isWithinImage) }
    guard isWithin else { return .invalid("the outline is not within the image") }
    var clean = upright.compactMap { polygon -> Polygon? in
      let outer = ImportedOutline.clean(polygon.outer)
      let holes = polygon.holes.map(ImportedOutline.clean).filter { $0.count >= 3 }
      return outer.count < 3 ? nil : Polygon(outer: outer, holes: holes)
    }
    let isSimplified = clean.pointCount > DocumentLimit.polygonPoints
    if isSimplified {
      let half = 0.5 / max(size.extent.width, size.extent.height)
      guard let simple = clean.simplified(to: DocumentLimit.polygonPoints, tolerance: half) else {
        return .invalid("the outline has too many parts")
      }
      clean = simple
    }
    guard let box = clean.bounds, box.width > 0, box.height > 0 else {
      return .invalid("the outline has no area")
    }
    return .polygons(clean, isSimplified: isSimplified)
  }

  /// Returns a ring clipped to the image and rounded, without points that repeat the one before.
  private static func clean(_ ring: [Polygon.Point]) -> [Polygon.Point] {
    var clean: [Polygon.Point] = []
    for point in ring {
      let clipped = Polygon.Point(x: min(max(point.x, 0), 1), y: min(max(point.y, 0), 1))
      let rounded = Region.rounded(clipped)
      if clean.last != rounded { clean.append(rounded) }
    }
    while clean.count > 1, clean.first == clean.last { clean.removeLast() }
    return clean
  }
}
