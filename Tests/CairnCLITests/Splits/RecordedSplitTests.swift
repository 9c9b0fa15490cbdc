import Foundation
import TestSupport
import Testing

@Suite("cairn split")
struct RecordedSplitTests {
  /// Exports with options; returns the name of each photo's subset.
  private func subsets(_ box: Sandbox, in dataset: String, _ options: String...) throws
    -> [String: String]
  {
    let output = try box.run(
      "cairn", ["export", "jsonl", "../out", "--images", "none"] + options, in: dataset)
    try #require(output.status == 0, "\(output.stderr)")
    defer { try? box.remove("out") }
    let rows = try box.text("out/photos.jsonl").split(separator: "\n").map {
      try JSONDecoder().decode(JSONValue.self, from: Data($0.utf8))
    }
    return Dictionary(uniqueKeysWithValues: rows.map { ($0["photo"].string, $0["split"].string) })
  }

  @Test("exports a recorded split in a clone, and moves no photo when others are added")
  func shared() throws {
    let scene = try FormatScene()
    let box = scene.box
    try box.cairn("split", "add", "field", "train=2,val=1,test=1", in: "a")
    try box.cairn("split", "add", "fold-2", "train=2,val=1,test=1", "--salt", "2", in: "a")
    try box.cairn("commit", in: "a")
    try box.cairn("remote", "add", "origin", "../x.git", "--create", in: "a")
    try box.cairn("push", in: "a")
    try box.cairn("clone", "x.git", "b")
    let before = try subsets(box, in: "a", "--split", "field")
    #expect(try subsets(box, in: "b", "--split", "field") == before)
    #expect(try subsets(box, in: "a", "--split", "train=2,val=1,test=1") == before)
    try box.makeImages(100..<140, in: "more")
    try box.cairn("photo", "add", "../more", in: "a")
    let after = try subsets(box, in: "a", "--split", "field")
    #expect(after.count == before.count + 40)
    #expect(before.allSatisfy { after[$0.key] == $0.value })
    #expect(Set(after.values) == ["train", "val", "test"])
    // Another salt divides the photos differently.
    #expect(try subsets(box, in: "a", "--split", "fold-2") != after)
  }

  @Test("records, lists and removes a split, and refuses invalid ones")
  func recording() throws {
    let scene = try FormatScene()
    let box = scene.box
    let recorded = try subsets(
      box, in: "a", "--split", "train=1,test=1", "--split-by", "pin", "--record-split", "places")
    #expect(try subsets(box, in: "a", "--split", "places") == recorded)
    #expect(
      try box.json("split", "add", "places", "train=1,test=1", "--by", "pin", in: "a")["added"]
        == .bool(false))
    let listed = try box.json("split", "list", in: "a").elements
    #expect(listed.map { $0["name"].string } == ["places"])
    #expect(listed.map { $0["by"].string } == ["pin"])
    #expect(listed.first?["parts"]["train"].number == 1)
    try box.refuses(
      "split", "add", "places", "train=2,test=1", in: "a", with: ExitStatus.existsOrFull)
    try box.refuses(
      "split", "add", "x", "train", in: "a", with: ExitStatus.badData)
    try box.refuses(
      "split", "add", "No Name", "train=1", in: "a", with: ExitStatus.badData)
    try box.refuses(
      "export", "csv", "../x", "--split", "nowhere", in: "a", with: ExitStatus.notFound)
    try box.refuses(
      "export", "csv", "../x", "--split", "places", "--split-by", "pin", in: "a",
      with: ExitStatus.usage)
    try box.refuses("export", "csv", "../x", "--split-by", "pin", in: "a", with: ExitStatus.usage)
    #expect(!box.exists("x"))
    try box.cairn("split", "remove", "places", in: "a")
    #expect(try box.json("split", "list", in: "a").elements.isEmpty)
    try box.refuses("split", "remove", "places", in: "a", with: ExitStatus.notFound)
    try box.cairn("split", "add", "places", "train=2,test=1", in: "a")
    try box.cairn("commit", in: "a")
    try box.expectSound("a")
  }

  @Test("merges the splits of two devices, and keeps the later one of two with one name")
  func joined() throws {
    let scene = try FormatScene()
    let box = scene.box
    try box.cairn("remote", "add", "origin", "../x.git", "--create", in: "a")
    try box.cairn("push", in: "a")
    try box.cairn("clone", "x.git", "b")
    try box.setIdentity("Bob", in: "b")
    try box.cairn("split", "add", "one", "train=1", in: "a")
    try box.cairn("split", "add", "same", "train=1,val=1", in: "a")
    try box.cairn("split", "add", "two", "train=2", in: "b")
    try box.cairn("split", "add", "same", "train=1,test=1", in: "b")
    for device in ["a", "b", "a"] { try box.cairn("sync", in: device) }
    for device in ["a", "b"] {
      let listed = try box.json("split", "list", in: device).elements
      #expect(listed.map { $0["name"].string } == ["one", "same", "two"])
      #expect(listed[1]["parts"]["test"].number == 1)
    }
    try box.expectEqual("a", "b")
  }
}
