/// Places vectors on a plane so that similar ones are near each other.
///
/// It begins with the two principal axes. Then each vector is pulled to its nearest neighbors and
/// pushed from others that are picked at random, as in UMAP, with the kernel 1 / (1 + d²). If there are
/// many vectors, this places only evenly spaced ones of them, and each of the others goes between its
/// nearest of those. The same vectors give the same positions on every machine.
///
/// Source: L. McInnes, J. Healy and J. Melville, “UMAP: Uniform Manifold Approximation and Projection
/// for Dimension Reduction”, 2018, section 3.2; a and b are 1.
package enum NeighborLayout {
  /// A position, from 0 to 1 in both directions.
  package typealias Position = (x: Float, y: Float)

  /// The number of vectors that are placed by their neighbors, at most.
  package static let landmarkLimit = 5_000
  private static let neighborCount = 15
  /// The number of landmarks that an other vector is placed between.
  private static let anchorCount = 3
  private static let roundCount = 300
  private static let repulsionCount = 5
  private static let largestStep = 4.0
  /// The size of the plane at the beginning.
  private static let extent = 10.0

  /// Returns the positions of vectors of equal length, in their order.
  ///
  /// - Parameters:
  ///   - landmarks: The number of vectors that are placed by their neighbors, at most; at least one.
  ///   - progress: Called with the number of steps that are done, and of all.
  package static func positions(
    of vectors: [[Float]], landmarks limit: Int = landmarkLimit,
    checkCancellation: () throws -> Void = {},
    progress: (_ done: Int, _ total: Int) -> Void = { _, _ in }
  ) throws -> [Position] {
    guard vectors.count > 1 else { return vectors.map { _ in (0.5, 0.5) } }
    let count = min(vectors.count, limit)
    let landmarks = (0..<count).map { vectors[$0 * vectors.count / count] }
    let search = NeighborSearch(landmarks)
    var neighbors: [[NeighborSearch.Neighbor]] = []
    for start in stride(from: 0, to: count, by: NeighborSearch.blockSize) {
      try checkCancellation()
      neighbors += search.nearest(
        to: landmarks[start..<min(count, start + NeighborSearch.blockSize)],
        limit: neighborCount, first: start)
    }
    var plane = Plane(principalPlane(of: landmarks))
    let edges = edges(neighbors.map { $0.map(\.number) })
    for round in 0..<roundCount {
      try checkCancellation()
      progress(round, roundCount)
      plane.arrange(edges, step: 1 - Double(round) / Double(roundCount))
    }
    let placed = plane.positions
    if count == vectors.count { return placed }
    var positions: [Position] = []
    positions.reserveCapacity(vectors.count)
    for start in stride(from: 0, to: vectors.count, by: NeighborSearch.blockSize) {
      try checkCancellation()
      progress(start, vectors.count)
      let block = vectors[start..<min(vectors.count, start + NeighborSearch.blockSize)]
      positions += search.nearest(to: block, limit: anchorCount).map { between($0, placed) }
    }
    return positions
  }

  /// Returns the mean of the positions of landmarks, the nearer the heavier; that of a landmark at the
  /// same place is its own.
  private static func between(
    _ anchors: [NeighborSearch.Neighbor], _ placed: [Position]
  ) -> Position {
    let least = anchors[0].squaredDistance
    if least <= 0 { return placed[anchors[0].number] }
    var (x, y, sum): (Float, Float, Float) = (0, 0, 0)
    for anchor in anchors {
      let weight = least / anchor.squaredDistance
      x += weight * placed[anchor.number].x
      y += weight * placed[anchor.number].y
      sum += weight
    }
    return (x / sum, y / sum)
  }

  /// Two vectors of which one is a near neighbor of the other.
  fileprivate struct Edge {
    let first: Int
    let second: Int
    /// 1 if each is a neighbor of the other, otherwise one half.
    let weight: Double
  }

  private static func edges(_ neighbors: [[Int]]) -> [Edge] {
    var edges: [Edge] = []
    for (first, others) in neighbors.enumerated() {
      for second in others {
        let isMutual = neighbors[second].contains(first)
        if isMutual, second < first { continue }
        edges.append(Edge(first: first, second: second, weight: isMutual ? 1 : 0.5))
      }
    }
    return edges
  }

  // MARK: Principal axes

  /// Returns the coordinates of vectors on their two principal axes.
  private static func principalPlane(of vectors: [[Float]]) -> [(x: Double, y: Double)] {
    let length = vectors[0].count
    var mean = [Double](repeating: 0, count: length)
    for vector in vectors { for index in 0..<length { mean[index] += Double(vector[index]) } }
    for index in 0..<length { mean[index] /= Double(vectors.count) }
    var covariance = [Double](repeating: 0, count: length * length)
    var row = [Double](repeating: 0, count: length)
    for vector in vectors {
      for index in 0..<length { row[index] = Double(vector[index]) - mean[index] }
      for i in 0..<length { for j in 0..<length { covariance[i * length + j] += row[i] * row[j] } }
    }
    let first = principalAxis(&covariance, length)
    let second = principalAxis(&covariance, length)
    return vectors.map { vector in
      var point = (x: 0.0, y: 0.0)
      for index in 0..<length {
        let value = Double(vector[index]) - mean[index]
        point.x += value * first[index]
        point.y += value * second[index]
      }
      return point
    }
  }

  /// Returns the axis with the greatest variance, by repeated multiplication, and removes it from the
  /// covariance; zero if there is no variance.
  private static func principalAxis(_ covariance: inout [Double], _ length: Int) -> [Double] {
    var random = SplitMix64()
    var axis = (0..<length).map { _ in Double(random.nextUnit()) }
    var variance = 0.0
    for _ in 0..<100 {
      var next = [Double](repeating: 0, count: length)
      for i in 0..<length {
        for j in 0..<length { next[i] += covariance[i * length + j] * axis[j] }
      }
      variance = next.reduce(0) { $0 + $1 * $1 }.squareRoot()
      guard variance > 0 else { return [Double](repeating: 0, count: length) }
      axis = next.map { $0 / variance }
    }
    for i in 0..<length {
      for j in 0..<length { covariance[i * length + j] -= variance * axis[i] * axis[j] }
    }
    return axis
  }

  // MARK: Arranging

  private static func limited(_ value: Double) -> Double {
    min(max(value, -largestStep), largestStep)
  }

  /// The positions while they are being arranged.
  private struct Plane {
    private var x: [Double]
    private var y: [Double]
    private var random = SplitMix64()

    init(_ points: [(x: Double, y: Double)]) {
      let greatest = points.reduce(0) { max($0, $1.x.magnitude, $1.y.magnitude) }
      let scale = greatest > 0 ? NeighborLayout.extent / greatest : 0
      (x, y) = ([], [])
      for point in points {
        // Equal vectors must be able to part.
        x.append(point.x * scale + 1e-3 * Double(random.nextUnit()))
        y.append(point.y * scale + 1e-3 * Double(random.nextUnit()))
      }
    }

    /// Pulls neighbors together, and pushes them from others.
    mutating func arrange(_ edges: [Edge], step: Double) {
      var (x, y, random) = (x, y, random)
      let count = UInt64(x.count)
      x.withUnsafeMutableBufferPointer { x in
        y.withUnsafeMutableBufferPointer { y in
          for edge in edges {
            let (i, j) = (edge.first, edge.second)
            let (dx, dy) = (x[i] - x[j], y[i] - y[j])
            let pull = -2 * edge.weight / (1 + dx * dx + dy * dy)
            let (moveX, moveY) = (
              step * NeighborLayout.limited(pull * dx), step * NeighborLayout.limited(pull * dy)
            )
            x[i] += moveX
            y[i] += moveY
            x[j] -= moveX
            y[j] -= moveY
            for number in 0..<(2 * NeighborLayout.repulsionCount) {
              let end = number.isMultiple(of: 2) ? i : j
              let other = Int(random.next() % count)
              if other == end { continue }
              let (dx, dy) = (x[end] - x[other], y[end] - y[other])
              let square = dx * dx + dy * dy
              let push = edge.weight / ((0.001 + square) * (1 + square))
              x[end] += step * NeighborLayout.limited(push * dx)
              y[end] += step * NeighborLayout.limited(push * dy)
            }
          }
        }
      }
      (self.x, self.y, self.random) = (x, y, random)
    }

    /// The positions, scaled so that the longer side is from 0 to 1 and the shorter one is centered.
    var positions: [Position] {
      let (left, right) = (x.min() ?? 0, x.max() ?? 0)
      let (top, bottom) = (y.min() ?? 0, y.max() ?? 0)
      let side = max(right - left, bottom - top, 1e-9)
      let (centerX, centerY) = ((left + right) / 2, (top + bottom) / 2)
      return zip(x, y).map { x, y in
        // Rounding may exceed the range.
        (
          Float(min(max(0.5 + (x - centerX) / side, 0), 1)),
          Float(min(max(0.5 + (y - centerY) / side, 0), 1))
        )
      }
    }
  }
}
