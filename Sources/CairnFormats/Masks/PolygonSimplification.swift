internal import CairnBase

extension [Polygon] {
  /// Returns the polygons with at most `limit` points: points are left out that are the closest to
  /// the line between their neighbors that stay. Nil if there are too many rings for that.
  ///
  /// - Parameter tolerance: The first distance from the outline that a point may be left out at; it
  ///   is doubled as long as there are too many points.
  func simplified(to limit: Int, tolerance: Double) -> [Polygon]? {
    var (simple, tolerance) = (self, tolerance)
    var rounds = 0
    while simple.pointCount > limit {
      rounds += 1
      // A ring keeps three points.
      guard rounds <= 40, simple.reduce(0, { $0 + 3 * $1.rings.count }) <= limit else {
        return nil
      }
      simple = map { polygon in
        Polygon(
          outer: polygon.outer.simplified(tolerance),
          holes: polygon.holes.map { $0.simplified(tolerance) })
      }
      tolerance *= 2
    }
    return simple
  }
}

extension [Polygon.Point] {
  /// Returns the ring without the points that are closer than `tolerance` to the rest of it.
  ///
  /// Source: Douglas and Peucker, “Algorithms for the reduction of the number of points required to
  /// represent a digitized line”, 1973; here from the two points that are the farthest apart along
  /// the first one.
  fileprivate func simplified(_ tolerance: Double) -> [Polygon.Point] {
    guard count > 3, let first else { return self }
    func squaredDistance(_ a: Polygon.Point, _ b: Polygon.Point) -> Double {
      (a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y)
    }
    let far = indices.max { squaredDistance(first, self[$0]) < squaredDistance(first, self[$1]) }
    guard let far, far > 0 else { return self }
    let closed = self + [first]
    var isKept = [Bool](repeating: false, count: closed.count)
    (isKept[0], isKept[far]) = (true, true)
    var parts = [(0, far), (far, count)]
    var best = (index: far == 1 ? 2 : 1, distance: -1.0)
    while let (start, end) = parts.popLast() {
      guard end - start > 1 else { continue }
      var worst = (index: start, distance: -1.0)
      for index in start + 1..<end {
        let distance = closed[index].distance(toLine: closed[start], closed[end])
        if distance > worst.distance { worst = (index, distance) }
      }
      if worst.distance > best.distance { best = worst }
      if worst.distance > tolerance {
        isKept[worst.index] = true
        parts += [(start, worst.index), (worst.index, end)]
      }
    }
    // Two points are no ring.
    isKept[best.index] = true
    return indices.filter { isKept[$0] }.map { self[$0] }
  }
}

extension Polygon.Point {
  /// Returns the distance to the line between two points, or to the first if they are one.
  fileprivate func distance(toLine a: Polygon.Point, _ b: Polygon.Point) -> Double {
    let (dx, dy) = (b.x - a.x, b.y - a.y)
    let length = (dx * dx + dy * dy).squareRoot()
    if length == 0 { return ((x - a.x) * (x - a.x) + (y - a.y) * (y - a.y)).squareRoot() }
    return abs(dx * (y - a.y) - dy * (x - a.x)) / length
  }
}
