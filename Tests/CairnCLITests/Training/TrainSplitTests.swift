import Foundation
import TestSupport
import Testing

@Suite("cairn train --split and --output")
struct TrainSplitTests {
  /// Pictures and, of the first ones, copies that differ in one bit, all labeled.
  private func sceneWithCopies() throws -> Sandbox {
    let box = try Sandbox.textures(20)
    for kind in Textures.kinds {
      for number in 0..<5 {
        let bytes = try box.read("known/\(kind)-0\(number).bmp")
        try box.write(
          Array(bytes.dropLast()) + [bytes[bytes.count - 1] ^ 1], to: "copies/\(kind)-\(number).bmp"
        )
      }
    }
    try box.cairn("photo", "add", "../copies", in: "a")
    for kind in Textures.kinds {
      let copies = (0..<5).map { "../copies/\(kind)-\($0).bmp" }
      let output = try box.runCairn(["label"] + copies + [kind], in: "a")
      try #require(output.status == 0, "\(output.stderr)")
    }
    return box
  }

  @Test("tests on photos of a split that are not copies of what it learned from")
  func split() throws {
    let box = try sceneWithCopies()
    try box.cairn("split", "add", "half", "train=7,test=3", in: "a")
    for split in ["half", "train=70,test=30"] {
      let report = try box.train("--split", split)
      let (learned, tested) = (report["photos"].number, report["test"]["photos"].number)
      let copies = report["testDuplicates"].elements
      #expect(learned >= 40 && tested >= 10 && !copies.isEmpty)
      #expect(learned + tested + Double(copies.count) == 75)
      #expect(report["test"]["accuracy"]["value"].number > 0.8)
    }
    // The card identifies the test, and what was left out.
    let recorded = try box.train("--split", "half")
    let card = try box.json("run", "show", recorded["run"].string, in: "a")["parameters"][
      "training"]
    #expect(card["split"]["name"].string == "half" && card["split"]["by"].string == "photo")
    #expect(card["split"]["parts"].elements.map { $0["share"].number } == [7, 3])
    #expect(card["groupByPin"] == .bool(false) && card["missingImages"].number == 0)
    #expect(
      card["testDuplicates"].number == Double(recorded["testDuplicates"].elements.count))
    let all = try box.train()["crossValidation"]
    #expect(all["photos"].number == 75 && all["groups"].number <= 60)
    let shown = try box.cairn("train", "textures", "--split", "half", in: "a").stdout
    #expect(shown.contains(" groups: top-1"), "\(shown)")
    #expect(shown.contains("left out: near-duplicates"), "\(shown)")
  }

  @Test("reports a test without photos of a class")
  func emptyClass() throws {
    let box = try Sandbox.textures(12)
    let output = try box.runCairn(
      ["train", "textures", "--split", "train=99,test=1", "--json"], in: "a")
    try #require(output.status == 0, "\(output.stderr)")
    let test = try output.json()["test"]
    #expect(test["photos"].number < 3)
    if test["photos"].number == 0 { #expect(test["macroF1"] == .null) }
    let shown = try box.cairn("train", "textures", "--split", "train=99,test=1", in: "a").stdout
    #expect(shown.contains("no test photos of "), "\(shown)")
  }

  @Test("keeps the photos of a pin in one subset with --group-by-pin")
  func pins() throws {
    let box = try Sandbox(user: "Ann")
    try Textures.write(0..<30, to: "known", in: box)
    try box.cairn("init", "a")
    // The ids of pins are random: with thirty, both subsets have enough photos.
    for number in 0..<30 {
      let pin = "field-\(number)"
      try box.cairn("pin", "add", "51.5", "\(10 + number)", "--name", pin, in: "a")
      let files = Textures.kinds.map { Textures.file($0, number) }
      let added = try box.runCairn(["photo", "add", "--pin", pin] + files, in: "a")
      try #require(added.status == 0, "\(added.all)")
    }
    for kind in Textures.kinds {
      try box.label((0..<30).map { Textures.file(kind, $0) }, kind)
    }
    try box.cairn("class", "set", "texture", "stripes", "dots", "checks", in: "a")
    let report = try box.train("--group-by-pin", "--split", "train=70,test=30")
    let (learned, tested) = (report["photos"].number, report["test"]["photos"].number)
    #expect(tested > 0 && learned + tested == 90 && report["testDuplicates"].elements.isEmpty)
    // Three photos of each pin.
    #expect(Int(tested) % 3 == 0, "\(tested)")
    try box.cairn("split", "add", "half", "train=7,test=3", in: "a")
    let refused = try box.runCairn(
      ["train", "textures", "--group-by-pin", "--split", "half"], in: "a")
    #expect(refused.status == 65 && refused.stderr.contains("--by pin"), "\(refused.all)")
    try box.cairn("split", "add", "places", "train=7,test=3", "--by", "pin", in: "a")
    let recorded = try box.train("--group-by-pin", "--split", "places")
    #expect(recorded["test"]["photos"].number == tested)
  }

  @Test("refuses a split that leaves no photo for the test")
  func emptyTest() throws {
    let box = try Sandbox.textures()
    let output = try box.runCairn(
      ["train", "textures", "--split", "train=99999999,test=1"], in: "a")
    #expect(output.status == 65, "\(output.all)")
    #expect(output.stderr.contains("The test subset has no labeled photos"), "\(output.stderr)")
    #expect(!box.exists("a/.git/cairn/models"))
  }

  @Test("copies the model to a file, but over no other file")
  func output() throws {
    let box = try Sandbox.textures()
    try box.write("mine", to: "model.onnx")
    let refused = try box.runCairn(["train", "textures", "--output", "../model.onnx"], in: "a")
    #expect(refused.status == 73 && refused.stderr.contains("--force"), "\(refused.stderr)")
    #expect(try box.text("model.onnx") == "mine" && !box.exists("a/.git/cairn/features"))
    let lost = try box.runCairn(["train", "textures", "--output", "../none/model.onnx"], in: "a")
    #expect(lost.status == 66 && lost.stderr.contains("There is no folder "), "\(lost.stderr)")
    #expect(!lost.stderr.contains(".new") && !box.exists("a/.git/cairn/features"))
    let named = try box.runCairn(["train", "textures", "--output", "../model.txt"], in: "a")
    #expect(named.status == 64)
    let report = try box.train("--output", "../model.onnx", "--force")
    let model = "a/.git/cairn/models/\(report["model"].string).onnx"
    #expect(try box.read("model.onnx") == box.read(model))
    // A model of the same name is replaced.
    try box.train("--output", "../model.onnx")
  }

  private static let python = Python.program(having: "PIL")

  @Test(
    "predicts the same with the copy as with the model",
    .enabled(if: python != nil, "there is no Pillow: `make setup` installs it"))
  func copy() throws {
    let box = try Sandbox.textures()
    let report = try box.train("--output", "../model.onnx")
    try box.cairn("labeler", "add", "copy", "--onnx", "../model.onnx", in: "a")
    try box.write("", to: "images/.keep")
    try box.succeed(
      try #require(TrainSplitTests.python),
      [
        "-c",
        """
        from PIL import Image
        image = Image.linear_gradient("L").resize((900, 500)).convert("RGB")
        image.save("images/large.jpg")
        image.putalpha(Image.radial_gradient("L").resize((900, 500)))
        image.save("images/transparent.png")
        """,
      ])
    for name in ["large.jpg", "transparent.png"] {
      let answers = try ["textures", "copy"].map { labeler in
        try box.cairn("labeler", "test", labeler, "../images/\(name)", "--json", in: "a").json()
      }
      #expect(answers[0]["labels"] == answers[1]["labels"])
      #expect(answers.map { $0["model"] } == [report["model"], report["model"]])
    }
  }
}
