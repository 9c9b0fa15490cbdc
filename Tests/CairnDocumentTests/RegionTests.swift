import CairnBase
import TestSupport
import Testing

@testable import CairnDocument

@Suite("Regions with outlines")
struct RegionTests {
  private let id = RegionID("a1b2c3d4")!

  private func ring(_ numbers: Double...) -> [Polygon.Point] {
    stride(from: 0, to: numbers.count, by: 2).map {
      Polygon.Point(x: numbers[$0], y: numbers[$0 + 1])
    }
  }

  @Test("has the box around the outline, and the area without holes")
  func box() throws {
    let outline = [
      Polygon(
        outer: ring(0.25, 0.25, 0.75, 0.25, 0.75, 0.5, 0.25, 0.5),
        holes: [ring(0.5, 0.25, 0.5, 0.5, 0.75, 0.25)]),
      Polygon(outer: ring(0, 0.5, 0.25, 0.5, 0.25, 1)),
    ]
    let region = try #require(Region(id: id, polygons: outline))
    #expect(region.box == NormalizedRect(x: 0, y: 0.25, width: 0.75, height: 0.75))
    #expect(region.polygons == outline)
    #expect(region.polygons.area == 0.5 * 0.25 - 0.25 * 0.25 / 2 + 0.25 * 0.5 / 2)
    #expect(region.polygons.pointCount == 10)
    #expect(try Region(json: region.json) == region)
  }

  @Test("has equal bytes for points that are equal up to rounding")
  func rounding() throws {
    let exact = ring(0.1, 0.2, 1 / 3, 0.2, 0.3, 2 / 3)
    let noisy = exact.map { Polygon.Point(x: $0.x + 2e-9, y: $0.y - 2e-9) }
    let (a, b) = (
      try #require(Region(id: id, polygons: [Polygon(outer: exact)])),
      try #require(Region(id: id, polygons: [Polygon(outer: noisy)]))
    )
    #expect(a.json.canonicalBytes == b.json.canonicalBytes)
    #expect(a.polygons[0].outer[1].x == 0.3333333)
  }

  @Test("rejects outlines outside the image, without an area, or with too many points")
  func refused() {
    func region(_ ring: [Polygon.Point]) -> Region? {
      Region(id: id, polygons: [Polygon(outer: ring)])
    }
    #expect(Region(id: id, polygons: []) == nil)
    #expect(region(ring(0, 0, 1, 1)) == nil)
    #expect(region(ring(0, 0, 1, 0, 0.5, 0)) == nil)
    #expect(region(ring(0, 0, 1.001, 0, 1, 1)) == nil)
    #expect(region(ring(0, 0, .nan, 0, 1, 1)) == nil)
    func circle(_ count: Int) -> [Polygon.Point] {
      (0..<count).map {
        Polygon.Point(x: Double($0) / Double(count), y: $0.isMultiple(of: 2) ? 0 : 1)
      }
    }
    #expect(region(circle(DocumentLimit.polygonPoints)) != nil)
    #expect(region(circle(DocumentLimit.polygonPoints + 1)) == nil)
  }

  @Test("reads the largest outline from a document, and no larger one")
  func largest() throws {
    func text(_ count: Int) -> String {
      let numbers = (0..<count).map { "0.\(1_000_000 + $0),\($0 % 2)" }
      let box = Region(
        id: id,
        polygons: [
          Polygon(
            outer: (0..<10_000).map {
              Polygon.Point(x: Double(1_000_000 + $0) / 1e7, y: Double($0 % 2))
            })
        ])!.box
      return #"{"id":"a1b2c3d4","x":\#(box.x),"y":0,"width":\#(box.width),"height":1,"#
        + #""polygons":[[[\#(numbers.joined(separator: ","))]]]}"#
    }
    let region = try Region(json: try JSON(bytes: text(10_000).utf8))
    #expect(region.polygons.pointCount == 10_000)
    #expect(region.json.canonicalBytes.count < DocumentLimit.size / 2)
    let error = #expect(throws: DocumentError.self) {
      try Region(json: try JSON(bytes: text(10_001).utf8))
    }
    #expect(error?.message.contains("10000 points") == true)
  }

  @Test("moves and scales the outline with the box", arguments: UInt64(0)..<32)
  func moved(seed: UInt64) throws {
    var random = SeededGenerator(seed)
    guard var region = random.region(id), region.width > 0.01, region.height > 0.01 else { return }
    region.extra = ["angle": 0.1]
    let target = NormalizedRect(x: 0.25, y: 0.5, width: 0.5, height: 0.25)
    let moved = try #require(region.reshaped(to: .box(target)))
    #expect(abs(moved.x - 0.25) < 1e-6 && abs(moved.width - 0.5) < 1e-6)
    #expect(abs(moved.y - 0.5) < 1e-6 && abs(moved.height - 0.25) < 1e-6)
    #expect(moved.polygons.pointCount == region.polygons.pointCount)
    #expect(moved.extra == region.extra && moved.isCrowd == region.isCrowd)
    #expect(region.reshaped(to: .box(NormalizedRect(x: 0.75, y: 0, width: 0.5, height: 1))) == nil)
  }
}
