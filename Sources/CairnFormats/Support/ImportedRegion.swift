internal import CairnBase
internal import CairnDocument
internal import LibC

/// The region of a label in an imported file.
enum ImportedRegion {
  case box(ImportedBox)
  case outline(ImportedOutline)
}

extension ImportedLabel {
  /// Creates a label of a region, or of the whole photo.
  init(_ className: String, _ region: ImportedRegion?) {
    self.init(className)
    switch region {
    case .box(let box)?: self.box = box
    case .outline(let outline)?: self.outline = outline
    case nil: break
    }
  }
}

extension ImportedRegion {
  /// A polygon in pixels; nil unless it has three points.
  static func polygon(_ outer: [Polygon.Point], holes: [[Polygon.Point]] = []) -> ImportedRegion? {
    if outer.count < 3 { return nil }
    return .outline(ImportedOutline([Polygon(outer: outer, holes: holes)], in: .pixels))
  }

  /// A box in pixels that is rotated clockwise about its center.
  static func rotated(
    _ left: Double, _ top: Double, _ right: Double, _ bottom: Double, degrees: Double
  ) -> ImportedRegion {
    let center = Polygon.Point(x: (left + right) / 2, y: (top + bottom) / 2)
    let corners = [(left, top), (right, top), (right, bottom), (left, bottom)].map {
      Polygon.Point(x: $0, y: $1)
    }
    return .outline(
      ImportedOutline(
        [Polygon(outer: corners.map { $0.rotated(about: center, degrees: degrees) })], in: .pixels))
  }
}

extension Polygon.Point {
  /// Returns the point rotated clockwise, as seen on the screen.
  func rotated(about center: Polygon.Point, degrees: Double) -> Polygon.Point {
    let (sine, cosine) = (sin(degrees * .pi / 180), cos(degrees * .pi / 180))
    let (across, down) = (x - center.x, y - center.y)
    return Polygon.Point(
      x: center.x + across * cosine - down * sine, y: center.y + across * sine + down * cosine)
  }
}

extension ImportReader {
  /// The number of points of an ellipse's outline.
  private static let ellipsePoints = 64

  /// Returns the outline of an ellipse in pixels, and counts that its form is not exact.
  ///
  /// - Parameters:
  ///   - kind: The plural of the shape's name: `circles`.
  ///   - degrees: The rotation about the center, clockwise.
  func ellipse(
    _ center: Polygon.Point, _ across: Double, _ down: Double, degrees: Double = 0, kind: String
  ) -> ImportedRegion {
    ignore(
      "the exact form of \(kind): they become polygons of \(ImportReader.ellipsePoints) points")
    let points = (0..<ImportReader.ellipsePoints).map { index in
      let angle = 2 * Double.pi * Double(index) / Double(ImportReader.ellipsePoints)
      return Polygon.Point(x: center.x + across * cos(angle), y: center.y + down * sin(angle))
        .rotated(about: center, degrees: degrees)
    }
    return .outline(ImportedOutline([Polygon(outer: points)], in: .pixels))
  }

  /// Returns the box around points in pixels that enclose no area, such as those of a line, and
  /// counts that their form is not kept; nil when the box has no area.
  ///
  /// - Parameter kind: The plural of the shape's name: `polylines`.
  func box(around points: [Polygon.Point], kind: String) -> ImportedRegion? {
    guard let box = [Polygon(outer: points)].bounds, box.width > 0, box.height > 0 else {
      return nil
    }
    ignore("the exact form of \(kind): their bounding boxes are imported")
    return .box(.pixels(x: box.x, y: box.y, width: box.width, height: box.height))
  }
}

extension JSON {
  /// The points of a list of pairs, `[[x, y], …]`; nil if it is not one.
  var pairs: [Polygon.Point]? {
    guard let array else { return nil }
    let points = array.compactMap { pair -> Polygon.Point? in
      guard let pair = pair.array, pair.count == 2, let x = pair[0].number, let y = pair[1].number
      else { return nil }
      return Polygon.Point(x: x, y: y)
    }
    return points.count == array.count ? points : nil
  }
}
