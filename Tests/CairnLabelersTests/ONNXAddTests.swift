import CairnDocument
import CairnLabelers
import Foundation
import SystemPackage
import TestSupport
import Testing

private let python = Python.program(having: "onnx, onnxruntime, PIL")

@Suite(
  "cairn labeler add --onnx",
  .enabled(if: python != nil, "there is no onnxruntime: `make setup` installs it"))
struct ONNXAddTests {
  private let box: Sandbox
  /// The folder of the library in the Python package.
  private let capi: String

  init() throws {
    box = try Sandbox(user: "Ann")
    try box.cairn("init", "a")
    let program = try #require(python)
    let script = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "Programs/model.py").path
    try box.write("", to: "models/.keep")
    try box.succeed(program, [script, box.path("models").string])
    let found = try box.succeed(
      program, ["-c", "import onnxruntime as o; print(o.__path__[0] + '/capi', end='')"])
    capi = found.stdout
  }

  private func add(
    _ model: String, _ more: [String] = [], _ environment: [String: String] = [:]
  ) throws -> ProgramOutput {
    try box.runCairn(
      ["labeler", "add", "net", "--onnx", "../models/\(model)", "--replace"] + more, in: "a",
      environment: environment)
  }

  @Test("finds the library in the active environments, the variable and the option, and adds")
  func added() throws {
    let packages = "lib/python3.12/site-packages/onnxruntime"
    try FileManager.default.createDirectory(
      atPath: box.path("venv/\(packages)").string, withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      atPath: box.path("venv/\(packages)/capi").string, withDestinationPath: capi)
    let venv = box.path("venv").string
    let cases: [([String], [String: String])] = [
      ([], ["VIRTUAL_ENV": venv]), ([], ["CONDA_PREFIX": venv]), ([], ["CAIRN_ONNXRUNTIME": capi]),
      (["--library", capi], [:]),
    ]
    for (more, environment) in cases {
      let output = try add("net.onnx", more, environment)
      #expect(output.status == 0, "\(environment): \(output.stderr)")
    }
    // A model whose scores for a black image are not numbers may have scores for others.
    #expect(try add("nan.onnx", ["--library", capi]).status == 0)
  }

  @Test(
    "names what is wrong with a model, and adds nothing",
    arguments: [
      ("nowhere.onnx", "there is no model file"), ("", "is not a file"),
      ("bare.onnx", "bare.json, the description of the model, is missing"),
      ("broken.onnx", "broken.onnx cannot be loaded"),
      ("three.onnx", "returns 3 scores, but its description lists 2 classes"),
      ("vector.onnx", "which is not an image"),
    ])
  func refused(model: String, fragment: String) throws {
    let output = try add(model, ["--library", capi])
    #expect(output.status == 65, "\(output.stderr)")
    #expect(output.stderr.hasPrefix("cairn: The labeler cannot be added: "))
    #expect(output.stderr.contains(fragment), "\(output.stderr)")
    let list = try box.cairn("labeler", "list", "--json", in: "a")
    #expect(try JSON(bytes: list.bytes).array?.isEmpty == true)
  }

  @Test("says that a folder has no library, and that raw scores need an activation")
  func unusable() throws {
    let empty = try add("net.onnx", [], ["CAIRN_ONNXRUNTIME": box.path("models").string])
    #expect(empty.stderr.contains("there is no ONNX Runtime in "), "\(empty.stderr)")
    let file = URL(filePath: box.path("models/net.json").string)
    let text = try String(contentsOf: file, encoding: .utf8)
    let bare = text.replacing("\"activation\": \"softmax\"", with: "\"name\": \"scores\"")
    try box.write(bare, to: "models/net.json")
    let raw = try add("net.onnx", ["--library", capi])
    #expect(raw.stderr.contains("activation"), "\(raw.stderr)")
  }
}
