internal import LibC

/// A location as a point on the unit sphere, where nearby locations are close even at the poles and
/// the antimeridian, and distances need no trigonometry.
package struct UnitVector: Equatable, Sendable {
  /// Towards latitude 0, longitude 0.
  package let x: Double
  /// Towards latitude 0, longitude 90.
  package let y: Double
  /// Towards the north pole.
  package let z: Double

  /// - Parameters:
  ///   - latitude: In degrees north.
  ///   - longitude: In degrees east.
  package init(latitude: Double, longitude: Double) {
    let (latitude, longitude) = (latitude * .pi / 180, longitude * .pi / 180)
    x = cos(latitude) * cos(longitude)
    y = cos(latitude) * sin(longitude)
    z = sin(latitude)
  }

  /// Returns the squared length of the chord to another point, in squared radii of the sphere. It
  /// increases with the distance along the surface.
  package func squaredChord(to other: UnitVector) -> Double {
    let (dx, dy, dz) = (x - other.x, y - other.y, z - other.z)
    return dx * dx + dy * dy + dz * dz
  }

  /// The mean radius of the Earth. Source: IUGG, R₁ = (2a + b) / 3 of WGS 84.
  package static let earthRadiusMeters = 6_371_008.8

  /// Returns the length of the chord, in radii, between points this many meters apart along the
  /// surface of the Earth, taken for a sphere; at most 2, between opposite points.
  package static func chord(meters: Double) -> Double {
    2 * sin(min(meters / earthRadiusMeters, .pi) / 2)
  }
}
