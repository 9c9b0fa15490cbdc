import Cairn
import Foundation
import Synchronization
import SystemPackage
import TestSupport
import Testing

private let python = Python.program(having: "onnx, onnxruntime, PIL")

@Suite(
  "cairn train --features",
  .enabled(if: python != nil, "there is no onnxruntime: `make setup` installs it"))
struct TrainEmbeddingTests {
  private let box: Sandbox
  private let program: String
  private let script: String
  /// The folder of ONNX Runtime.
  private let library: String

  init() throws {
    box = try Sandbox.textures()
    program = try #require(python)
    script =
      URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "embedding.py").path
    try box.write("", to: "models/.keep")
    try box.succeed(program, [script, "make", box.path("models").string])
    library = try box.succeed(
      program, ["-c", "import onnxruntime as o; print(o.__path__[0] + '/capi', end='')"]
    ).stdout
  }

  private func train(_ model: String = "net", _ more: String...) throws -> ProgramOutput {
    try box.runCairn(
      [
        "train", "textures", "--json", "--features", "../models/\(model).onnx", "--library",
        library,
      ] + more, in: "a")
  }

  /// Returns the files with features.
  private func featureFiles() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: box.path("a/.git/cairn/features").string)
      .filter { $0.hasPrefix("onnx-") }.sorted()
  }

  @Test("learns from another model's output, and onnxruntime agrees with the result")
  func agrees() throws {
    let output = try train("net", "--output", "../trained.onnx")
    try #require(output.status == 0, "\(output.stderr)")
    let report = try output.json()
    #expect(report["crossValidation"]["accuracy"]["value"].number > 0.8)
    #expect(report["classes"].strings("class") == ["checks", "dots", "stripes"])
    let again = try train().json()
    #expect(again["run"] == report["run"])
    let card = try box.cairn("run", "show", report["run"].string, "--json", in: "a").json()
    let training = card["parameters"]["training"]
    #expect(training["embedding"]["file"].string == "net.onnx")
    #expect(try featureFiles() == [training["features"].string])

    try Textures.write(40..<42, to: "new", in: box)
    let files = Textures.kinds.flatMap { kind in (40..<42).map { "new/\(kind)-\($0).bmp" } }
    let answers = try box.succeed(program, [script, "run", "trained.onnx"] + files).json()
    // The copy is the same model, where ONNX Runtime is found.
    try box.cairn(
      "labeler", "add", "copy", "--onnx", "../trained.onnx", "--library", library, in: "a")
    for (file, expected) in zip(files, answers.elements) {
      for labeler in ["textures", "copy"] {
        let answer = try box.cairn("labeler", "test", labeler, "../\(file)", "--json", in: "a")
          .json()
        #expect(answer["model"] == report["model"])
        for label in answer["labels"].elements {
          let score = expected[label["name"].string].number
          #expect(abs(label["score"].number - score) < 1e-4, "\(file): \(label)")
        }
      }
    }
  }

  @Test("computes features once, and predicts from them without the images")
  func caches() throws {
    let report = try train().json()
    let name = try #require(try featureFiles().first)
    let bytes = try box.read("a/.git/cairn/features/\(name)")
    // 48 features in 16 bits each.
    #expect(bytes.count == 36 * (32 + 4 + 4 + 2 * 48 + 4))
    #expect(try train().json()["digest"] == report["digest"])
    #expect(try box.read("a/.git/cairn/features/\(name)") == bytes)
    try box.replaceBlob(of: try box.photoID(Textures.file("dots", 3)), with: nil)
    // Without ONNX Runtime, because it is not needed.
    try box.remove("models")
    let predicted = try box.cairn("predict", "--labeler", "textures", "--json", in: "a").json()
    #expect(predicted["photos"].number == 36 && predicted["model"] == report["model"])
  }

  @Test("refuses a trained model that claims to contain another one")
  func claims() throws {
    func card(_ output: ProgramOutput) throws -> JSONValue {
      try #require(output.status == 0, "\(output.stderr)")
      let run = try output.json()["run"].string
      return try box.json("run", "show", run, in: "a")["parameters"]["training"]
    }
    let other = try card(try train("other"))
    let own = try card(try train("net", "--output", "../trained.onnx"))
    try box.cairn(
      "labeler", "add", "copy", "--onnx", "../trained.onnx", "--library", library, in: "a")
    var data = Data(try box.read("trained.onnx"))
    let pairs = [
      (own["features"].string, other["features"].string),
      (own["embedding"]["digest"].string, other["embedding"]["digest"].string),
    ]
    for (text, claim) in pairs {
      try #require(text != claim && text.utf8.count == claim.utf8.count)
      while let range = data.range(of: Data(text.utf8)) {
        data.replaceSubrange(range, with: Data(claim.utf8))
      }
    }
    try box.write(Array(data), to: "fake.onnx")
    let refused = try box.runCairn(
      ["labeler", "add", "fake", "--onnx", "../fake.onnx", "--library", library], in: "a")
    #expect(refused.status != 0, "\(refused.all)")
    #expect(refused.stderr.contains("was trained by another version"), "\(refused.stderr)")
  }

  @Test("records no run of a model that cannot be written")
  func unwritable() throws {
    let models = "a/.git/cairn/models"
    let before = try box.json("run", "list", in: "a").elements.count
    try box.write("in the way", to: models)
    let output = try train()
    #expect(output.status == 74, "\(output.all)")
    let path = box.path(models).string
    #expect(
      output.stderr.contains("File system error: cannot create \(path): File exists."),
      "\(output.stderr)")
    #expect(try featureFiles().count == 1)
    #expect(try box.json("run", "list", in: "a").elements.count == before)
    try box.remove(models)
    #expect(try train().status == 0)
    #expect(try box.json("run", "list", in: "a").elements.count == before + 1)
  }

  @Test("keeps the model on this device, and runs none that is in the dataset")
  func unshared() throws {
    let output = try train("net", "--output", "../trained.onnx")
    try #require(output.status == 0, "\(output.stderr)")
    let digest = try output.json()["digest"].string
    let path = "images/\(digest.prefix(2))/\(digest.dropFirst(2).prefix(2))/\(digest).onnx"
    #expect(!box.exists("a/\(path)"))
    try box.cairn("commit", in: "a")
    try box.cairn("labeler", "remove", "textures", in: "a")
    let test = ["labeler", "test", "textures", Textures.file("dots", 1)]
    let unknown = try box.runCairn(test, in: "a")
    #expect(
      unknown.stderr.contains("There is no labeler or trained model “textures”."),
      "\(unknown.stderr)")

    // As an earlier version of cairn did.
    try box.write(Array(try box.read("trained.onnx")), to: "a/\(path)")
    try box.git("add", "images", in: "a")
    try box.git("commit", "--quiet", "-m", "a model", in: "a")
    let features = try featureFiles()
    let refused = try box.runCairn(test, in: "a")
    #expect(refused.status == 65, "\(refused.all)")
    #expect(
      refused.stderr.contains("its file in the dataset contains an embedding model"),
      "\(refused.stderr)")
    #expect(try featureFiles() == features)
    // As the hint says.
    try box.cairn(
      "labeler", "add", "textures", "--onnx", "../trained.onnx", "--library", library, in: "a")
    #expect(try box.runCairn(test, in: "a").status == 0)
  }

  @Test("predicts to the end although it is trained again meanwhile")
  func trainedMeanwhile() throws {
    let output = try train()
    try #require(output.status == 0, "\(output.stderr)")
    let file = box.url("a/.git/cairn/models/\(try output.json()["model"].string).onnx")
    try Textures.write(40..<42, to: "new", in: box)
    try box.cairn("photo", "add", "../new", in: "a")
    let dataset = try Dataset(
      at: box.path("a"), author: Author(name: "Ann", email: "ann@example.org"),
      onProgress: { progress in
        // As the next training does.
        if progress.step == "predicting" { try? FileManager.default.removeItem(at: file) }
      })
    let report = try dataset.predict(nil, with: try dataset.labeler("textures"))
    #expect(!FileManager.default.fileExists(atPath: file.path))
    #expect(report.end == nil && report.failed.isEmpty && report.photos == 42)
  }

  @Test("learns from changed copies, whose features are cached on their own")
  func copies() throws {
    let plain = try train().json()
    let name = try #require(try featureFiles().first)
    let output = try train("net", "--augment", "flip,crop")
    try #require(output.status == 0, "\(output.stderr)")
    let report = try output.json()
    #expect(report["photos"].number == 36 && report["uncopiedImages"].elements.isEmpty)
    #expect(report["digest"] != plain["digest"])
    #expect(try featureFiles() == [name, "\(name)-crop-1", "\(name)-flip-1"])
    let sizes = try featureFiles().map { try box.read("a/.git/cairn/features/\($0)").count }
    #expect(Set(sizes).count == 1)
    #expect(try train("net", "--augment", "crop,flip").json()["digest"] == report["digest"])
    #expect(try train().json()["digest"] == plain["digest"])
  }

  @Test("never mixes the features of two models")
  func separate() throws {
    let first = try train().json()
    let second = try train("other").json()
    #expect(second["model"] != first["model"])
    #expect(try featureFiles().count == 2)
    let own = try box.train()
    #expect(try featureFiles().count == 2 && own["model"] != second["model"])
    #expect(try train().json()["digest"] == first["digest"])
  }

  @Test(
    "names what is wrong with a model before it computes anything",
    arguments: [
      ("bare", "bare.json, the description of the model, is missing"),
      ("tokens", "the output “map” of tokens.onnx has 97200 numbers"),
      ("split", "its weights are in another file"), ("names", "it has a tensor “cairn_weights”"),
      ("nowhere", "there is no model file"), ("huge", "huge.onnx is too large"),
    ])
  func unusable(model: String, fragment: String) throws {
    // A file with a hole takes no space.
    try box.sh("truncate -s 2147480000 models/huge.onnx; cp models/net.json models/huge.json")
    let output = try train(model)
    #expect(output.status == 65, "\(output.stderr)")
    #expect(output.stderr.contains(fragment), "\(output.stderr)")
    #expect(!box.exists("a/.git/cairn/features") && !box.exists("a/.git/cairn/models"))
  }

  @Test("stops after many images in a row for which the model gives no numbers")
  func notNumbers() throws {
    try box.sh(
      "cp models/net.onnx models/overflows.onnx; "
        + "sed 's/\"mean\"/\"scale\": 1e38, \"mean\"/' models/net.json > models/overflows.json")
    let output = try train("overflows")
    #expect(output.status == 65, "\(output.all)")
    #expect(output.stderr.contains("has values that are not numbers"), "\(output.stderr)")
  }

  @Test("fails if the model changes during the training")
  func changed() throws {
    let (model, other) = (box.url("models/net.onnx"), box.url("models/other.onnx"))
    let isChanged = Mutex(false)
    let dataset = try Dataset(
      at: box.path("a"), author: Author(name: "Ann", email: "ann@example.org"),
      onProgress: { progress in
        guard progress.step == "training" else { return }
        isChanged.withLock { isChanged in
          if isChanged { return }
          isChanged = true
          try? FileManager.default.removeItem(at: model)
          try? FileManager.default.copyItem(at: other, to: model)
        }
      })
    var request = TrainingRequest(name: "textures")
    (request.features, request.library) = (box.path("models/net.onnx"), FilePath(library))
    let error = try #require(throws: CairnError.self) { try dataset.train(request) }
    #expect(isChanged.withLock { $0 })
    #expect(error.message.contains("net.onnx was changed in the meantime"), "\(error)")
    #expect(!box.exists("a/.git/cairn/models"))
  }

  @Test("adds no classes to a model that has some already")
  func trained() throws {
    try box.train("--output", "../models/own.onnx")
    try box.write(#"{"output": {"name": "probabilities"}}"#, to: "models/own.json")
    let output = try train("own")
    #expect(output.status == 65, "\(output.all)")
    #expect(output.stderr.contains("it is a model that cairn trained"), "\(output.stderr)")
  }
}
