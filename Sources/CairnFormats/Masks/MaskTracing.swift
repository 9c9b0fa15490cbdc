internal import CairnBase

extension [Polygon] {
  /// Returns the outline of a mask, in pixels, along the borders of its pixels: filling it gives
  /// exactly the mask again.
  ///
  /// Pixels that touch only at a corner belong to different parts. Takes time and memory in
  /// proportion to the runs of the mask, not to its area.
  /// - Parameter columns: The foreground of each column: sorted ranges of rows that do not touch.
  init(tracing columns: [[Range<Int>]]) {
    var tracer = MaskTracer(columns)
    self = tracer.polygons()
  }

  /// Returns the outline of a mask, as ``init(tracing:)``, from the foreground of each row.
  init(tracingRows rows: [[Range<Int>]]) {
    // Rows are traced as columns, so that x and y change places.
    self = [Polygon](tracing: rows).map { polygon in
      polygon.mapped { Polygon.Point(x: $0.y, y: $0.x) }
    }
  }
}

/// Follows the borders between the pixels of a mask.
private struct MaskTracer {
  /// A corner of pixels.
  private struct Corner: Hashable {
    var x: Int
    var y: Int
  }

  /// A border with the foreground on its right, as seen when walking it; y grows downward, so outer
  /// rings run clockwise and holes counterclockwise.
  private struct Edge {
    let from: Corner
    let to: Corner
    var isUsed = false

    var step: Corner {
      Corner(x: (to.x - from.x).signum(), y: (to.y - from.y).signum())
    }
  }

  private var edges: [Edge] = []
  /// The edges that begin at a corner: one, or two where pixels touch only at the corner.
  private var outgoing: [Corner: (Int, Int?)] = [:]

  init(_ columns: [[Range<Int>]]) {
    for x in 0...columns.count {
      let left = x > 0 ? columns[x - 1] : []
      let right = x < columns.count ? columns[x] : []
      for rows in right {
        add(Corner(x: x, y: rows.lowerBound), Corner(x: x + 1, y: rows.lowerBound))
        add(Corner(x: x + 1, y: rows.upperBound), Corner(x: x, y: rows.upperBound))
      }
      for rows in left.subtracting(right) {
        add(Corner(x: x, y: rows.lowerBound), Corner(x: x, y: rows.upperBound))
      }
      for rows in right.subtracting(left) {
        add(Corner(x: x, y: rows.upperBound), Corner(x: x, y: rows.lowerBound))
      }
    }
  }

  private mutating func add(_ from: Corner, _ to: Corner) {
    if let first = outgoing[from]?.0 {
      outgoing[from] = (first, edges.count)
    } else {
      outgoing[from] = (edges.count, nil)
    }
    edges.append(Edge(from: from, to: to))
  }

  mutating func polygons() -> [Polygon] {
    var outers: [(ring: [Polygon.Point], area: Double)] = []
    var holes: [(ring: [Polygon.Point], inside: Polygon.Point)] = []
    for index in edges.indices where !edges[index].isUsed {
      let ring = ring(from: index)
      let area = Polygon.doubleArea(ring)
      if area > 0 {
        outers.append((ring, area))
      } else {
        holes.append((ring, pixel(at: edges[index])))
      }
    }
    var polygons = outers.map { Polygon(outer: $0.ring) }
    for hole in holes {
      // The smallest ring around the pixel next to the hole is the one that the hole is in.
      let around = outers.indices.filter { outers[$0].ring.contains(hole.inside) }
      if let owner = around.min(by: { outers[$0].area < outers[$1].area }) {
        polygons[owner].holes.append(hole.ring)
      }
    }
    return polygons
  }

  /// Returns the corners of the ring that an edge belongs to, without those on straight lines.
  private mutating func ring(from start: Int) -> [Polygon.Point] {
    var ring: [Polygon.Point] = []
    var index = start
    repeat {
      edges[index].isUsed = true
      let next = next(after: edges[index])
      if edges[next].step != edges[index].step {
        let corner = edges[index].to
        ring.append(Polygon.Point(x: Double(corner.x), y: Double(corner.y)))
      }
      index = next
    } while index != start
    return ring
  }

  /// Returns the edge that continues another one; turns right where there are two.
  private func next(after edge: Edge) -> Int {
    guard let (first, second) = outgoing[edge.to] else { preconditionFailure("an open border") }
    guard let second else { return first }
    let rightTurn = Corner(x: -edge.step.y, y: edge.step.x)
    return edges[first].step == rightTurn ? first : second
  }

  /// Returns the middle of the foreground pixel beside the beginning of an edge.
  private func pixel(at edge: Edge) -> Polygon.Point {
    let (step, from) = (edge.step, edge.from)
    return Polygon.Point(
      x: Double(from.x) + 0.5 * Double(step.x - step.y),
      y: Double(from.y) + 0.5 * Double(step.y + step.x))
  }
}

extension [Polygon.Point] {
  /// Returns whether a point, which is on no edge, is inside the ring.
  fileprivate func contains(_ point: Polygon.Point) -> Bool {
    guard var last else { return false }
    var isInside = false
    for corner in self {
      if (last.y > point.y) != (corner.y > point.y) {
        let share = (point.y - last.y) / (corner.y - last.y)
        if point.x < last.x + share * (corner.x - last.x) { isInside.toggle() }
      }
      last = corner
    }
    return isInside
  }
}

extension [Range<Int>] {
  /// Returns what is in these ranges and not in the others; both are sorted and do not touch.
  fileprivate func subtracting(_ others: [Range<Int>]) -> [Range<Int>] {
    var result: [Range<Int>] = []
    var first = 0
    for range in self {
      var start = range.lowerBound
      while first < others.count, others[first].upperBound <= start { first += 1 }
      var index = first
      while index < others.count, others[index].lowerBound < range.upperBound {
        let other = others[index]
        if other.lowerBound > start { result.append(start..<other.lowerBound) }
        start = Swift.max(start, other.upperBound)
        index += 1
      }
      if start < range.upperBound { result.append(start..<range.upperBound) }
    }
    return result
  }
}
