import CairnBase
import TestSupport
import Testing

@testable import CairnFormats

@Suite("Masks")
struct MaskTests {
  /// A frame with a hole, and a pixel that touches it at a corner, 7 × 6.
  private static let frame = [7, 4, 2, 1, 2, 1, 2, 1, 2, 1, 2, 4, 2, 4, 6, 1]
  /// The same mask as pycocotools 2.0.11 writes it: `mask.encode`.
  private static let compressedFrame = "742M00000003004M"
  /// The same mask as label-studio-sdk 2.1.2 writes it: `brush.mask2rle`.
  private static let brushedFrame: [UInt8] = [
    0, 0, 0, 168, 57, 27, 254, 31, 0, 194, 127, 243, 128, 71, 255, 56, 4, 255, 243, 128, 71, 255,
    56, 4, 255, 243, 128, 97, 63, 252, 54, 1, 31, 248,
  ]

  @Test("decodes compressed counts as pycocotools does")
  func compressed() throws {
    #expect(RunLengthMask.counts(of: MaskTests.compressedFrame) == MaskTests.frame)
    // The beginning of a disk: pycocotools writes differences, some of them negative.
    #expect(
      RunLengthMask.counts(of: "Vn=i0Z5:G8I6J6J6K4L4L4L4L4L4M2M4M2")?.prefix(4)
        == [14_278, 25, 170, 35])
    let mask = try #require(RunLengthMask(width: 7, height: 6, counts: MaskTests.frame))
    #expect(mask.area == 17)
    #expect(mask.columns[1] == [1..<5] && mask.columns[2] == [1..<2, 4..<5])
  }

  @Test(
    "rejects text and counts that are not a mask",
    arguments: [
      "", "7", "742M0000000300", "742M000000030 4M", "Ä", "oooooooooo", "742M00000003004P",
    ])
  func invalid(text: String) {
    let counts = RunLengthMask.counts(of: text)
    #expect(counts.flatMap { RunLengthMask(width: 7, height: 6, counts: $0) } == nil)
  }

  @Test("rejects masks that are too large, or have negative runs")
  func limits() {
    #expect(RunLengthMask(width: 3, height: 2, counts: [7, -1]) == nil)
    #expect(RunLengthMask(width: 3, height: 2, counts: [5]) == nil)
    #expect(RunLengthMask(width: 100_001, height: 1, counts: [100_001]) == nil)
    #expect(RunLengthMask(width: 0, height: 5, counts: []) == nil)
    #expect(RunLengthMask(width: 3, height: 2, counts: [0, 6])?.area == 6)
  }

  @Test("traces holes, and pixels that touch at a corner as parts of their own")
  func traced() throws {
    let mask = try #require(RunLengthMask(width: 7, height: 6, counts: MaskTests.frame))
    func ring(_ numbers: Double...) -> Set<Polygon.Point> {
      Set(
        stride(from: 0, to: numbers.count, by: 2).map {
          Polygon.Point(x: numbers[$0], y: numbers[$0 + 1])
        })
    }
    let outline = [Polygon](tracing: mask.columns)
    #expect(
      outline.map { Set($0.outer) } == [ring(1, 1, 6, 1, 6, 5, 1, 5), ring(6, 5, 7, 5, 7, 6, 6, 6)])
    #expect(outline[0].holes.map(Set.init) == [ring(2, 2, 4, 2, 4, 4, 2, 4)])
    #expect(outline.area == 17)
  }

  private func randomMask(_ random: inout SeededGenerator) throws -> RunLengthMask {
    let (width, height) = (1 + random.below(14), 1 + random.below(14))
    let density = random.pick([5, 30, 50, 70, 95, 100])
    var counts: [Int] = [0]
    var isForeground = false
    for _ in 0..<(width * height) {
      if random.chance(density) != isForeground {
        counts.append(0)
        isForeground.toggle()
      }
      counts[counts.count - 1] += 1
    }
    return try #require(RunLengthMask(width: width, height: height, counts: counts))
  }

  @Test("fills a traced mask to the same mask, also in fractions", arguments: UInt64(0)..<200)
  func filled(seed: UInt64) throws {
    var random = SeededGenerator(seed)
    let mask = try randomMask(&random)
    let outline = [Polygon](tracing: mask.columns)
    func fill(_ polygons: [Polygon]) -> RunLengthMask? {
      RunLengthMask(filling: polygons, width: mask.width, height: mask.height)
    }
    #expect(fill(outline)?.columns == mask.columns)
    #expect(outline.area == Double(mask.area))
    let (width, height) = (Double(mask.width), Double(mask.height))
    func rounded(_ value: Double) -> Double { (value * 1e7).rounded() / 1e7 }
    let kept = outline.map { polygon in
      polygon.mapped { point in
        Polygon.Point(
          x: rounded(point.x / width) * width, y: rounded(point.y / height) * height)
      }
    }
    #expect(fill(kept)?.columns == mask.columns)
    // Joined to one ring, it is the same area.
    if !outline.isEmpty {
      #expect(fill([Polygon(outer: outline.singleRing)])?.columns == mask.columns)
    }
  }

  @Test("simplifies a disk to few points near its edge, but not a cloud of specks")
  func simplified() throws {
    let columns = (0..<400).map { x -> [Range<Int>] in
      let half = (40_000 - Double((x - 200) * (x - 200))).squareRoot()
      return half < 1 ? [] : [Int(200 - half)..<Int(200 + half)]
    }
    let disk = [Polygon](tracing: columns)
    #expect(disk.pointCount > 400)
    let simple = try #require(disk.simplified(to: 100, tolerance: 0.5))
    #expect(simple.pointCount <= 100 && simple.pointCount >= 8)
    #expect(abs(simple.area - disk.area) < 0.02 * disk.area)
    #expect(disk.simplified(to: 10_000, tolerance: 0.5) == disk)
    let specks = [Polygon](
      tracing: (0..<40).map { x in
        (0..<20).map { y in (2 * y + x % 2)..<(2 * y + x % 2 + 1) }
      })
    #expect(specks.count == 800)
    #expect(specks.simplified(to: 100, tolerance: 0.5) == nil)
  }

  @Test("decodes a brush's mask as label-studio-sdk does")
  func brush() throws {
    let rows = try #require(BrushMask.rows(MaskTests.brushedFrame, width: 7, height: 6))
    #expect(rows == [[], [1..<6], [1..<2, 4..<6], [1..<2, 4..<6], [1..<6], [6..<7]])
    #expect(BrushMask.rows(MaskTests.brushedFrame, width: 6, height: 7) != rows)
    #expect(BrushMask.rows(MaskTests.brushedFrame, width: 7, height: 7) == nil)
    #expect(BrushMask.rows(Array(MaskTests.brushedFrame.dropLast(4)), width: 7, height: 6) == nil)
    #expect(BrushMask.rows([], width: 7, height: 6) == nil)
  }
}
