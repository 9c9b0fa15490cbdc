import CairnBase
import Testing

@Suite("Boxes on photos")
struct NormalizedRectTests {
  @Test(
    "accepts boxes with an area within the photo, up to rounding",
    arguments: [
      (0, 0, 1, 1), (0.25, 0.25, 0.5, 0.5), (0.9, 0.7, 0.1, 0.3), (0, 0, 1 + 1e-10, 1e-12),
    ] as [(Double, Double, Double, Double)])
  func within(x: Double, y: Double, width: Double, height: Double) {
    #expect(NormalizedRect(x: x, y: y, width: width, height: height).isWithinPhoto)
  }

  @Test(
    "rejects boxes without an area and boxes that exceed the photo",
    arguments: [
      (0, 0, 0, 1), (0, 0, 1, 0), (0.5, 0.5, -0.5, 0.5), (-1e-12, 0, 1, 1), (0, 0, 1 + 1e-8, 1),
      (0.5, 0.6, 0.5, 0.5), (.nan, 0, 1, 1), (0, 0, .infinity, 1), (0, 0, 1, .nan),
    ] as [(Double, Double, Double, Double)])
  func outside(x: Double, y: Double, width: Double, height: Double) {
    #expect(!NormalizedRect(x: x, y: y, width: width, height: height).isWithinPhoto)
  }
}
