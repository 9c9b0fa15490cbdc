internal import Cairn
internal import LibC

/// A rectangle of the map; `west` may be greater than `east`, across the date line.
struct MapView: Equatable, Sendable {
  let west: Double
  let south: Double
  let east: Double
  let north: Double

  init(west: Double, south: Double, east: Double, north: Double) throws {
    guard -180...180 ~= west, -180...180 ~= east, -90...90 ~= south, -90...90 ~= north,
      south <= north
    else { throw ServeError.invalid("The rectangle of the map is not valid.") }
    (self.west, self.south, self.east, self.north) = (west, south, east, north)
  }

  func contains(_ latitude: Double, _ longitude: Double) -> Bool {
    guard south...north ~= latitude else { return false }
    return west <= east ? west...east ~= longitude : longitude >= west || longitude <= east
  }
}

/// Points of the map that are close to each other at a zoom.
struct MapCluster: Equatable, Sendable {
  /// The mean of its points.
  var latitude: Double
  var longitude: Double
  var count: Int
  /// The index of its first point.
  let first: Int
  var west: Double
  var south: Double
  var east: Double
  var north: Double
}

/// Groups points by square cells of the Web Mercator map: a grid of the whole world, so that
/// clusters stay when the map moves.
struct MapGrid: Sendable {
  /// The side of a cell in pixels, where the world is 256 pixels wide at zoom 0.
  static let cellSide = 60.0
  static let limit = 2_000

  private let cells: Double

  init(zoom: Double) { cells = 256 * exp2(zoom) / MapGrid.cellSide }

  private struct Cell: Hashable {
    let x: Int
    let y: Int
  }

  private func cell(_ latitude: Double, _ longitude: Double) -> Cell {
    let latitude = min(max(latitude, -85.0511), 85.0511) * .pi / 180
    let y = 0.5 - log(tan(.pi / 4 + latitude / 2)) / (2 * .pi)
    return Cell(x: Int((longitude + 180) / 360 * cells), y: Int(y * cells))
  }

  /// Returns the clusters of points, the largest first.
  func clusters(_ points: [(latitude: Double, longitude: Double)]) -> [MapCluster] {
    var indices: [Cell: Int] = [:]
    var clusters: [MapCluster] = []
    for (index, point) in points.enumerated() {
      let (latitude, longitude) = point
      let cell = cell(latitude, longitude)
      if let known = indices[cell] {
        clusters[known].latitude += latitude
        clusters[known].longitude += longitude
        clusters[known].count += 1
        clusters[known].west = min(clusters[known].west, longitude)
        clusters[known].east = max(clusters[known].east, longitude)
        clusters[known].south = min(clusters[known].south, latitude)
        clusters[known].north = max(clusters[known].north, latitude)
      } else {
        indices[cell] = clusters.count
        clusters.append(
          MapCluster(
            latitude: latitude, longitude: longitude, count: 1, first: index, west: longitude,
            south: latitude, east: longitude, north: latitude))
      }
    }
    for index in clusters.indices {
      clusters[index].latitude /= Double(clusters[index].count)
      clusters[index].longitude /= Double(clusters[index].count)
    }
    clusters.sort { ($1.count, $0.first) < ($0.count, $1.first) }
    return Array(clusters.prefix(MapGrid.limit))
  }
}
