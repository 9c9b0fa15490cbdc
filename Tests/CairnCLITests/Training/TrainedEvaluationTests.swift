import Foundation
import TestSupport
import Testing

@Suite("cairn evaluate of trained models")
struct TrainedEvaluationTests {
  @Test("leaves out the photos that a model learned from, in a clone too")
  func leftOut() throws {
    let box = try Sandbox.textures()
    let report = try box.train()
    try box.cairn("predict", in: "a")
    let all = try #require(try box.json("evaluate", in: "a").elements.first)
    #expect(all["model"] == report["model"] && all["training"] == report["run"])
    #expect(all["photos"].number == 0 && all["learned"].number == 36)
    #expect(all["learnedFromAll"].isTrue && all["learnedIsKnown"].isTrue)
    #expect(all["sets"].elements.isEmpty && all["classes"].elements.isEmpty)
    #expect(all["calibration"]["count"].number == 0)
    let shown = try box.cairn("evaluate", in: "a").stdout
    #expect(shown.contains("nothing to measure: it learned from all 36 photos"), "\(shown)")
    #expect(shown.contains("`cairn run show \(report["run"].string.prefix(8))`"), "\(shown)")
    #expect(try box.cairn("report", in: "a").stdout.contains("it learned from all 36 photos"))

    try Textures.write(40..<44, to: "new", in: box)
    try box.cairn("photo", "add", "../new", in: "a")
    try box.cairn("predict", "--find", "is:unlabeled", in: "a")
    // Neither a favorite nor a withdrawn label is something to measure.
    try box.cairn("favorite", "../new/dots-40.bmp", in: "a")
    try box.label(["../new/dots-41.bmp"], "dots")
    try box.cairn("unlabel", "../new/dots-41.bmp", "dots", in: "a")
    let none = try #require(try box.json("evaluate", in: "a").elements.first)
    #expect(none["photos"].number == 12 && none["learnedFromAll"].isTrue)
    try box.label(["../new/dots-40.bmp", "../new/dots-41.bmp"], "dots")
    let some = try #require(try box.json("evaluate", in: "a").elements.first)
    #expect(some["photos"].number == 12 && some["learned"].number == 36)
    #expect(some["learnedFromAll"] == .bool(false))
    #expect(some["sets"].elements.map { $0["photos"].number } == [2])
    #expect(
      try box.cairn("evaluate", in: "a").stdout.contains("left out: 36 photos that it learned"))

    try box.cairn("commit", in: "a")
    try box.cairn("clone", "a", "b")
    #expect(try box.json("evaluate", in: "b").elements.first == some)
    let run = try box.json("run", "show", report["run"].string, in: "b")
    #expect(run["learned"].number == 36)
  }

  @Test("measures a model on the test subset, without near duplicates of what it learned from")
  func split() throws {
    let box = try Sandbox.textures(20)
    let picture = try box.read("known/dots-00.bmp")
    for number in 0..<10 {
      try box.write(Array(picture.dropLast() + [UInt8(number)]), to: "same/dots-\(number).bmp")
    }
    try box.cairn("photo", "add", "../same", in: "a")
    try box.label((0..<10).map { "../same/dots-\($0).bmp" }, "dots")
    let report = try box.train("--split", "train=80,test=20")
    try box.cairn("predict", in: "a")
    let model = try #require(try box.json("evaluate", in: "a").elements.first)
    let duplicates = Double(report["testDuplicates"].elements.count)
    #expect(model["learned"].number == report["photos"].number + duplicates)
    #expect(model["photos"].number == report["test"]["photos"].number)
    #expect(model["learnedFromAll"] == .bool(false))
  }

  @Test("says that a training of an earlier version does not record its photos")
  func unknown() throws {
    let box = try Sandbox.textures()
    let run = try box.train()["run"].string
    try box.cairn("predict", in: "a")
    try box.cairn("commit", in: "a")
    let file = "a/runs/\(run.prefix(2))/\(run).json"
    let text = try box.text(file)
    let old = text.replacing(#/\n  "learned": \{[^}]*\},/#, with: "")
    try #require(old != text)
    try box.write(old, to: file)
    try box.git("commit", "-qam", "as an earlier version wrote it", in: "a")
    let model = try #require(try box.json("evaluate", in: "a").elements.first)
    #expect(model["learnedIsKnown"] == .bool(false) && model["photos"].number == 36)
    let shown = try box.cairn("evaluate", in: "a").stdout
    #expect(shown.contains("the training does not record the photos"), "\(shown)")
  }
}
