internal import CairnBase

extension [Polygon] {
  /// The outline as one ring, for formats that have no parts and no holes: the rings are joined by
  /// lines, there and back, between points that are close to each other.
  ///
  /// Filled by the even-odd rule, as OpenCV's `fillPoly` does, the ring is the same area. Source:
  /// Ultralytics, `merge_multi_segment` of `data/converter.py`, does so for parts.
  var singleRing: [Polygon.Point] {
    let rings = flatMap(\.rings)
    guard var joined = rings.first else { return [] }
    for ring in rings.dropFirst() { joined = joined.bridged(to: ring) }
    return joined
  }
}

extension [Polygon.Point] {
  /// Returns both rings as one, joined at the points that are the closest.
  private func bridged(to ring: [Polygon.Point]) -> [Polygon.Point] {
    var best = (own: 0, other: 0, distance: Double.infinity)
    for (own, a) in enumerated() {
      for (other, b) in ring.enumerated() {
        let distance = (a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y)
        if distance < best.distance { best = (own, other, distance) }
      }
    }
    let detour = Array(ring[best.other...] + ring[...best.other])
    return Array(self[...best.own]) + detour + Array(self[best.own...])
  }
}
