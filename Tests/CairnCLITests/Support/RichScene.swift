import Foundation
import TestSupport
import Testing

/// A label of a dataset, with its model and text.
struct ExpectedLabel: Hashable, Comparable, CustomStringConvertible {
  var content: SceneLabel
  /// Empty for people's labels, which an import attributes to the person who imports.
  var model = ""
  var text = ""

  var description: String { "\(content) \(model) \(text)" }

  static func < (a: ExpectedLabel, b: ExpectedLabel) -> Bool { a.description < b.description }
}

/// A dataset with all kinds of labels and facts about photos. A format must either hold each of
/// them or report it as left out.
struct RichScene {
  let scene: FormatScene
  var box: Sandbox { scene.box }
  var photos: [String] { scene.photos }

  static let credit = """
    {"author":"Ann Ash","licence":"CC BY 4.0","page":"https://example.org/p",\
    "service":"commons","title":"Old mill","url":"https://example.org/p.png"}
    """

  init() throws {
    scene = try FormatScene()
    try box.setIdentity("Bob", in: "a")
    // Boxes of two people and of a model, with different confidences; a class with a label of the
    // whole photo and of a box.
    try box.cairn("label", photos[0], "dog", "--region", "0.5,0.5,0.25,0.25", in: "a")
    try box.cairn("label", photos[1], "dog", in: "a")
    try box.cairn("label", photos[1], "dog", "--region", "0.5,0,0.5,0.5", in: "a")
    for (box, model, confidence) in [
      ("0.1,0.1,0.2,0.2", "net@1", "0.9"), ("0.6,0.6,0.2,0.2", "net@1", "0.625"),
    ] {
      try self.box.cairn(
        "label", photos[3], "owl", "--as", model, "--confidence", confidence, "--region", box,
        in: "a")
    }
    try box.cairn("label", photos[3], "Elm", "--as", "net@1", "--confidence", "0.5625", in: "a")
    try box.cairn("label", photos[3], "Fir", "--as", "net@1", "--confidence", "0.75", in: "a")
    // Two people disagree.
    try box.cairn("label", photos[5], "ash", "--absent", in: "a")
    try box.setIdentity("Ann", in: "a")
    try box.cairn("label", photos[5], "ash", in: "a")
    try box.write(
      """
      {"kind":"photo","id":"\(photos[0])","caption":"By the “weir”","credit":\(RichScene.credit),\
      "image":{"bytes":1,"camera":"Maker Mark 2","format":"png","height":30,"width":40,\
      "taken":"2024-05-01T12:30:00+02:00"}}

      """.replacing(
        "\"bytes\":1",
        with: "\"bytes\":\(PNG.bytes(seed: 0, width: 40, height: 30).count)"), to: "facts.jsonl")
    try box.cairn("import", "documents", "../facts.jsonl", in: "a")
    try box.cairn("commit", in: "a")
  }

  /// Returns the labels of a dataset that can be exported: all that are not withdrawn. Those of the
  /// disputed class are included only if `disputed` is true.
  func statements(of dataset: String, disputed: Bool = false) throws -> [ExpectedLabel] {
    var found: Set<ExpectedLabel> = []
    for record in try box.records(in: dataset) {
      let id = record["photo"]["id"].string
      let photo = try #require(photos.firstIndex(of: id))
      for label in record["labels"].elements where label["verdict"].string != "withdrawn" {
        if !disputed, label["class"].string == "ash" { continue }
        let region = label["region"]
        let box = region == .null ? [] : ["x", "y", "width", "height"].map { region[$0].number }
        let by = label["annotator"].string
        found.insert(
          ExpectedLabel(
            content: SceneLabel(
              photo: photo, label: label["class"].string,
              box: box.map { Int(($0 * 1e6).rounded()) },
              confidence: Int((label["confidence"].number * 1000).rounded()),
              isAbsent: label["verdict"].string == "absent"),
            model: by.hasPrefix("model:") ? String(by.dropFirst("model:".count)) : "",
            text: label["text"] == .null ? "" : label["text"].string))
      }
    }
    return found.sorted()
  }
}
