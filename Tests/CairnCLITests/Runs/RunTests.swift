import Foundation
import TestSupport
import Testing

@Suite("cairn run, policy and photo edit")
struct RunTests {
  private func startRun(_ model: String, _ box: Sandbox, in dataset: String = "a") throws -> String
  {
    try box.json("run", "start", model, in: dataset)["id"].string
  }

  @Test("withdraws and restores a run on every device and keeps people's verdicts")
  func withdrawn() throws {
    let box = try Sandbox()
    let photos = try box.startDataset(photos: 2)
    let run = try startRun("net@1", box)
    try box.cairn(
      "label", photos[0], photos[1], "oak", "--run", run, "--confidence", "0.9", in: "a")
    try box.cairn("commit", in: "a")
    try box.cairn("clone", "a", "b")
    try box.setIdentity("Bob", in: "b")
    try box.cairn("accept", photos[0], "oak", in: "b")
    try box.cairn("run", "withdraw", String(run.prefix(6)), in: "a")
    try box.cairn("commit", in: "a")
    try box.cairn("sync", in: "b")

    for device in ["a", "b"] {
      #expect(try box.state(of: "oak", on: photos[0], in: device) == "confirmed")
      #expect(try box.state(of: "oak", on: photos[1], in: device) == nil)
      let listed = try box.json("run", "list", in: device).elements
      #expect(listed.map { $0["id"].string } == [run])
      #expect(listed.map { $0["withdrawn"].isTrue } == [true])
      #expect(listed.map { $0["labels"].number } == [2])
    }
    // Labels of a withdrawn run cannot be accepted, and no labels can be added to the run.
    try box.refuses("accept", photos[1], "oak", in: "b", with: ExitStatus.notFound)
    try box.refuses("label", photos[1], "elm", "--run", run, in: "b", with: ExitStatus.badData)

    try box.cairn("run", "restore", run, in: "b")
    #expect(try box.json("run", "restore", run, in: "b")["changed"] == .bool(false))
    try box.cairn("sync", in: "b")
    #expect(try box.state(of: "oak", on: photos[1], in: "a") == "predicted")
    try box.expectEqual("a", "b")
    try box.expectSound("a")
  }

  @Test("records the model and the run with each label of a run")
  func labels() throws {
    let box = try Sandbox()
    let photo = try box.startDataset(photos: 1)[0]
    let (first, second) = (try startRun("net@1", box), try startRun("net@1", box))
    let given = try box.json("label", photo, "oak", "--run", first, in: "a").elements[0]
    #expect(given["label"]["annotator"].string == "model:net@1")
    #expect(given["label"]["run"].string == first)
    let again = try box.json("label", photo, "oak", "--run", first, "--as", "net@1", in: "a")
    #expect(again.elements.map(\.["changed"]) == [.bool(false)])
    let later = try box.json("label", photo, "oak", "--run", second, in: "a").elements[0]
    #expect(later["changed"].isTrue && later["label"]["run"].string == second)
    // Withdrawing the first run keeps the labels of the second one.
    try box.cairn("run", "withdraw", first, in: "a")
    #expect(try box.state(of: "oak", on: photo, in: "a") == "predicted")

    try box.refuses(
      "label", photo, "oak", "--run", second, "--as", "net@2", in: "a", with: ExitStatus.badData,
      hint: false)
    try box.refuses("label", photo, "oak", "--run", "0000", in: "a", with: ExitStatus.notFound)
    try box.refuses("run", "show", "xyz", in: "a", with: ExitStatus.notFound)
    try box.refuses("run", "start", "net", in: "a", with: ExitStatus.badData)
    try box.refuses(
      "run", "start", "net@1", "--parameter", "size", in: "a", with: ExitStatus.badData)
  }

  @Test("shows the parameters of a run with the types they were given as")
  func parameters() throws {
    let box = try Sandbox()
    try box.cairn("init", "a")
    let run = try box.json(
      "run", "start", "net@1", "--parameter", "size=224", "--parameter", "crop=center",
      "--parameter", "flip=false", "--parameter", "note=a=b", in: "a")
    let parameters = try box.json("run", "show", run["id"].string, in: "a")["parameters"]
    #expect(parameters["size"] == .number(224))
    #expect(parameters["flip"] == .bool(false))
    #expect(parameters["crop"] == .string("center"))
    #expect(parameters["note"] == .string("a=b"))
    #expect(run["by"].string == "human:ann@example.org")
  }

