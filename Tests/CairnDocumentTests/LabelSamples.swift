import CairnBase
import TestSupport

@testable import CairnDocument

extension SeededGenerator {
  mutating func annotator() -> Annotator {
    let names = ["alice@example.org", "é\u{301}@x", "柴犬", "a\"b\\c@x", "con", "\u{1F332}/.."]
    while true {
      let text =
        chance(50) ? "human:" + pick(names) : "model:\(pick(names))@\(pick(["1", "2026-01", "é"]))"
      if let annotator = Annotator(text) { return annotator }
    }
  }

  /// Returns a region with an outline of up to three parts; nil if it is too flat.
  mutating func region(_ id: RegionID) -> Region? {
    func ring() -> [Polygon.Point] {
      (0..<(3 + below(5))).map { _ in
        Polygon.Point(x: Double(below(1001)) / 1000, y: Double(below(1_000_000_001)) / 1e9)
      }
    }
    let polygons = (0..<(1 + below(3))).map { _ in
      Polygon(outer: ring(), holes: chance(30) ? [ring(), ring()] : [])
    }
    return Region(id: id, polygons: polygons)
  }

  /// Returns a label with random optional members and unknown ones.
  mutating func label() -> Label {
    let words = (0..<4).map { _ in next() }
    let digest = words.flatMap { word in
      (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * UInt64($0))) }
    }
    var label = Label(
      photo: PhotoID(digest: digest),
      classKey: ClassKey(pick(["hemlock", "a", "0752b3b4", "chene-cb836f81"]))!,
      annotator: annotator(), verdict: pick(Verdict.allCases),
      confidence: pick([
        0, 1, 0.5, 1e-7, .leastNonzeroMagnitude, 0.9312, Double(below(1001)) / 1000,
      ]),
      stamp: stamp())
    if chance(40) {
      var random = self
      label.run = RunID { random.next() }
    }
    if chance(40) {
      var random = self
      label.region = Region(
        id: RegionID { random.next() }, x: Double(below(50)) / 100, y: pick([0, 1e-9, 0.25]),
        width: pick([0.5, 1e-7, 1 / 3]), height: pick([0.75, 0.1]))!
      if chance(50) { label.region = region(label.region!.id) ?? label.region }
      label.region?.isCrowd = chance(20)
      if chance(50) { label.region?.extra = ["polygon": json(depth: 2), "angle": 0.1] }
    }
    if chance(20) { label.text = pick(["", "two hemlocks\nby the \"water\"", "柴犬"]) }
    if chance(20) { label.source = "xmp:dc:subject" }
    if chance(40) {
      label.extra = object(depth: 2)
      label.extra["evidence"] = json(depth: 2)
    }
    return label
  }
}
