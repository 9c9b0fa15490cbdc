import CairnDocument
import CairnLabelers
import CairnPhotos
import Foundation
import SystemPackage
import TestSupport
import Testing

/// Python with the packages that make and run models; `make setup` installs it.
private let python = Python.program(having: "onnx, onnxruntime, PIL")

@Suite(
  "ONNX models",
  .enabled(if: python != nil, "there is no onnxruntime: `make setup` installs it"))
struct ONNXTests {
  private let scratch: TemporaryDirectory
  /// The scores of green and red that onnxruntime in Python gives each image.
  private let expected: [String: [Double]]
  private let library: String

  init() throws {
    scratch = TemporaryDirectory()
    let program = try #require(python)
    let script = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "Programs/model.py").path
    expected = try JSONDecoder().decode(
      [String: [Double]].self,
      from: ONNXTests.output(program, [script, scratch.root.string]))
    let place = try ONNXTests.output(
      program,
      [
        "-c",
        "import glob, onnxruntime as o; print(glob.glob(o.__path__[0] + '/capi/libonnxruntime.so*')[0])",
      ])
    library = String(decoding: place, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
  }

  private static func output(_ program: String, _ arguments: [String]) throws -> Data {
    let (process, output) = (Process(), Pipe())
    process.executableURL = URL(filePath: program)
    process.arguments = arguments
    process.standardOutput = output
    try process.run()
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0, "\(arguments) failed")
    return data
  }

  private static let pixels: PixelReader = { image in
    let bytes = try Data(contentsOf: URL(filePath: image.path.string))
    return try bytes.withUnsafeBytes { try PixelBuffer(decoding: $0) }
  }

  private func inProcess(_ model: String = "net.onnx") throws -> any Labeler {
    let json: JSON = [
      "file": .string(scratch.path(model).string), "kind": "onnx",
      "library": .string(library), "name": "x",
    ]
    return try LabelerDescription(json: json).open(environment: .quick, pixels: ONNXTests.pixels)
  }

  private func coprocess(_ model: String = "net.onnx") throws -> any Labeler {
    let script = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../Sources/Cairn/Documentation.docc/labeler.py").standardized.path
    let json: JSON = [
      "command": [
        .string(try #require(python)), .string(script),
        .string(scratch.path(model).string),
      ],
      "kind": "program", "name": "x",
    ]
    return try LabelerDescription(json: json).open(environment: .quick, pixels: noPixels)
  }

  private func image(_ name: String) -> LabelerImage {
    LabelerImage(
      name: name, path: scratch.path(name), format: name.hasSuffix("png") ? .png : .jpeg,
      width: 1, height: 1)
  }

  @Test(
    "gives the scores that onnxruntime in Python gives, in-process and in a program",
    arguments: ["net.onnx", "bytes.onnx"])
  func equal(model: String) throws {
    let labelers = [try inProcess(model), try coprocess(model)]
    let identities = try labelers.map { try $0.identity() }
    #expect(identities[0] == identities[1])
    #expect(identities[0].model.identity == "net@2026-11" && identities[0].digest?.count == 64)
    #expect(expected.count == 14)
    for (name, scores) in expected {
      for labeler in labelers {
        let findings = try labeler.predict(image(name)).findings
        for (label, score) in zip(["green", "red"], scores) {
          let found = try #require(findings.first { $0.name == label })
          #expect(abs(found.score - score) < 1e-4, "\(name): \(label) \(found.score), not \(score)")
        }
      }
    }
    for labeler in labelers { labeler.close() }
  }

  @Test("fails only the image whose scores are not numbers, in-process and in a program")
  func notNumbers() throws {
    for labeler in [try inProcess("nan.onnx"), try coprocess("nan.onnx")] {
      let error = complaint { _ = try labeler.predict(image("image-0.png")) }
      #expect(error?.scope != .labeler)
      #expect(error?.message.contains("not a number") == true, "\(String(describing: error))")
      labeler.close()
    }
  }

  @Test("predicts the classes that the model was trained on")
  func right() throws {
    let labeler = try inProcess()
    for index in [0, 1, 2, 3, 5] {
      let best = try labeler.predict(image("image-\(index).png")).findings[0]
      #expect(best.name == ["green", "red"][index % 2] && best.score > 0.6)
    }
  }

  @Test("predicts from several threads at once")
  func threads() throws {
    let labeler = try inProcess()
    let images = (0..<40).map { image("image-\($0 % 7).png") }
    var scores: [Int: Double] = [:]
    try PredictionPool(labeler, atOnce: 8).run(images.count, image: { images[$0] }) {
      for (index, outcome) in $0 { scores[index] = try outcome.get().findings[0].score }
    }
    for index in 0..<40 { #expect(scores[index] == scores[index % 7]) }
  }

  @Test(
    "reports in one sentence why a model or its description is unusable",
    arguments: [
      ("vector.onnx", "vector.onnx takes 1×4, which is not an image (1×3×height×width)"),
      ("three.onnx", "three.onnx returns 3 scores, but its description lists 2 classes"),
      ("size.onnx", "size.onnx takes 1×3×16×16, but its description has a width of 224"),
      ("broken.onnx", "broken.onnx cannot be loaded"),
      ("bare.onnx", "bare.json, the description of the model, is missing"),
      ("nameless.onnx", "“classes” must list"),
      ("nowhere.onnx", "there is no model file"),
    ])
  func refusals(model: String, fragment: String) throws {
    let labeler = try inProcess(model)
    let error = complaint { _ = try labeler.identity() }
    #expect(error?.message.contains(fragment) == true, "\(String(describing: error))")
    #expect(error?.scope == .labeler)
  }

  @Test("reports a library that is missing or is not ONNX Runtime")
  func wrongLibrary() throws {
    for (path, fragment) in [
      ("/nowhere/libonnxruntime.so", "ONNX Runtime cannot be loaded"),
      ("libc.so.6", "libc.so.6 is not ONNX Runtime"),
    ] {
      let json: JSON = [
        "file": .string(scratch.path("net.onnx").string), "kind": "onnx",
        "library": .string(path), "name": "x",
      ]
      let labeler = try LabelerDescription(json: json).open(environment: .quick, pixels: noPixels)
      let error = complaint { _ = try labeler.identity() }
      #expect(error?.message.contains(fragment) == true, "\(String(describing: error))")
    }
  }

  @Test("fails only the image that cannot be decoded")
  func broken() throws {
    let labeler = try inProcess()
    let whole = try Data(contentsOf: URL(filePath: scratch.path("image-5.jpg").string))
    try whole.prefix(100).write(to: URL(filePath: scratch.path("cut.jpg").string))
    #expect(throws: LabelerError.self) { _ = try labeler.predict(image("cut.jpg")) }
    #expect(try labeler.predict(image("image-5.jpg")).findings.count == 2)
  }
}
