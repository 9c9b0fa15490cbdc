internal import CairnBase
internal import CairnDocument

extension UnitVector {
  /// Returns the cell of a grid of cubes with sides of this length.
  fileprivate func cell(_ size: Double) -> GridCell {
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
        let square = point.squaredChord(to: other)
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
