import Cairn
import Foundation
import TestSupport
import Testing

@Suite("Batch")
struct BatchTests {
  private let box: Sandbox
  private let photo: String

  init() throws {
    box = try Sandbox()
    photo = try box.startDataset(photos: 1)[0]
    try box.cairn("label", photo, "oak", "--create", in: "a")
  }

  private func answers(_ requests: String...) throws -> [JSON] {
    let output = try box.run(
      box.cairnProgram(), ["batch"], in: "a", stdin: Data(requests.joined(separator: "\n").utf8))
    #expect(output.status == 0)
    return try output.stdout.split(separator: "\n").map { try JSON(bytes: $0.utf8) }
  }

  @Test("answers each request on a line, in order, with the request's id")
  func order() throws {
    let answers = try answers(
      #"{"id": "a", "do": "find", "query": "label:oak", "labels": true}"#,
      #"{"id": "b", "do": "count", "query": ""}"#)
    #expect(answers.map { $0["id"]?.string } == ["a", "a", "b"])
    #expect(answers[0]["item"]?["labels"]?.array?.count == 1)
    #expect(answers[1]["result"]?["count"]?.int == 1)
    #expect(answers[2]["result"]?["count"]?.int == 1)
  }

  @Test("finds photos with labels if people's error rates decide")
  func labelsOfPeople() throws {
    try box.cairn("policy", "set", "--people", "dawid-skene", in: "a")
    try box.setIdentity("Bob", in: "a")
    try box.cairn("label", photo, "oak", in: "a")
    let answers = try answers(#"{"id": 1, "do": "find", "query": "", "labels": true}"#)
    #expect(answers.count == 2)
    #expect(answers[0]["item"]?["labels"]?.array?.count == 2)
  }

  @Test(
    "refuses members of the wrong type",
    arguments: [
      #""do": "find", "query": ["label:oak"]"#, #""do": "find", "sort": 1"#,
      #""do": "find", "reverse": "yes""#, #""do": "find", "limit": "10""#,
      #""do": "find", "sort": "taken", "limit": -1"#, #""do": "find", "limit": 1.5"#,
      #""do": "find", "offset": -1"#, #""do": "find", "labels": 1"#, #""do": "find", "split": 1"#,
      #""do": "count", "query": 1"#, #""do": "run start", "model": "a@1", "parameters": []"#,
      #""confidence": "0.93""#, #""box": {"x": 0, "y": 0, "width": 1, "height": 1}"#,
      #""box": ["a", 0, 0, 1, 1]"#, #""run": 4108"#, #""as": ["net@1"]"#,
      #""verdict": ["absent"]"#, #""text": 1"#, #""continues": "yes""#,
    ])
  func types(members: String) throws {
    let label = #""do": "label", "photos": ["\#(photo)"], "classes": ["oak"], "#
    let before = try box.listing()
    let answers = try answers("{\(members.contains("do") ? "" : label)\(members)}")
    #expect(answers.map { $0["error"]?["exitCode"]?.int } == [65])
    #expect(try box.listing().differences(from: before).isEmpty)
  }

  @Test("takes null for a member that is not there")
  func null() throws {
    let answers = try answers(
      #"{"do": "find", "query": null, "sort": null, "limit": null, "split": null}"#,
      #"{"do": "label", "photos": ["\#(photo)"], "classes": ["oak"], "box": null, "as": null}"#)
    #expect(answers.compactMap { $0["error"] }.isEmpty)
  }

  @Test("reports an error and goes on")
  func errors() throws {
    let answers = try answers(
      "nonsense", #"{"id": 1, "do": "fly"}"#,
      #"{"id": 2, "do": "label", "photos": ["nowhere.png"], "classes": ["elm"]}"#,
      #"{"id": 3, "do": "label", "photos": ["\#(photo)"], "classes": ["elm"], "create": true}"#)
    #expect(answers.compactMap { $0["error"]?["exitCode"]?.int } == [65, 64, 66])
    #expect(answers[3]["result"]?.array?.first?["changed"]?.bool == true)
    #expect(try box.labels(of: photo, in: "a").contains("ann: elm present"))
  }

  @Test("makes a request that continues part of the operation of the request before")
  func continues() throws {
    let before = try box.json("operations", in: "a").elements.count
    let label = #""do": "label", "photos": ["\#(photo)"], "create": true"#
    let answers = try answers(
      #"{"id": 1, \#(label), "classes": ["fir"]}"#,
      #"{"id": 2, \#(label), "classes": ["elm"], "continues": false}"#,
      #"{"id": 3, "do": "fly", "continues": true}"#,
      #"{"id": 4, \#(label), "classes": ["ash"], "continues": true}"#)
    #expect(answers.compactMap { $0["error"]?["exitCode"]?.int } == [64])
    #expect(try box.json("operations", in: "a").elements.count == before + 2)
    try box.cairn("undo", in: "a")
    #expect(try box.state(of: "ash", on: photo, in: "a") == nil)
    #expect(try box.state(of: "elm", on: photo, in: "a") == nil)
    #expect(try box.state(of: "fir", on: photo, in: "a") == "confirmed")
  }

  @Test("records a model's labels, each with its confidence, and withdraws the run")
  func run() throws {
    let run = try #require(
      answers(#"{"id": 1, "do": "run start", "model": "tree@1"}"#)[0]["result"]?["id"]?.string)
    let answers = try answers(
      #"{"id": 2, "do": "label each", "run": "\#(run)", "labels": ["#
        + #"{"photo": "\#(photo)", "class": "elm", "confidence": 0.8}, "#
        + #"{"photo": "\#(photo)", "class": "ash", "confidence": 0.7}]}"#,
      #"{"id": 3, "do": "count", "query": "model:tree"}"#,
      #"{"id": 4, "do": "run withdraw", "run": "\#(run)"}"#,
      #"{"id": 5, "do": "count", "query": "state:predicted"}"#)
    let confidences = answers[0]["result"]?.array?.compactMap { $0["label"]?["confidence"]?.double }
    #expect(confidences == [0.8, 0.7])
    #expect(answers[1]["result"]?["count"]?.int == 1)
    #expect(answers[2]["result"]?["withdrawn"]?.bool == true)
    #expect(answers[3]["result"]?["count"]?.int == 0)
  }
}
