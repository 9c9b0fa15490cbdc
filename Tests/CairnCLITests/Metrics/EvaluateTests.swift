import Foundation
import TestSupport
import Testing

@Suite("cairn evaluate")
struct EvaluateTests {
  @Test(
    "prints the figures that scikit-learn computes",
    .enabled(if: Programs.clients != nil, Programs.missingClients), arguments: UInt64(1)..<5)
  func oracle(seed: UInt64) throws {
    let scene = try MetricsScene(seed: seed)
    let (models, wanted) = (
      try scene.box.json("evaluate", in: "a").elements, try scene.oracle()["models"]
    )
    #expect(models.map { $0["model"].string } == ["net@1", "net@2", "vit@1"])
    for model in models {
      let name = model["model"].string
      let expected = wanted[name]
      for figure in ["photos", "disputed", "withoutGroundTruth"] {
        #expect(isEqual(model[figure], expected[figure]), "\(name) \(figure)")
      }
      #expect(model["classes"].elements.count == (name == "vit@1" ? 2 : 5))
      for one in model["classes"].elements {
        for figure in ["photos", "accuracy", "precision", "recall", "f1"] {
          let wanted = expected["classes"][one["class"].string][figure]
          #expect(isEqual(one[figure], wanted), "\(name) \(one["class"].string) \(figure)")
        }
        let precision = expected["classes"][one["class"].string]["averagePrecision"]
        #expect(isEqual(one["averagePrecision"], precision), "\(name) \(one["class"].string)")
      }
      #expect(model["sets"].strings("set") == (name == "vit@1" ? [] : ["breed"]))
      for set in model["sets"].elements {
        let wanted = expected["sets"]["breed"]
        for figure in ["classes", "matrix", "none"] { #expect(set[figure] == wanted[figure]) }
        #expect(isEqual(set["accuracy"], wanted["accuracy"]))
        #expect(isEqual(set["top1"]["value"], wanted["top1"]))
        #expect(set["top5"] == .null)
        check(set, wanted, name)
      }
      check(model["independent"], expected["independent"], name)
      #expect(
        isEqual(
          model["independent"]["meanAveragePrecision"],
          expected["independent"]["meanAveragePrecision"]))
      let bins = model["calibration"]["bins"].elements
      #expect(bins.count == 10)
      let filled = bins.filter { $0["count"].number > 0 }
      let wantedBins = expected["bins"].elements
      #expect(filled.count == wantedBins.count)
      for (bin, wanted) in zip(filled, wantedBins) {
        for (figure, wanted) in zip(["count", "accuracy", "confidence"], wanted.elements) {
          #expect(isEqual(bin[figure], wanted), "\(name) \(figure)")
        }
      }
      #expect(isEqual(model["calibration"]["error"], expected["error"]))
    }
  }

  /// Compares the macro and micro means.
  private func check(_ figures: JSONValue, _ wanted: JSONValue, _ name: String) {
    for mean in ["macro", "micro"] {
      for (index, figure) in ["precision", "recall", "f1"].enumerated() {
        let expected = wanted[mean].elements[index]
        #expect(isEqual(figures[mean][figure], expected), "\(name) \(mean) \(figure)")
      }
    }
  }

  @Test("selects models and classes, and ignores withdrawn runs")
  func selection() throws {
    let box = try Sandbox(lfs: false)
    let photos = try box.startDataset(photos: 3)
    #expect(try box.cairn("evaluate", in: "a").stdout.contains("No model predicted these photos"))
    let run = try box.json("run", "start", "net@1", in: "a")["id"].string
    try box.cairn("label", photos[0], photos[1], "oak", "--run", run, in: "a")
    try box.cairn("label", photos[0], "elm", "--as", "net@2", "--confidence", "0.8", in: "a")
    #expect(
      try box.json("evaluate", in: "a").elements.map { $0["withoutGroundTruth"].number } == [2, 1])
    try box.cairn("reject", photos[0], "oak", in: "a")
    try box.cairn("accept", photos[0], "elm", in: "a")
    let models = try box.json("evaluate", in: "a").elements
    #expect(models.map { $0["independentUndefined"].string } == ["no-positives", "no-negatives"])
    let (oakOnly, elmOnly) = (models[0]["classes"].elements[0], models[1]["classes"].elements[0])
    #expect(oakOnly["precision"].number == 0 && oakOnly["recall"] == .null)
    #expect(elmOnly["precision"] == .null && elmOnly["f1"] == .null)
    #expect(elmOnly["averagePrecision"] == .null && elmOnly["recall"].number == 1)
    #expect(try box.json("evaluate", "--model", "net@2", in: "a").strings("model") == ["net@2"])
    #expect(try box.json("evaluate", "--model", "net", in: "a").elements.count == 2)
    let first = try box.json("evaluate", "--model", "net@1", in: "a").elements[0]
    #expect(first["neverNamed"] == .array([.string("elm")]))
    let oak = try box.json("evaluate", "--class", "oak", in: "a").elements
    #expect(oak.map { $0["calibration"]["count"].number } == [1, 0])
    try box.refuses("evaluate", "--model", "vit", in: "a", with: ExitStatus.notFound)
    try box.cairn("run", "withdraw", run, in: "a")
    #expect(try box.json("evaluate", in: "a").strings("model") == ["net@2"])
    let text = try box.cairn("evaluate", in: "a").stdout
    #expect(text.contains("net@2  1 photo") && text.contains("calibration error 0.200"))
    #expect(text.contains("no precision, recall and F1: no photo lacks the class"))
    #expect(text.contains("no top-1 accuracy: none of its classes is in an exclusive set"))
    #expect(text.contains("photos on which it gave no label are not all known"))
  }

  @Test("says why there is no precision if a class is never predicted")
  func neverPredicted() throws {
    let box = try Sandbox(lfs: false)
    let photos = try box.startDataset(photos: 2)
    try box.cairn(
      "label", photos[0], photos[1], "oak", "--as", "net@1", "--confidence", "0.2", in: "a")
    try box.cairn("label", photos[0], "oak", in: "a")
    try box.cairn("label", photos[1], "oak", "--absent", in: "a")
    let model = try #require(try box.json("evaluate", in: "a").elements.first)
    #expect(model["classes"].elements[0]["precision"] == .null)
    #expect(try box.cairn("evaluate", in: "a").stdout.contains("  never predicted\n"))
  }

  @Test("does not measure a model on classes that it only labels as absent")
  func absentOnly() throws {
    let box = try Sandbox(lfs: false)
    let photo = try box.startDataset(photos: 1)[0]
    try box.cairn("label", photo, "oak", "--as", "net@2", "--confidence", "0.8", in: "a")
    // Another version found it.
    try box.cairn(
      "label", photo, "elm", "--absent", "--as", "net@2", "--confidence", "0.95", in: "a")
    for name in ["oak", "elm"] { try box.cairn("label", photo, name, in: "a") }
    let model = try #require(try box.json("evaluate", in: "a").elements.first)
    #expect(model["classes"].strings("class") == ["oak"])
    #expect(model["neverNamed"] == .array([.string("elm")]))
    #expect(model["calibration"]["count"].number == 1)
  }
}
