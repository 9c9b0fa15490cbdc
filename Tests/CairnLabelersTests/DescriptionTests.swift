import CairnDocument
import CairnLabelers
import Foundation
import TestSupport
import Testing

@Suite("Descriptions of labelers")
struct DescriptionTests {
  @Test(
    "a description that cannot work is refused with what is wrong",
    arguments: [
      (#"{"kind": "oracle", "name": "x"}"#, "none of service, program and onnx"),
      (#"{"kind": "onnx", "name": "../x", "file": "a.onnx"}"#, "“name” is not made of"),
      (#"{"kind": "onnx", "name": "x"}"#, "“file” is missing"),
      (#"{"kind": "program", "name": "x", "command": []}"#, "“command” is not a list"),
      (#"{"kind": "service", "name": "x"}"#, "one of “preset” and “service”"),
      (#"{"kind": "service", "name": "x", "preset": "skynet"}"#, "no preset “skynet”"),
      (#"{"kind": "service", "name": "x", "preset": "plain"}"#, "“endpoint” is missing"),
      (
        #"{"kind": "service", "name": "x", "preset": "plain", "settings": {"endpoint": "file:///etc"}}"#,
        "not an address that begins with"
      ),
      (
        #"{"kind": "service", "name": "x", "preset": "plain", "settings": {"endpoint": "https://me:pw@h"}}"#,
        "without a name and a password"
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
        "holds a secret"
      ),
      (
        #"{"kind": "service", "name": "x", "service": {"bytes": {"url": "https://h/{what}"}, "answer": {}}}"#,
        "nothing is said of “{what}”"
      ),
      (
        #"{"kind": "service", "name": "x", "service": {"bytes": {"url": "https://h"}, "answer": {"at": "a..b"}}}"#,
        "no place in an answer"
      ),
      (#"{"kind": "onnx", "name": "x", "file": "a", "atOnce": 0}"#, "“atOnce” is not a number"),
    ])
  func refusals(text: String, words: String) throws {
    let json = try JSON(bytes: text.utf8)
    let error = complaint { _ = try LabelerDescription(json: json) }
    #expect(error?.message.contains(words) == true, "\(String(describing: error))")
  }

  @Test("a service of one's own is described as the presets are")
  func described() throws {
    let (services, scratch) = (try Services(), try Scratch())
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
