import Cairn
import CairnBase
import CairnDocument
import Testing

@Suite("Document summaries")
struct DocumentSummaryTests {
  private func lines(_ document: JSON) throws -> [String] {
    try DocumentSummary(bytes: document.canonicalBytes).lines
  }

  @Test("shows a label's photo, class, annotator and content")
  func labels() throws {
    var document = label("human:alice@example.org", .absent, region: "a1b2c3d4", at(1, 3))
    document.run = RunID("41d8e07a5bc2f6930da7")
    #expect(
      try lines(document.json) == [
        "photo \(photoID)", "class hemlock", "annotator human:alice@example.org",
        "verdict absent", "confidence 1", "region 0,0,1,1 (a1b2c3d4)",
        "run 41d8e07a5bc2f6930da7", "stamp 2026-11-18 11:06:40.001 UTC #3 on 00000001",
      ])
  }

  @Test("shows each ring of an outline on a line of its own")
  func outlines() throws {
    var document = label("human:alice@example.org")
    let (triangle, hole) = (
      [(0, 0), (1, 0), (0.5, 0.75)].map { Polygon.Point(x: $0.0, y: $0.1) },
      [(0.5, 0.25), (0.5, 0.5), (0.75, 0.25)].map { Polygon.Point(x: $0.0, y: $0.1) }
    )
    document.region = Region(
      id: try #require(RegionID("a1b2c3d4")), polygons: [Polygon(outer: triangle, holes: [hole])])
    document.region?.isCrowd = true
    #expect(
      try lines(document.json).filter { $0.hasPrefix("region") || $0.hasPrefix("  |") } == [
        "region 0,0,1,0.75 (a1b2c3d4, crowd)", "  | polygon 0,0 1,0 0.5,0.75",
        "  | hole 0.5,0.25 0.5,0.5 0.75,0.25",
      ])
  }

  @Test("shows each register with its value and time, and each line of a text")
  func registers() throws {
    var document = photo()
    document.caption = Register("two\nlines", at(2))
    document.title = Register("yes", at(1, by: 0x7f3a_9c21))
    #expect(
      try lines(document.json) == [
        "photo \(photoID)",
        "caption", "  | two", "  | lines", "  since 2026-11-18 11:06:40.002 UTC on 00000001",
        "image.bytes 100", "image.format jpeg", "image.height 2", "image.width 3",
        "pin none", "  since 2026-11-18 11:06:40.000 UTC on 00000001",
        "removed no", "  since 2026-11-18 11:06:40.000 UTC on 00000001",
        "source a.jpg", "  since 2026-11-18 11:06:40.000 UTC on 00000001",
        "title “yes”", "  since 2026-11-18 11:06:40.001 UTC on 7f3a9c21",
      ])
  }

  @Test("shows how many photos a model was silent on, instead of their ids")
  func silentPhotos() throws {
    var run = Run(
      id: RunID("41d8e07a5bc2f6930da7")!, annotator: Annotator("model:m@1")!,
      by: Annotator("human:ann@x")!, recordsSilent: true, stamp: at(0))
    run.addSilent([photoID])
    run.addSilent([PhotoID(digest: [UInt8](repeating: 7, count: 32))])
    #expect(try lines(run.json).filter { $0.hasPrefix("silent") } == ["silent 2"])
  }

  @Test("shows members of later versions")
  func unknown() throws {
    var members = pin().members
    members["altitude"] = register(["meters": 812.5], at(4))
    let lines = try lines(.object(members))
    #expect(lines.first == "pin 8c1f04d7be2a96350e4d")
    #expect(
      Array(lines.dropFirst().prefix(5)) == [
        "altitude", "  | {", "  |   \"meters\": 812.5", "  | }",
        "  since 2026-11-18 11:06:40.004 UTC on 00000001",
      ])
  }

  @Test(
    "throws when the text is no document",
    arguments: ["", "{}", "[]", "{\"kind\": \"cat\"}", "{\"kind\": \"photo\"}", "<<<<<<< a"])
  func noDocument(text: String) {
    #expect(throws: DocumentError.self) { try DocumentSummary(bytes: text.utf8) }
  }
}