  @Test("merges changes of thresholds and policy that two devices made")
  func policy() throws {
    let box = try Sandbox()
    let photo = try box.startDataset(photos: 1)[0]
    try box.cairn("label", photo, "oak", "--as", "net@1", "--confidence", "0.6", in: "a")
    try box.cairn("label", photo, "elm", "--as", "lax@1", "--confidence", "0.3", in: "a")
    try box.cairn("commit", in: "a")
    try box.cairn("clone", "a", "b")
    try box.cairn("policy", "set", "--model-threshold", "net=0.8", in: "a")
    try box.cairn("commit", in: "a")
    try box.cairn("policy", "set", "--model-threshold", "lax=0.2", "--people", "latest", in: "b")
    try box.cairn("sync", in: "b")

    for device in ["a", "b"] {
      let policy = try box.json("policy", "show", in: device)
      #expect(policy["people"].string == "latest")
      #expect(policy["threshold"].number == 0.5)
      #expect(policy["models"] == .object(["net": .number(0.8), "lax": .number(0.2)]))
      #expect(try box.state(of: "oak", on: photo, in: device) == nil)
      #expect(try box.state(of: "elm", on: photo, in: device) == "predicted")
    }
    try box.cairn("policy", "set", "--model-threshold", "net=none", "--threshold", "0.6", in: "a")
    #expect(try box.state(of: "oak", on: photo, in: "a") == "predicted")
    #expect(
      try box.json("policy", "set", "--threshold", "0.6", in: "a")["changed"] == .bool(false))
    for wrong in [[], ["--people", "loudest"]] {
      let output = try box.run("cairn", ["policy", "set"] + wrong, in: "a")
      #expect(output.status == ExitStatus.usage, "\(wrong): \(output.stderr)")
    }
    for wrong in [
      ["--threshold", "1.1"], ["--threshold", "nan"], ["--model-threshold", "net=2"],
      ["--model-threshold", "net"], ["--model-threshold", "=0.5"],
    ] {
      let output = try box.run("cairn", ["policy", "set"] + wrong, in: "a")
      #expect(output.status == ExitStatus.badData, "\(wrong): \(output.stderr)")
    }
  }

  @Test("merges edits of a photo's title, caption and pin that two devices made")
  func photoEdit() throws {
    let box = try Sandbox()
    let photo = try box.startDataset(photos: 1)[0]
    let pin = try box.json("pin", "add", "1", "2", "--name", "Mill", in: "a")["id"].string
    try box.cairn("photo", "edit", photo, "--title", "Old", "--pin", "Mill", in: "a")
    try box.cairn("commit", in: "a")
    try box.cairn("clone", "a", "b")
    try box.cairn("photo", "edit", photo, "--title", " An oak ", in: "a")
    try box.cairn("commit", in: "a")
    let edited = try box.json(
      "photo", "edit", photo, "--caption", "In spring", "--pin", "none", in: "b")
    #expect(edited["changed"].isTrue && edited["pin"] == .null)
    try box.cairn("sync", in: "b")
    for device in ["a", "b"] {
      let shown = try box.json("show", photo, in: device)["photo"]
      #expect(shown["title"].string == "An oak")
      #expect(shown["caption"].string == "In spring")
      #expect(shown["pin"] == .null)
    }
    #expect(try box.json("photo", "edit", photo, "--pin", pin, in: "b")["pin"].string == pin)
    #expect(
      try box.json("photo", "edit", photo, "--title", "An oak", in: "b")["changed"] == .bool(false))
    try box.refuses("photo", "edit", photo, in: "b", with: ExitStatus.usage)
    try box.refuses("photo", "edit", photo, "--pin", "Abbey", in: "b", with: ExitStatus.notFound)
  }

  @Test("edits all photos that a query finds")
  func photosEdit() throws {
    let box = try Sandbox()
    let photos = try box.startDataset(photos: 3)
    try box.cairn("pin", "add", "1", "2", "--name", "Mill", in: "a")
    try box.cairn("label", photos[0], photos[1], "oak", in: "a")
    try box.cairn("photo", "edit", photos[1], "--pin", "Mill", in: "a")
    let edit = ["photo", "edit", "--find", "label:oak", "--pin", "Mill", "--json"]
    let edited = try box.run("cairn", edit, in: "a").json().elements
    #expect(edited.map { $0["id"].string } == photos[..<2].sorted())
    #expect(edited.map { $0["changed"].isTrue } == photos[..<2].sorted().map { $0 == photos[0] })
    let found = try box.json("find", "pin:Mill", in: "a").elements
    #expect(found.map { $0["photo"]["id"].string } == photos[..<2].sorted())
    try box.refuses(
      "photo", "edit", "--find", "nothing", "--title", "x", in: "a", with: ExitStatus.notFound)
    for wrong in [["--title", "x"], [photos[0], "--find", "label:oak", "--title", "x"]] {
      #expect(try box.run("cairn", ["photo", "edit"] + wrong, in: "a").status == ExitStatus.usage)
    }
  }
}
