import Foundation
import TestSupport
import Testing

@Suite("cairn train")
struct TrainTests {
  @Test("trains on people's labels, predicts correctly, and trains the same model again")
  func trains() throws {
    let box = try Sandbox.textures()
    let report = try box.train()
    #expect(report["photos"].number == 36 && report["exclusive"].isTrue)
    #expect(report["crossValidation"]["accuracy"]["value"].number > 0.9)
    #expect(report["classes"].strings("class") == ["checks", "dots", "stripes"])
    let again = try box.train()
    #expect(again["digest"] == report["digest"] && again["run"] == report["run"])

    try Textures.write(40..<44, to: "new", in: box)
    let added = try box.cairn("photo", "add", "../new", "--json", in: "a").json()
    let predicted = try box.cairn("predict", "--find", "is:unlabeled", "--json", in: "a").json()
    #expect(predicted["photos"].number == Double(added.elements.count))
    #expect(predicted["model"] == report["model"])
    for kind in Textures.kinds {
      let name = "../new/\(kind)-41.bmp"
      let shown = try box.cairn("why", name, kind, in: "a").stdout
      #expect(shown.contains(report["model"].string), "\(shown)")
    }
    let sure = try box.cairn("find", "state:predicted", "--count", in: "a").stdout
    #expect(Int(sure.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0 >= 10)

    // Corrections make another version, which learns from them; the file of the old one is removed.
    for kind in Textures.kinds {
      try box.cairn("label", "../new/\(kind)-41.bmp", kind, in: "a")
    }
    let next = try box.train()
    #expect(next["photos"].number == 39 && next["model"] != report["model"])
    #expect(box.exists("a/.git/cairn/models/\(next["model"].string).onnx"))
    #expect(!box.exists("a/.git/cairn/models/\(report["model"].string).onnx"))
    let runs = try box.cairn("run", "list", "--json", in: "a").json()
    #expect(runs.elements.count { $0["parameters"]["training"] != .null } == 2)
    try box.cairn("commit", in: "a")
    try box.cairn("verify", in: "a")
    // Nothing changed but the commit.
    #expect(try box.train()["run"] == next["run"])
  }

  @Test("removes the file that a killed training left")
  func killed() throws {
    let box = try Sandbox.textures()
    let left = "a/.git/cairn/models/textures@0123456789ab.onnx.new"
    try box.write("half of a model", to: left)
    try box.train()
    #expect(!box.exists(left))
  }

  @Test("improves when mistaken labels are corrected")
  func corrected() throws {
    let box = try Sandbox.textures(16)
    for number in 0..<6 {
      try box.cairn("label", Textures.file("stripes", number), "dots", in: "a")
    }
    let before = try box.train()
    for number in 0..<6 {
      try box.cairn("label", Textures.file("stripes", number), "stripes", in: "a")
    }
    let after = try box.train()
    let figures = [before, after].map { $0["crossValidation"]["macroF1"].number }
    #expect(figures[0] < figures[1])
    #expect(figures[1] > 0.9)
  }

  @Test("says what is missing when there are too few labels")
  func tooFew() throws {
    let box = try Sandbox.textures(labeled: 4)
    func refusal(_ more: String...) throws -> ProgramOutput {
      try box.runCairn(["train", "textures"] + more, in: "a")
    }
    let output = try refusal()
    #expect(output.status == 65)
    #expect(output.stderr.contains("dots has 4 of 10 photos"), "\(output.stderr)")
    #expect(try refusal("--classes", "dots").stderr.contains("dots has 4 of 10 photos"))
    let unknown = try refusal("--set", "breed")
    #expect(unknown.status == 66 && unknown.stderr.contains("texture"))
    for empty in ["", ",", " , "] {
      let output = try refusal("--classes", empty)
      #expect(output.status == 64 && output.stderr.contains("at least one class"), "\(output.all)")
    }
    #expect(!box.exists("a/.git/cairn/features"))
  }

  @Test("learns classes that do not exclude each other, and photos that a query finds")
  func classes() throws {
    let box = try Sandbox.textures()
    let report = try box.train("--classes", " dots, stripes ")
    #expect(report["classes"].strings("class") == ["dots", "stripes"])
    #expect(report["exclusive"] == .bool(false) && report["photos"].number == 36)
    #expect(report["crossValidation"]["accuracy"]["value"].number > 0.9)
    #expect(report["crossValidation"]["confusion"].elements.isEmpty)
    try box.cairn("label", Textures.file("dots", 0), "fine", "--create", in: "a")
    let found = try box.train("--find=-label:fine")
    #expect(found["photos"].number == 35)
    let run = try box.cairn("run", "show", found["run"].string, "--json", in: "a").json()
    #expect(run["parameters"]["training"]["query"].string == "-label:fine")
  }

  @Test("refuses a class whose photos are all of one pin, if asked to keep them together")
  func pins() throws {
    let box = try Sandbox.textures()
    try box.cairn("pin", "add", "51.5", "10.25", "--name", "field", in: "a")
    try box.cairn("photo", "edit", "--find", "label:dots", "--pin", "field", in: "a")
    let output = try box.runCairn(["train", "textures", "--group-by-pin"], in: "a")
    #expect(output.status == 65)
    #expect(output.stderr.contains("12 photos of dots count as only 1:"), "\(output.stderr)")
    try box.train()
  }

  @Test("needs an identity before it computes anything")
  func identity() throws {
    let box = try Sandbox.textures()
    try box.remove("home/.gitconfig")
    let output = try box.runCairn(["train", "textures"], in: "a")
    #expect(output.status == 78, "\(output.all)")
    #expect(output.stderr.contains("user.name"), "\(output.stderr)")
    #expect(!box.exists("a/.git/cairn/features") && !box.exists("a/.git/cairn/models"))
  }

