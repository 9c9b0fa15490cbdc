/// A polygon, perhaps with holes: one part of the outline of an object on a photo.
///
/// In a document, its points are in fractions (0 to 1) of the width and height of the upright photo,
/// measured from its top left corner. A mask of several parts is a list of polygons.
///
/// A triangle in the upper left half of a photo:
/// ```swift
/// let triangle = Polygon(outer: [(0, 0), (1, 0), (0, 1)].map { Polygon.Point(x: $0, y: $1) })
/// let share = [triangle].area  // 0.5
/// ```
public struct Polygon: Hashable, Sendable {
  /// A vertex.
  public struct Point: Hashable, Sendable {
    /// The distance from the left edge.
    public var x: Double
    /// The distance from the top edge.
    public var y: Double

    /// Creates a point.
    public init(x: Double, y: Double) { (self.x, self.y) = (x, y) }
  }

  /// The outer ring. The last point is joined to the first, which is not repeated.
  public var outer: [Point]
  /// The rings that are cut out of the outer one.
  public var holes: [[Point]]

  /// Creates a polygon.
  public init(outer: [Point], holes: [[Point]] = []) { (self.outer, self.holes) = (outer, holes) }

  /// The outer ring, then the holes.
  package var rings: [[Point]] { [outer] + holes }
}

extension Polygon {
  /// Returns the polygon with each point replaced by `move(point)`.
  package func mapped(_ move: (Point) -> Point) -> Polygon {
    Polygon(outer: outer.map(move), holes: holes.map { $0.map(move) })
  }

  /// Returns twice the area of a ring: positive if it runs clockwise on the screen, where y grows
  /// downward.
  package static func doubleArea(_ ring: [Point]) -> Double {
    guard var last = ring.last else { return 0 }
    var sum = 0.0
    for point in ring {
      sum += last.x * point.y - point.x * last.y
      last = point
    }
    return sum
  }
}

extension [Polygon] {
  /// The smallest box around all points; nil if there are none.
  package var bounds: NormalizedRect? {
    guard let first = first?.outer.first else { return nil }
    var (left, top, right, bottom) = (first.x, first.y, first.x, first.y)
    for point in lazy.flatMap(\.outer) {
      (left, right) = (Swift.min(left, point.x), Swift.max(right, point.x))
      (top, bottom) = (Swift.min(top, point.y), Swift.max(bottom, point.y))
    }
    return NormalizedRect(x: left, y: top, width: right - left, height: bottom - top)
  }

  /// The number of points in all rings.
  public var pointCount: Int { reduce(0) { $0 + $1.rings.reduce(0) { $0 + $1.count } } }

  /// The area without the holes, in units of the square that the points are fractions of. Parts that
  /// overlap count twice.
  public var area: Double {
    reduce(0.0) { sum, polygon in
      let holes = polygon.holes.reduce(0.0) { $0 + abs(Polygon.doubleArea($1)) }
      return sum + Swift.max(0, abs(Polygon.doubleArea(polygon.outer)) - holes) / 2
    }
  }

  /// Returns the polygons moved and scaled as one box is to become another.
  package func mapped(from old: NormalizedRect, to new: NormalizedRect) -> [Polygon] {
    map { polygon in
      polygon.mapped { point in
        Polygon.Point(
          x: new.x + (point.x - old.x) / old.width * new.width,
          y: new.y + (point.y - old.y) / old.height * new.height)
      }
    }
  }
}
