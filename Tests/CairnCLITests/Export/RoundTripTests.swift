import Foundation
import TestSupport
import Testing

@Suite("Round trips through each format")
struct RoundTripTests {
  static let formats = [
    "csv", "jsonl", "imagefolder", "yolo-classify", "coco", "yolo", "voc", "label-studio",
    "geojson", "webdataset", "croissant", "fiftyone",
  ]

  /// Returns the labels without what an export reported as left out; checks the report's counts.
  private func without(_ leftOut: JSONValue, _ statements: [ExpectedLabel]) -> Set<ExpectedLabel> {
    func count(_ part: String) -> Int? {
      leftOut[part].number.isNaN ? nil : Int(leftOut[part].number)
    }
    var left = statements
    if let absence = count("absence") {
      #expect(left.count { $0.content.isAbsent } == absence)
      left.removeAll { $0.content.isAbsent }
    }
    if let regions = count("region") {
      #expect(left.count { !$0.content.box.isEmpty } == regions)
      for index in left.indices { left[index].content.box = [] }
    }
    if let wholes = count("whole-photo") {
      let boxed = Set(
        left.filter { !$0.content.box.isEmpty }.map { "\($0.content.photo) \($0.content.label)" })
      let isBoxesOnly = count("photo") != nil
      func isLeftOut(_ statement: ExpectedLabel) -> Bool {
        statement.content.box.isEmpty && !statement.content.isAbsent
          && (isBoxesOnly
            || boxed.contains("\(statement.content.photo) \(statement.content.label)"))
      }
      #expect(left.count(where: isLeftOut) == wholes)
      left.removeAll(where: isLeftOut)
    }
    if let classes = count("class") {
      var kept: [Int: ExpectedLabel] = [:]
      for statement in left {
        func rank(_ a: ExpectedLabel) -> (Int, Int, String) {
          (a.model.isEmpty ? 0 : 1, -a.content.confidence, a.content.label)
        }
        let best = kept[statement.content.photo]
        if best.map({ rank(statement) < rank($0) }) ?? true {
          kept[statement.content.photo] = statement
        }
      }
      let all = Set(left.map { "\($0.content.photo) \($0.content.label)" })
      #expect(all.count - kept.count == classes)
      left = Array(kept.values)
    }
    if count("confidence") != nil {
      for index in left.indices { left[index].content.confidence = 1000 }
    }
    if count("state") != nil { for index in left.indices { left[index].model = "" } }
    if count("label-text") != nil { for index in left.indices { left[index].text = "" } }
    return Set(left)
  }

  @Test(
    "imports everything except for what the export reported as left out", arguments: formats)
  func announced(format: String) throws {
    let rich = try RichScene()
    let box = rich.box
    let report = try rich.scene.export(format)
    try box.cairn("init", "b")
    try box.json("import", format, "../out", "--annotator", "ann@example.org", in: "b")
    let expected = without(report["leftOut"], try rich.statements(of: "a"))
    #expect(try rich.statements(of: "b") == expected.sorted(), "\(report["leftOut"])")
    try box.expectSound("b")

    // Title, caption, credit and pin.
    let photo = try photo(0, in: "b", rich)
    let isKept = report["leftOut"]["text"].number.isNaN
    #expect(photo["title"]["value"].string == (isKept ? "A \"mill\", old" : ""))
    #expect(photo["caption"]["value"].string == (isKept ? "By the “weir”" : ""))
    #expect(report["leftOut"]["credit"].number.isNaN == isKept)
    #expect(report["leftOut"]["capture"].number.isNaN == isKept)
    if isKept {
      let original = try self.photo(0, in: "a", rich)
      #expect(photo["credit"]["value"] == original["credit"]["value"])
      #expect(photo["pin"]["value"] == original["pin"]["value"])
      #expect(
        try box.json("pin", "list", in: "b").elements.map { $0["name"].string } == ["harbor"])
    }
  }

  private func photo(_ number: Int, in dataset: String, _ rich: RichScene) throws -> JSONValue {
    try rich.scene.document(of: rich.photos[number], in: dataset)
  }

  @Test("keeps a photo's title that differs from the imported one, and reports it")
  func existingTitle() throws {
    let rich = try RichScene()
    let box = rich.box
    _ = try rich.scene.export("csv")
    try box.cairn("photo", "edit", rich.photos[0], "--title", "Mine", in: "a")
    let report = try box.json("import", "csv", "../out", "--annotator", "ann@example.org", in: "a")
    #expect(try photo(0, in: "a", rich)["title"]["value"].string == "Mine")
    #expect(
      report["notes"].elements.map(\.string)
        .contains("kept the existing title of a photo, once"))
  }

  @Test("exports disputed labels, but refuses to import them")
  func disputed() throws {
    let rich = try RichScene()
    let box = rich.box
    try box.cairn("export", "csv", "../out", "--states", "disputed", in: "a")
    try box.cairn("init", "b")
    let output = try box.run("cairn", ["import", "csv", "../out"], in: "b")
    #expect(output.status == ExitStatus.badData)
    #expect(output.stderr.contains("rejected or predicted, not “disputed”"))
    // A format that cannot hold the state reports it as left out.
    let studio = try rich.scene.export("label-studio", to: "studio", "--states", "disputed")
    #expect(studio["leftOut"]["state"].number == 1)
  }
}
