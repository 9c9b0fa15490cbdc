import CairnDocument
import Foundation
import TestSupport
import Testing

@Suite("cairn evaluate of silent models")
struct SilentEvaluationTests {
  /// A dataset whose people's labels are known for two classes that the model scores.
  private func scene(_ behavior: String = "unsure") throws -> Scene {
    let scene = try Scene(photos: 16)
    try scene.addProgram(behavior)
    for name in ["tree", "outdoor"] {
      for (index, photo) in scene.photos.enumerated() {
        let isPresent = (index + (name == "tree" ? 0 : 1)) % 3 != 0
        var arguments = ["label", photo, name, "--create"]
        if !isPresent { arguments.append("--absent") }
        try scene.box.runCairn(arguments, in: "a")
      }
    }
    return scene
  }

  @Test("gives the same figures with any --min up to the threshold")
  func minimum() throws {
    let scene = try scene()
    var figures: [[String]] = []
    for (minimum, isAgain) in [("0.001", false), ("0.25", true), ("0.5", true)] {
      let arguments = ["predict", "--min", minimum, "--json"] + (isAgain ? ["--again"] : [])
      let predicted = try scene.box.runCairn(arguments, in: "a")
      #expect(predicted.status == 0, "\(predicted.all)")
      let model = try #require(try scene.json("evaluate").array?.first)
      #expect(model["silentIsKnown"] == true)
      let (photos, silent) = (model["photos"]?.int ?? 0, model["silent"]?.int ?? 0)
      #expect(photos + silent == 16)
      if minimum == "0.5" { #expect(silent > 0 && photos > 0) }
      let classes = (model["classes"]?.array ?? []).sorted {
        ($0["class"]?.string ?? "") < ($1["class"]?.string ?? "")
      }
      var texts: [String] = []
      for one in classes {
        for key in [
          "class", "photos", "accuracy", "precision", "precisionInterval", "recall", "f1",
          "truePositives", "falseNegatives", "falsePositives", "trueNegatives",
        ] {
          texts.append("\(key) \(one[key]?.canonicalText ?? "-")")
        }
      }
      for key in ["macro", "micro", "macroF1Interval", "classes"] {
        texts.append("\(key) \(model["independent"]?[key]?.canonicalText ?? "-")")
      }
      #expect(classes.count == 2)
      figures.append(texts)
    }
    #expect(figures[1] == figures[0])
    #expect(figures[2] == figures[0])
  }

  @Test("counts the silent photos of a command that Ctrl-C ended as missed")
  func interrupted() throws {
    let scene = try scene("unsure-stalls")
    let running = try scene.box.command(
      scene.box.cairnProgram(), ["predict", "--min", "0.8"], in: "a"
    ).start()
    wait { scene.predictedCount() == 8 || !running.isRunning }
    running.interrupt()
    let ended = try running.wait()
    #expect(ended.status == 130 && ended.stderr.contains("run the same command again"))
    let model = try #require(try scene.json("evaluate").array?.first)
    let (photos, silent) = (model["photos"]?.int ?? 0, model["silent"]?.int ?? 0)
    #expect(photos + silent == 8 && silent > 0 && model["silentIsKnown"] == true)
    try scene.addProgram("unsure")
    #expect(try scene.json("predict", "--min", "0.8")["skipped"]?.int == 8)
    let runs = try scene.json("run", "list").array ?? []
    #expect(runs.count == 1 && (runs[0]["silent"]?.int ?? 0) > silent)
  }

  @Test("counts a silent photo as missed, in the top-1 accuracy of a set too")
  func exclusive() throws {
    let scene = try Scene(photos: 16)
    try scene.addProgram("unsure")
    for photo in scene.photos { try scene.box.cairn("label", photo, "tree", "--create", in: "a") }
    try scene.box.cairn("label", scene.photos[0], "outdoor", "--create", "--absent", in: "a")
    try scene.box.cairn("class", "set", "scene", "tree", "outdoor", in: "a")
    try scene.box.cairn("predict", "--min", "0.8", in: "a")
    let model = try #require(try scene.json("evaluate").array?.first)
    let set = try #require(model["sets"]?.array?.first)
    #expect(set["photos"]?.int == 16 && set["top1"]?["count"]?.int == 16)
    #expect((model["silent"]?.int ?? 0) > 0)
    let none = set["none"]?.array?.compactMap(\.int).reduce(0, +) ?? 0
    #expect(none >= model["silent"]?.int ?? 99)
    #expect(model["independentUndefined"]?.string == "no-classes")
    let text = try scene.box.cairn("evaluate", in: "a").stdout
    #expect(text.contains("set “scene”: top-1 accuracy "))
    #expect(text.contains("all photos are of one class"))
    #expect(text.contains(/missed: no label on \d+ other photos that people labeled/))
  }
}
