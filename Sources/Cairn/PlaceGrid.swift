internal import CairnDocument
internal import LibC

/// A point of the unit sphere: places near each other are near in space, at the poles and the date line,
/// too.
struct SpherePoint {
  let x: Double
  let y: Double
  let z: Double

  init(_ place: Coordinate) {
    let (latitude, longitude) = (place.latitude * .pi / 180, place.longitude * .pi / 180)
    x = cos(latitude) * cos(longitude)
    y = cos(latitude) * sin(longitude)
    z = sin(latitude)
  }

  /// The square of the straight way to another.
  func square(to other: SpherePoint) -> Double {
    let (dx, dy, dz) = (x - other.x, y - other.y, z - other.z)
    return dx * dx + dy * dy + dz * dz
  }

  /// The straight way between points that are so many metres apart on the globe, whose mean radius
  /// IUGG gives as 6,371,008.8 m.
  static func chord(metres: Double) -> Double {
    2 * sin(min(metres / 6_371_008.8, .pi) / 2)
  }

  func cell(_ size: Double) -> SphereCell {
    SphereCell(
      x: Int32((x / size).rounded(.down)), y: Int32((y / size).rounded(.down)),
      z: Int32((z / size).rounded(.down)))
  }
}

/// One of the cubes that space is cut into.
struct SphereCell: Hashable {
  let x: Int32
  let y: Int32
  let z: Int32

  /// Calls `body` with this one and those up to `reach` away in each direction.
  func forEachNear(_ reach: Int32, _ body: (SphereCell) -> Void) {
    for dx in -reach...reach {
      for dy in -reach...reach {
        for dz in -reach...reach { body(SphereCell(x: x + dx, y: y + dy, z: z + dz)) }
      }
    }
  }
}

/// Numbered places, to be found by those near them.
struct PlaceGrid {
  let metres: Double
  private let chord: Double
  private var cells: [SphereCell: [(point: SpherePoint, number: Int)]] = [:]

  /// - Parameter metres: How near is near; a metre at least.
  init(within metres: Double) {
    self.metres = max(metres, 1)
    chord = SpherePoint.chord(metres: self.metres)
  }

  mutating func insert(_ number: Int, at place: Coordinate) {
    let point = SpherePoint(place)
    cells[point.cell(chord), default: []].append((point, number))
  }

  /// Returns the nearest, of those equally near that with the smallest number; nil when none is near.
  func nearest(to place: Coordinate) -> Int? {
    let point = SpherePoint(place)
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

/// How many places are together where.
struct Crowd {
  private let size: Double
  private var counts: [SphereCell: Int] = [:]

  init(within metres: Double) { size = SpherePoint.chord(metres: metres) / 2 }

  mutating func insert(_ place: Coordinate) {
    counts[SpherePoint(place).cell(size), default: 0] += 1
  }

  /// How many places are about as near as the distance.
  func company(of place: Coordinate) -> Int {
    var sum = 0
    SpherePoint(place).cell(size).forEachNear(2) { sum += counts[$0] ?? 0 }
    return sum
  }
}
