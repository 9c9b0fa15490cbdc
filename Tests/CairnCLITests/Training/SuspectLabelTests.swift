import Foundation
import TestSupport
import Testing

@Suite("cairn review --reason suspect")
struct SuspectLabelTests {
  /// A scene in which three photos of stripes are labeled as dots.
  private func sceneWithMistakes() throws -> Sandbox {
    let box = try Sandbox.textures(16)
    for number in 0..<3 {
      try box.cairn("label", Textures.file("stripes", number), "dots", in: "a")
    }
    return box
  }

  private func suspects(_ box: Sandbox, _ more: String...) throws -> [JSONValue] {
    let output = try box.runCairn(["review", "--reason", "suspect", "--json"] + more, in: "a")
    try #require(output.status == 0, "\(output.stderr)")
    return try output.json().elements
  }

  @Test("asks about mistaken labels, the least probable first")
  func asked() throws {
    let box = try sceneWithMistakes()
    #expect(try suspects(box).isEmpty)
    let report = try box.train()
    let mistakes = try (0..<3).map { try box.photoID(Textures.file("stripes", $0)) }
    let worst = report["mistakes"].elements
    #expect(Set(worst.prefix(3).map { $0["photo"].string }) == Set(mistakes), "\(worst)")
    #expect(worst.prefix(3).allSatisfy { $0["class"].string == "dots" })
    #expect(worst.prefix(3).allSatisfy { $0["predicted"].string == "stripes" })
    let asked = try suspects(box)
    #expect(Set(asked.prefix(3).map { $0["photo"]["id"].string }) == Set(mistakes), "\(asked)")
    #expect(asked.count < 8)
    for item in asked.prefix(3) {
      #expect(item["class"].string == "dots" && item["state"].string == "confirmed")
      let text = item["reasons"].elements.first?["text"].string ?? ""
      #expect(text.hasPrefix(report["model"].string) && text.contains("“stripes”"), "\(text)")
    }
    #expect(try suspects(box, "--class", "stripes").count + 3 <= asked.count)
    let others = try suspects(box, "--find", "label:checks").map { $0["photo"]["id"].string }
    #expect(Set(others).isDisjoint(with: mistakes))
    // Without the reason, it is one of all.
    let all = try box.cairn("review", "--json", in: "a").json().elements
    #expect(all.count { $0["reason"].string == "suspect" } == asked.count)
  }

  @Test("does not ask again about a label that was confirmed or corrected, after another training")
  func settled() throws {
    let box = try sceneWithMistakes()
    try box.train()
    let before = try suspects(box).count
    // One is corrected, the other confirmed by labeling it again.
    try box.cairn("label", Textures.file("stripes", 0), "stripes", in: "a")
    try box.cairn("unlabel", Textures.file("stripes", 1), "dots", in: "a")
    try box.cairn("label", Textures.file("stripes", 1), "dots", in: "a")
    let settled = try (0..<2).map { try box.photoID(Textures.file("stripes", $0)) }
    func ids() throws -> [String] { try suspects(box).map { $0["photo"]["id"].string } }
    #expect(try ids().count == before - 2 && Set(ids()).isDisjoint(with: settled))
    try box.train()
    #expect(try Set(ids()).isDisjoint(with: settled))
    #expect(try ids().contains(box.photoID(Textures.file("stripes", 2))))
    // Nor after one that does not contradict it, because it does not learn from the photo.
    try box.cairn("label", Textures.file("stripes", 1), "fine", "--create", in: "a")
    try box.train("--find=-label:fine")
    #expect(try Set(ids()).isDisjoint(with: settled))
    try box.train()
    #expect(try Set(ids()).isDisjoint(with: settled))
    #expect(try ids().contains(box.photoID(Textures.file("stripes", 2))))
    // They are derived data of the model.
    try box.cairn("labeler", "remove", "textures", in: "a")
    #expect(try suspects(box).isEmpty && !box.exists("a/.git/cairn/models/textures.suspects"))
  }
}
