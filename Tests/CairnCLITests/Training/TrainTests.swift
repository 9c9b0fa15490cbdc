import Foundation
import TestSupport
import Testing

@Suite("cairn train")
struct TrainTests {
  /// A dataset of twelve pictures of each kind, labeled, and a folder of more.
  private func scene(labeled: Int = 12) throws -> Sandbox {
    let box = try Sandbox(user: "Ann")
    try Textures.write(0..<12, to: "known", in: box)
    try box.cairn("init", "a")
    try box.cairn("photo", "add", "../known", in: "a")
    for kind in Textures.kinds {
      let names = (0..<labeled).map { "../known/\(kind)-\($0 < 10 ? "0" : "")\($0).bmp" }
      let output = try box.runCairn(["label"] + names + [kind, "--create"], in: "a")
      try #require(output.status == 0, "\(output.stderr)")
    }
    try box.cairn("class", "set", "texture", "stripes", "dots", "checks", in: "a")
    return box
  }

  @discardableResult
  private func train(_ box: Sandbox, _ more: String...) throws -> JSONValue {
    let output = try box.runCairn(["train", "textures", "--json"] + more, in: "a")
    try #require(output.status == 0, "\(output.stderr)")
    return try output.json()
  }

  @Test("trains on people's labels, predicts, and is right; the same model again")
  func trains() throws {
    let box = try scene()
    let report = try train(box)
    #expect(report["photos"].number == 36 && report["exclusive"].isTrue)
    #expect(report["crossValidation"]["accuracy"]["value"].number > 0.9)
    #expect(report["classes"].strings("class") == ["checks", "dots", "stripes"])
    let again = try train(box)
    #expect(again["digest"] == report["digest"] && again["run"] == report["run"])

    try Textures.write(40..<44, to: "new", in: box)
    let added = try box.cairn("photo", "add", "../new", "--json", in: "a").json()
    let predicted = try box.cairn("predict", "--find", "is:unlabeled", "--json", in: "a").json()
    #expect(predicted["photos"].number == Double(added.elements.count))
    #expect(predicted["model"] == report["model"])
    for kind in Textures.kinds {
      let name = "../new/\(kind)-41.bmp"
      let shown = try box.cairn("why", name, kind, in: "a").stdout
      #expect(shown.contains(report["model"].string), "\(shown)")
    }
    let sure = try box.cairn("find", "state:predicted", "--count", in: "a").stdout
    #expect(Int(sure.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0 >= 10)

    // Corrections make another version, which learns from them.
    for kind in Textures.kinds {
      try box.cairn("label", "../new/\(kind)-41.bmp", kind, in: "a")
    }
    let next = try train(box)
    #expect(next["photos"].number == 39 && next["model"] != report["model"])
    let runs = try box.cairn("run", "list", "--json", in: "a").json()
    #expect(runs.elements.count { $0["parameters"]["training"] != .null } == 2)
    try box.cairn("commit", in: "a")
    try box.cairn("verify", in: "a")
  }

  @Test("says what is missing when there are too few labels")
  func tooFew() throws {
    let box = try scene(labeled: 4)
    let output = try box.runCairn(["train", "textures"], in: "a")
    #expect(output.status == 65)
    #expect(output.stderr.contains("dots has 4 of 10 photos"), "\(output.stderr)")
    let unclear = try box.runCairn(["train", "textures", "--classes", "dots"], in: "a")
    #expect(unclear.stderr.contains("dots has 4 of 10 photos"), "\(unclear.stderr)")
    let unknown = try box.runCairn(["train", "textures", "--set", "breed"], in: "a")
    #expect(unknown.status == 66 && unknown.stderr.contains("texture"))
  }

  @Test("tests on the held-out subset of a split, and writes the model")
  func split() throws {
    let box = try scene()
    try box.cairn("split", "add", "half", "train=9,test=1", in: "a")
    let output = try box.runCairn(
      ["train", "textures", "--split", "half", "--output", "../model.onnx", "--json"],
      in: "a")
    if output.status == 65 {
      // The ids decide the split: a class may be left with nine photos.
      #expect(output.stderr.contains("of 10 photos"))
      return
    }
    let report = try output.json()
    #expect(report["test"]["photos"].number + report["photos"].number == 36)
    #expect(box.exists("model.onnx") && box.exists("model.json"))
  }

  @Test("computes only what an interrupted training left out")
  func resumes() throws {
    let box = try scene()
    let first = try train(box)
    // The end of the cache is lost, as after a crash.
    let cache = "a/.git/cairn/features/fisher-1"
    let bytes = try box.read(cache)
    try box.write(Array(bytes.prefix(bytes.count - 20_000)), to: cache)
    #expect(try train(box)["digest"] == first["digest"])
    #expect(try box.read(cache).count == bytes.count)
  }

  @Test(
    "asks first about photos without labels of which the model is least sure, without duplicates")
  func uncertainty() throws {
    let box = try scene()
    try train(box)
    try Textures.write(40..<44, to: "new", in: box)
    for kind in Textures.kinds {
      let bytes = try box.read("new/\(kind)-40.bmp")
      try box.write(
        Array(bytes.dropLast()) + [bytes[bytes.count - 1] ^ 1], to: "copies/\(kind).bmp")
    }
    try box.cairn("photo", "add", "../new", "../copies", in: "a")
    let asked = try box.cairn("review", "--sort", "uncertainty", "--json", in: "a").json()
    let ids = asked.elements.map { $0["photo"]["id"].string }
    #expect(ids.count == 12 && Set(ids).count == 12)
    let few = try box.cairn("review", "--sort", "uncertainty", "--limit", "2", "--json", in: "a")
      .json()
    #expect(few.elements.map { $0["photo"]["id"].string } == Array(ids.prefix(2)))
    // The most certain ones come last.
    try box.cairn("predict", "--find", "is:unlabeled", in: "a")
    let confidences = try ids.map { id in
      try box.cairn("show", id, "--json", in: "a").json()["resolution"].elements
        .map { $0["confidence"].number }.max() ?? 0
    }
    #expect(confidences.prefix(6).reduce(0, +) < confidences.suffix(6).reduce(0, +))

    let none = try box.runCairn(
      ["review", "--sort", "uncertainty", "--labeler", "x", "--json"], in: "a")
    #expect(none.status == 66 && none.stderr.contains("Models: textures."), "\(none.stderr)")
  }
}
