internal import CairnDocument
internal import LibC

/// A point on the unit sphere, where nearby locations are close even at the poles and the
/// antimeridian.
struct UnitVector {
  let x: Double
  let y: Double
  let z: Double

  init(_ location: Coordinate) {
    let (latitude, longitude) = (location.latitude * .pi / 180, location.longitude * .pi / 180)
    x = cos(latitude) * cos(longitude)
    y = cos(latitude) * sin(longitude)
    z = sin(latitude)
  }

  /// Returns the squared length of the chord to another point.
  func square(to other: UnitVector) -> Double {
    let (dx, dy, dz) = (x - other.x, y - other.y, z - other.z)
    return dx * dx + dy * dy + dz * dz
  }

  /// Returns the length of the chord between points this many meters apart on the globe, whose mean
  /// radius is 6,371,008.8 m (IUGG).
  static func chord(meters: Double) -> Double {
    2 * sin(min(meters / 6_371_008.8, .pi) / 2)
  }

  func cell(_ size: Double) -> GridCell {
    GridCell(
      x: Int32((x / size).rounded(.down)), y: Int32((y / size).rounded(.down)),
      z: Int32((z / size).rounded(.down)))
  }
}

/// One of the cubes of a grid over space.
struct GridCell: Hashable {
  let x: Int32
  let y: Int32
  let z: Int32

  /// Calls `body` with this cell and those up to `reach` away in each direction.
  func forEachNear(_ reach: Int32, _ body: (GridCell) -> Void) {
    for dx in -reach...reach {
      for dy in -reach...reach {
        for dz in -reach...reach { body(GridCell(x: x + dx, y: y + dy, z: z + dz)) }
      }
    }
  }
}

/// Numbered locations, searchable by distance.
struct SpatialIndex {
  let meters: Double
  private let chord: Double
  private var cells: [GridCell: [(point: UnitVector, number: Int)]] = [:]

  /// - Parameter meters: Search radius in meters; at least one meter.
  init(within meters: Double) {
    self.meters = max(meters, 1)
    chord = UnitVector.chord(meters: self.meters)
  }

  mutating func insert(_ number: Int, at location: Coordinate) {
    let point = UnitVector(location)
    cells[point.cell(chord), default: []].append((point, number))
  }

  /// Returns the nearest location, the smallest number on a tie; nil if none is within the radius.
  func nearest(to location: Coordinate) -> Int? {
    let point = UnitVector(location)
    var best: (square: Double, number: Int)?
    point.cell(chord).forEachNear(1) { cell in
      for (other, number) in cells[cell] ?? [] {
        let square = point.square(to: other)
        guard square <= chord * chord else { continue }
        if best.map({ (square, number) < ($0.square, $0.number) }) ?? true {
          best = (square, number)
        }
      }
    }
    return best?.number
  }
}

/// Counts locations per grid cell, to rank them by density.
struct DensityGrid {
  private let size: Double
  private var counts: [GridCell: Int] = [:]

  init(within meters: Double) { size = UnitVector.chord(meters: meters) / 2 }

  mutating func insert(_ location: Coordinate) {
    counts[UnitVector(location).cell(size), default: 0] += 1
  }

  /// Returns the approximate number of locations within the distance.
  func count(around location: Coordinate) -> Int {
    var sum = 0
    UnitVector(location).cell(size).forEachNear(2) { sum += counts[$0] ?? 0 }
    return sum
  }
}
