import Foundation
import TestSupport
import Testing

@Suite("Metrics of boxes")
struct BoxMetricsTests {
  @Test(
    "prints the mAP that pycocotools computes",
    .enabled(if: Programs.clients != nil, Programs.missingClients),
    arguments: [(1, nil), (2, nil), (3, nil), (4, 100), (5, 20), (6, 10), (7, 50)])
  func oracle(seed: UInt64, steps: Int?) throws {
    let scene = try BoxScene(seed: seed, steps: steps)
    let (models, wanted) = (
      try scene.box.json("evaluate", in: "a").elements, try scene.oracle()
    )
    #expect(models.map { $0["model"].string } == ["finder@1", "random@1"])
    for model in models {
      let (boxes, expected) = (model["boxes"], wanted[model["model"].string])
      #expect(isEqual(boxes["map"], expected["map"]))
      #expect(isEqual(boxes["map50"], expected["map50"]))
      #expect(boxes["classes"].elements.count == 3)
      for one in boxes["classes"].elements {
        for figure in ["ap", "ap50"] {
          let wanted = expected["classes"][one["class"].string][figure]
          #expect(isEqual(one[figure], wanted), "\(one["class"].string) \(figure)")
        }
      }
    }
    let (finder, random) = (models[0]["boxes"], models[1]["boxes"])
    if steps == nil { #expect(finder["map50"].number > 0.4 && random["map50"].number < 0.1) }
    let text = try scene.box.cairn("evaluate", in: "a").stdout
    #expect(text.contains("boxes: mAP@50 " + String(format: "%.3f", finder["map50"].number)))
    #expect(text.contains("AP@[.5:.95]"))
  }

  @Test("says that there is no mAP if people drew no boxes")
  func noBoxes() throws {
    let box = try Sandbox(lfs: false)
    let photos = try box.startDataset(photos: 1)
    try box.cairn(
      "label", photos[0], "oak", "--region", "0.1,0.1,0.5,0.5", "--as", "net@1", "--confidence",
      "0.9", "--create", in: "a")
    try box.cairn("label", photos[0], "oak", in: "a")
    let model = try box.json("evaluate", in: "a").elements[0]
    #expect(model["boxes"]["map"] == .null && model["boxes"]["unlocated"].number == 1)
    #expect(try box.cairn("evaluate", in: "a").stdout.contains("no mAP: nobody drew boxes"))
  }

  @Test("measures the agreement of people on boxes beside that on whole photos")
  func agreement() throws {
    let box = try Sandbox(lfs: false)
    let photos = try box.startDataset(photos: 3)
    func draw(_ photo: Int, _ region: String) throws {
      try box.cairn("label", photos[photo], "oak", "--region", region, "--create", in: "a")
    }
    try draw(0, "0,0,0.5,0.5")
    try draw(0, "0.5,0.5,0.25,0.25")
    try draw(1, "0,0,0.5,0.5")
    try box.cairn("label", photos[2], "oak", in: "a")
    try box.setIdentity("Bob", in: "a")
    // Twice as wide: an overlap of a half.
    try draw(0, "0,0,1,0.5")
    try box.cairn("label", photos[1], "oak", "--absent", in: "a")
    // Ann does not say where.
    try draw(2, "0,0,0.5,0.5")
    let report = try box.json("agreement", in: "a")
    let oak = try #require(report["boxes"].elements.first)
    #expect(oak["class"].string == "oak" && oak["photos"].number == 2)
    // One pair of three boxes and one.
    #expect(oak["agreement"].number == 0.5 && oak["overlap"].number == 0.5)
    let pair = try #require(oak["pairs"].elements.first)
    #expect(pair["boxes"] == .array([.number(3), .number(1)]) && pair["matched"].number == 1)
    #expect(
      pair["people"]
        == .array([.string("human:ann@example.org"), .string("human:bob@example.org")]))
    let text = try box.cairn("agreement", in: "a").stdout
    #expect(text.contains("boxes of") && text.contains("50.0%"))
    #expect(report["rows"].elements.count == 1)
  }
}