  @Test("keeps what was set for the labeler when it trains again")
  func settings() throws {
    let box = try Sandbox.textures()
    try box.train()
    let shown = try box.cairn("labeler", "show", "textures", in: "a").stdout
    try box.write(
      shown.replacingOccurrences(of: "\"file\"", with: "\"atOnce\": 1, \"timeout\": 7, \"file\""),
      to: "textures.json")
    try box.cairn("labeler", "add", "textures", "--from", "../textures.json", "--replace", in: "a")
    try box.cairn("unlabel", Textures.file("dots", 0), "dots", in: "a")
    let report = try box.train()
    let labeler = try box.cairn("labeler", "show", "textures", "--json", in: "a").json()
    #expect(labeler["atOnce"].number == 1 && labeler["timeout"].number == 7)
    #expect(labeler["model"] == report["model"])
  }

  @Test("takes the name of no other labeler, and ignores labelers that cannot be read")
  func names() throws {
    let box = try Sandbox.textures()
    try box.cairn("labeler", "add", "textures", "--program", "false", in: "a")
    let output = try box.runCairn(["train", "textures"], in: "a")
    #expect(output.status == 73 && output.stderr.contains("already exists"), "\(output.stderr)")
    try box.cairn("labeler", "remove", "textures", in: "a")
    try box.write("{", to: "a/.git/cairn/labelers/other.json")
    try box.train()
  }

  @Test("predicts after the dataset was moved, and without images whose features are cached")
  func moved() throws {
    let box = try Sandbox.textures(labeled: 10)
    let report = try box.train()
    func predict(in dataset: String) throws -> JSONValue {
      try box.cairn("predict", "--find=-state:confirmed", "--again", "--json", in: dataset).json()
    }
    #expect(try predict(in: "a")["photos"].number == 6)
    try box.replaceBlob(of: try box.photoID(Textures.file("dots", 10)), with: nil)
    let again = try predict(in: "a")
    #expect(again["photos"].number == 6 && again["model"] == report["model"])
    try box.succeed("mv", ["a", "b"])
    #expect(try predict(in: "b")["photos"].number == 6)
  }

  @Test(
    "asks first about the unlabeled photos that the model is least sure about, without duplicates")
  func uncertainty() throws {
    let box = try Sandbox.textures()
    try box.train()
    try Textures.write(40..<44, to: "new", in: box)
    for kind in Textures.kinds {
      let bytes = try box.read("new/\(kind)-40.bmp")
      try box.write(
        Array(bytes.dropLast()) + [bytes[bytes.count - 1] ^ 1], to: "copies/\(kind).bmp")
    }
    try box.cairn("photo", "add", "../new", "../copies", in: "a")
    let first = try box.cairn("review", "--sort", "uncertainty", "--json", in: "a").json()
    let ids = first.elements.map { $0["photo"]["id"].string }
    #expect(ids.count == 12 && Set(ids).count == 12)
    let few = try box.cairn("review", "--sort", "uncertainty", "--limit", "2", "--json", in: "a")
      .json()
    #expect(few.elements.map { $0["photo"]["id"].string } == Array(ids.prefix(2)))
    // The most certain ones come last.
    try box.cairn("predict", "--find", "is:unlabeled", in: "a")
    let confidences = try ids.map { id in
      try box.cairn("show", id, "--json", in: "a").json()["resolution"].elements
        .map { $0["confidence"].number }.max() ?? 0
    }
    #expect(confidences.prefix(6).reduce(0, +) < confidences.suffix(6).reduce(0, +))
    // Neither predictions nor labels of another class decide.
    func asked() throws -> [String] {
      try box.cairn("review", "--sort", "uncertainty", "--json", in: "a").json().elements
        .map { $0["photo"]["id"].string }
    }
    try box.cairn("label", ids[0], "sharp", "--create", in: "a")
    #expect(try asked() == ids)
    try box.cairn("label", ids[0], "dots", in: "a")
    #expect(try !asked().contains(ids[0]))

    let none = try box.runCairn(
      ["review", "--sort", "uncertainty", "--labeler", "x", "--json"], in: "a")
    #expect(none.status == 66 && none.stderr.contains("Models: textures."), "\(none.stderr)")
  }

  @Test("finds the photos with the most similar features")
  func similar() throws {
    let box = try Sandbox.textures()
    try box.train()
    let stripes = try Set((0..<12).map { try box.photoID(Textures.file("stripes", $0)) })
    let term = "similar:\(Textures.file("stripes", 3)),model="
    func found(_ model: String) throws -> [String] {
      try box.cairn("find", term + model, "--json", in: "a").json().elements
        .map { $0["photo"]["id"].string }
    }
    let near = try found("textures,6")
    #expect(near.count == 6 && near.count(where: stripes.contains) >= 5, "\(near)")
    #expect(try found("textures").count == 20)
    // An image that cannot be decoded is not missing.
    try box.replaceBlob(of: try box.photoID(Textures.file("stripes", 3)), with: [1, 2, 3])
    try box.remove("a/.git/cairn/features")
    let damaged = try box.runCairn(["find", term + "textures"], in: "a")
    #expect(damaged.status == 65, "\(damaged.stderr)")
    #expect(damaged.stderr.contains("cannot be used: it is not an image"), "\(damaged.stderr)")
    let unknown = try box.runCairn(["find", term + "oaks"], in: "a")
    #expect(unknown.status == 66, "\(unknown.stderr)")
    #expect(unknown.stderr.contains("Models: textures."), "\(unknown.stderr)")
    for wrong in ["textures,0", "textures,few", "", "textures,5,6"] {
      #expect(try box.runCairn(["find", term + wrong], in: "a").status == 65, "\(wrong)")
    }
  }
}
