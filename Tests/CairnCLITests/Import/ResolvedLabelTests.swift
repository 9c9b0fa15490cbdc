import Foundation
import TestSupport
import Testing

@Suite("cairn import: labels that already exist")
struct ResolvedLabelTests {
  private struct Label: Equatable {
    let by: String
    let text: String?
    let confidence: Double
    let verdict: String
    let stamp: String
  }

  private func labels(
    of name: String, on photo: String, in dataset: String = "a", _ box: Sandbox
  ) throws -> [Label] {
    let record = try box.json("show", photo, in: dataset)
    return record["labels"].elements.filter { $0["class"].string == name }.map { label in
      Label(
        by: label["annotator"].string, text: label["text"] == .null ? nil : label["text"].string,
        confidence: label["confidence"].number, verdict: label["verdict"].string,
        stamp: label["stamp"].string)
    }
  }

  @Test("keeps a label's text and confidence when the file gives none")
  func kept() throws {
    let scene = try FormatScene()
    let (box, photos) = (scene.box, scene.photos)
    let region = "0.1,0.2,0.5,0.4"
    try box.cairn("label", photos[0], "heather", "--text", "words of ann", in: "a")
    try box.cairn("label", photos[1], "gorse", "--confidence", "0.7", in: "a")
    try box.cairn(
      "label", photos[2], "elm", "--region", region, "--confidence", "0.6", in: "a")
    let run = try box.json("run", "start", "net@1", in: "a")["id"].string
    try box.cairn("label", photos[5], "ash", "--run", run, "--confidence", "0.5", in: "a")
    try box.cairn("commit", in: "a")
    let before = try box.tree(of: "a")
    try box.sh(
      """
      mkdir -p if/heather if/gorse
      cp from/photo-0.png if/heather; cp from/photo-1.png if/gorse
      """)
    try box.write(
      "file_name,label,x,y,width,height\n\(photos[2]).png,elm,\(region)\n", to: "boxes.csv")
    try box.write("file_name,label,score\n\(photos[5]).png,ash,0.5\n", to: "scores.csv")
    for arguments in [
      ["imagefolder", "../if", "--annotator", "ann@example.org"],
      ["csv", "../boxes.csv", "--annotator", "ann@example.org"],
      ["csv", "../scores.csv", "--as", "net@1"],
    ] {
      let output = try box.run("cairn", ["import"] + arguments + ["--json"], in: "a")
      try #require(output.status == 0, "\(output.stderr)")
      let report = try output.json()
      #expect(report["commit"] == .null, "\(arguments)")
      #expect(report["labels"].number > 0)
    }
    #expect(try box.tree(of: "a") == before)

    // A value in the file is imported; the others stay.
    try box.write(
      "file_name,label,confidence\n\(photos[0]).png,heather,0.9\n", to: "confidence.csv")
    try box.cairn(
      "import", "csv", "../confidence.csv", "--annotator", "ann@example.org", in: "a")
    let heather = try #require(try labels(of: "heather", on: photos[0], box).first)
    #expect(heather.text == "words of ann")
    #expect(heather.confidence == 0.9)
    // A text that was given with present is dropped with absent.
    try box.write("file_name,label,state\n\(photos[0]).png,heather,absent\n", to: "absent.csv")
    try box.cairn(
      "import", "csv", "../absent.csv", "--annotator", "ann@example.org", in: "a")
    let absent = try #require(try labels(of: "heather", on: photos[0], box).first)
    #expect(absent.verdict == "absent")
    #expect(absent.text == nil)
    #expect(absent.confidence == 1)
  }

  @Test(
    "keeps two people's labels of one class or box apart, if the format does",
    arguments: ["csv", "jsonl", "coco", "geojson", "label-studio"])
  func several(format: String) throws {
    let scene = try FormatScene()
    let (box, photos) = (scene.box, scene.photos)
    for (name, text, confidence) in [
      ("Bob", "in bloom", "0.9"), ("Ann", "words of ann", "0.7"),
    ] {
      try box.setIdentity(name, in: "a")
      try box.cairn("label", photos[5], "heather", "--text", text, in: "a")
      try box.cairn(
        "label", photos[5], "gorse", "--region", "0.1,0.2,0.5,0.4", "--confidence", confidence,
        in: "a")
    }
    try box.cairn("commit", in: "a")
    let report = try scene.export(format)
    // Label Studio has no text of labels.
    let isStudio = format == "label-studio"
    #expect(report["leftOut"]["further-label"].number == (isStudio ? 1 : 2))

    try box.cairn("init", "b")
    let arguments = ["import", format, "../out", "--annotator", "ann@example.org", "--json"]
    let imported = try box.run("cairn", arguments, in: "b").json()
    #expect(imported["problemCount"].number == 0)
    let notes = imported["notes"].elements.map(\.string)
    let heather = try labels(of: "heather", on: photos[5], in: "b", box)
    let gorse = try labels(of: "gorse", on: photos[5], in: "b", box)
    // Which text is whose is not in the file, so that nobody gets the other's.
    #expect(heather.map(\.text) == (isStudio ? [nil] : [nil, nil]))
    if isStudio {
      #expect(notes.contains { $0.hasPrefix("merged different labels of the same class or box") })
      #expect(gorse.map(\.confidence) == [0.9])
    } else {
      #expect(notes.contains("ignored a text of a label by several people, 2 times"), "\(notes)")
      let confidences = Dictionary(uniqueKeysWithValues: gorse.map { ($0.by, $0.confidence) })
      #expect(confidences == ["human:ann@example.org": 0.7, "human:bob@example.org": 0.9])
    }
    #expect(try box.run("cairn", arguments, in: "b").json()["commit"] == .null)
    try box.expectSound("b")

    // In the original dataset, the labels exist already.
    #expect(try box.run("cairn", arguments, in: "a").json()["commit"] == .null)
  }

  @Test("keeps the first of several distant rows for one label, and reports it")
  func apart() throws {
    let scene = try FormatScene()
    let (box, photos) = (scene.box, scene.photos)
    try box.write(
      """
      file_name,label,confidence,text
      \(photos[0]).png,elm,0.5,first
      \(photos[1]).png,elm,,
      \(photos[0]).png,elm,0.9,second
      \(photos[0]).png,elm,0.5,first
      """, to: "a.csv")
    let report = try box.json(
      "import", "csv", "../a.csv", "--annotator", "ann@example.org", in: "a")
    #expect(
      report["notes"].elements.map(\.string) == [
        "ignored a later, different label of the same class or box, once"
      ])
    let elm = try labels(of: "elm", on: photos[0], box)
    #expect(elm.map(\.text) == ["first"])
    #expect(elm.map(\.confidence) == [0.5])
  }
}
