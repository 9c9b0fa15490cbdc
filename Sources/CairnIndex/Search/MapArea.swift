internal import CairnBase
package import CairnDocument
internal import Foundation

/// An area of the map: a box or a circle.
package struct MapArea: Equatable, Sendable {
  /// In degrees; west is greater than east if the area crosses the antimeridian.
  package let west: Double
  package let south: Double
  package let east: Double
  package let north: Double
  /// The circle, if the area is one; the degrees above are then its bounding box.
  private(set) var circle: Circle?

  struct Circle: Equatable, Sendable {
    let center: Coordinate
    let squaredChord: Double
  }

  /// Creates a box; nil if the coordinates are invalid.
  package init?(west: Double, south: Double, east: Double, north: Double) {
    guard abs(west) <= 180, abs(east) <= 180, abs(south) <= 90, abs(north) <= 90, south <= north
    else { return nil }
    (self.west, self.south, self.east, self.north) = (west, south, east, north)
  }

  /// Creates a circle; nil if the radius is negative or more than half the Earth's circumference.
  ///
  /// Distances are along the surface of a sphere, with an error of at most 0.5%.
  package init?(around center: Coordinate, radiusMeters: Double) {
    let angle = radiusMeters / UnitVector.earthRadiusMeters
    guard angle >= 0, angle <= .pi else { return nil }
    let degrees = angle * 180 / .pi
    // Keep rounding from cutting off points on the edge.
    south = max(-90, center.latitude - degrees - 1e-9)
    north = min(90, center.latitude + degrees + 1e-9)
    // Source: Jan Matuschek, “Finding Points Within a Distance of a Latitude/Longitude”.
    let ratio = sin(angle) / cos(center.latitude * .pi / 180)
    if south > -90, north < 90, ratio < 1 {
      let delta = asin(ratio) * 180 / .pi + 1e-9
      let (least, most) = (center.longitude - delta, center.longitude + delta)
      west = least < -180 ? least + 360 : least
      east = most > 180 ? most - 360 : most
    } else {
      (west, east) = (-180, 180)
    }
    let chord = UnitVector.chord(meters: radiusMeters)
    circle = Circle(center: center, squaredChord: chord * chord)
  }

  /// Returns whether a location is in the area, including its edges.
  package func contains(_ coordinate: Coordinate) -> Bool {
    if let circle {
      return UnitVector(coordinate).squaredChord(to: UnitVector(circle.center))
        <= circle.squaredChord
    }
    let isBetween =
      west <= east
      ? west...east ~= coordinate.longitude
      : coordinate.longitude >= west || coordinate.longitude <= east
    return south...north ~= coordinate.latitude && isBetween
  }

  /// Returns the SQL condition on a row with coordinates.
  func condition(_ row: String) -> String {
    let longitude =
      west <= east
      ? "\(row).longitude BETWEEN \(west) AND \(east)"
      : "(\(row).longitude >= \(west) OR \(row).longitude <= \(east))"
    let box = "\(row).latitude BETWEEN \(south) AND \(north) AND \(longitude)"
    guard let circle else { return box }
    let center = UnitVector(circle.center)
    let distance = [("x", center.x), ("y", center.y), ("z", center.z)]
      .map { "(\(row).\($0) - (\($1))) * (\(row).\($0) - (\($1)))" }.joined(separator: " + ")
    return "\(box) AND \(distance) <= \(circle.squaredChord)"
  }

  /// Returns SQL conditions on a row of an R-tree that together match every candidate in the area:
  /// one, or two if it crosses the antimeridian.
  func boxes(_ row: String) -> [String] {
    let longitudes: [(Double, Double)] =
      west <= east ? [(west, east)] : [(west, 180), (-180, east)]
    return longitudes.map { first, last in
      """
      \(row).west <= \(last) AND \(row).east >= \(first)
        AND \(row).south <= \(north) AND \(row).north >= \(south)
      """
    }
  }
}
