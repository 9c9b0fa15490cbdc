import CairnBase
import Testing

@Suite("Points on the unit sphere")
struct UnitVectorTests {
  private func areClose(_ a: UnitVector, _ b: UnitVector, within meters: Double) -> Bool {
    let chord = UnitVector.chord(meters: meters)
    return a.squaredChord(to: b) <= chord * chord
  }

  @Test("has its axes at the equator and at the north pole")
  func axes() {
    let points = [(0.0, 0.0), (0, 90), (90, 17)]
    let vectors = points.map { UnitVector(latitude: $0.0, longitude: $0.1) }
    for (vector, axis) in zip(vectors, [[1.0, 0, 0], [0, 1, 0], [0, 0, 1]]) {
      #expect(zip([vector.x, vector.y, vector.z], axis).allSatisfy { abs($0 - $1) < 1e-15 })
    }
  }

  @Test("compares distances, also across the antimeridian and at the poles")
  func distances() {
    let pairs = [
      ((48.0, 11.0), (49.0, 11.0)), ((0.0, 179.5), (0.0, -179.5)), ((89.5, 0.0), (89.5, 180.0)),
    ]
    // A degree of a great circle: π · 6371008.8 m / 180 = 111195.1 m.
    for (a, b) in pairs {
      let first = UnitVector(latitude: a.0, longitude: a.1)
      let second = UnitVector(latitude: b.0, longitude: b.1)
      #expect(areClose(first, second, within: 111_196))
      #expect(!areClose(first, second, within: 111_194))
    }
  }

  @Test("has no chord longer than the diameter")
  func diameter() {
    #expect(UnitVector.chord(meters: 0) == 0)
    #expect(UnitVector.chord(meters: 1e9) == 2)
  }
}
