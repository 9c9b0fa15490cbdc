import Testing

@testable import Cairn

@Suite("Distances")
struct DistanceTests {
  @Test(
    "reads meters and kilometers, and a bare number as meters",
    arguments: [
      ("500m", 500.0), ("500 m", 500), ("500", 500), ("1.5km", 1500), ("2 KM", 2000), ("0.5", 0.5),
    ])
  func meters(text: String, meters: Double) throws {
    #expect(Distance.meters(text) == meters)
  }

  @Test(
    "refuses other units and distances that do not exist",
    arguments: ["", "m", "km", "far", "2mi", "0", "-5m", "nan", "inf", "20100km"])
  func refused(text: String) {
    #expect(Distance.meters(text) == nil)
  }

  @Test("gives a bare number the same meaning in queries as in options")
  func query() throws {
    #expect(try PhotoQuery("near:48.85,2.35,2000") == PhotoQuery("near:48.85,2.35,2km"))
    #expect(try PhotoQuery("near:48.85,2.35,2") == PhotoQuery("near:48.85,2.35,2m"))
  }
}
