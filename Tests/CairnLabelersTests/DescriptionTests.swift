import CairnDocument
import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import CairnLabelers

@Suite("Labeler descriptions")
struct DescriptionTests {
  @Test(
    "rejects an invalid description and says why",
    arguments: [
      (#"{"kind": "oracle", "name": "x"}"#, "“kind” must be service, program, onnx or trained"),
      (#"{"kind": "onnx", "name": "../x", "file": "a.onnx"}"#, "“name” may contain only"),
      (#"{"kind": "onnx", "name": "x"}"#, "“file” is missing"),
      (#"{"kind": "program", "name": "x", "command": []}"#, "“command” must be a list"),
      (#"{"kind": "service", "name": "x"}"#, "either “preset” or “service”"),
      (#"{"kind": "service", "name": "x", "preset": "skynet"}"#, "no preset “skynet”"),
      (#"{"kind": "service", "name": "x", "preset": "plain"}"#, "“endpoint” is missing"),
      (
        #"{"kind": "service", "name": "x", "preset": "plain", "settings": {"endpoint": "file:///etc"}}"#,
        "must be an https:// or http:// URL"
      ),
      (
        #"{"kind": "service", "name": "x", "preset": "plain", "settings": {"endpoint": "https://me:pw@h"}}"#,
        "without user, password"
      ),
      (
        #"{"kind": "service", "name": "x", "preset": "kserve", "settings": {"model": "m"}}"#,
        "“names” is missing"
      ),
      (
        #"{"kind": "service", "name": "x", "preset": "google-vision", "settings": {"color": "red"}}"#,
        "no setting “color”"
      ),
      (
        #"{"kind": "service", "name": "x", "service": {"bytes": {"url": "https://h", "headers": {"X-Api-Key": "abc"}}, "answer": {}}}"#,
        "contains a secret"
      ),
      (
        #"{"kind": "service", "name": "x", "service": {"bytes": {"url": "https://h/{what}"}, "answer": {}}}"#,
        "“{what}” is not defined"
      ),
      (
        #"{"kind": "service", "name": "x", "service": {"bytes": {"url": "https://h"}, "answer": {"at": "a..b"}}}"#,
        "not a path in a response"
      ),
      (#"{"kind": "onnx", "name": "x", "file": "a", "atOnce": 0}"#, "“atOnce” must be a number"),
    ])
  func refusals(text: String, fragment: String) throws {
    let json = try JSON(bytes: text.utf8)
    let error = complaint { _ = try LabelerDescription(json: json) }
    #expect(error?.message.contains(fragment) == true, "\(String(describing: error))")
  }

  @Test("reads a model's classes without a byte order mark, and refuses other encodings than UTF-8")
  func classFiles() throws {
    let scratch = TemporaryDirectory()
    let model = scratch.root.appending("net.onnx")
    func write(_ bytes: Data, to name: String) throws {
      try bytes.write(to: URL(filePath: scratch.root.appending(name).string))
    }
    try write(Data(#"{"classes": "names.txt"}"#.utf8), to: "net.json")
    try write(Data("\u{FEFF}chêne\r\npin\r\n".utf8), to: "names.txt")
    #expect(try ModelConfig(forModel: model).classes == ["chêne", "pin"])
    try write(Data("ch".utf8) + [0xEA] + Data("ne\n".utf8), to: "names.txt")
    let error = complaint { _ = try ModelConfig(forModel: model) }
    #expect(error?.message.contains("“names.txt” is not valid UTF-8") == true)
  }

  @Test(
    "keeps brackets around text without a name, and leaves out optional parts",
    arguments: [
      ("{a}[/versions/{b}]", "x"), ("{a}[/versions/{c}]", "x/versions/z"),
      (#"Answer with ["class", score] pairs"#, #"Answer with ["class", score] pairs"#),
      (#"[["class", score], …] of {a}[ and {b}]"#, #"[["class", score], …] of x"#),
      ("http://[::1]:80/{a}", "http://[::1]:80/x"), ("from [0, 1) to {a}", "from [0, 1) to x"),
    ])
  func brackets(text: String, expected: String) throws {
    let template = try Template(text, names: ["a", "b", "c"])
    #expect(template.filled { ["a": "x", "b": "", "c": "z"][$0] ?? "" } == expected)
  }

  @Test("describes a custom service in the same form as the presets")
  func described() throws {
    let (services, scratch) = (try Services(), TemporaryDirectory())
    let text = """
      {"kind": "service", "model": "own@1", "name": "own", "service": {
        "bytes": {"url": "\(services.url("triton", "ok"))/v2/models/trees/infer",
          "body": {"inputs": [{"name": "image", "shape": [1], "datatype": "BYTES", "data": ["{base64}"]}],
            "outputs": [{"name": "p", "parameters": {"classification": 20}}]}},
        "answer": {"form": "ranked", "at": "outputs[0].data"}}}
      """
    let labeler = try LabelerDescription(json: try JSON(bytes: text.utf8))
      .open(environment: .quick, pixels: noPixels)
    #expect(
      Set(try labeler.predict(try scratch.image(0)).findings.map(\.name)) == ["tree", "outdoor"])
  }
}
