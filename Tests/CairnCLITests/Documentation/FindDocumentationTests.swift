import Cairn
import Foundation
import TestSupport
import Testing

@Suite("Documentation page Find")
struct FindDocumentationTests {
  /// The examples on the page, and the photos of ``Scene`` that each finds.
  private static let examples: [String: [Int]] = [
    "label:dog": [0, 1, 2], "label:pup": [0, 1, 2], "label:\"Cairn terrier\"": [3],
    "state:confirmed": [0, 5], "state:predicted": [2, 3], "state:disputed": [1],
    "state:rejected": [4], "state:predicted,disputed": [1, 2, 3], "state:any": [0, 1, 2, 3, 4, 5],
    "label:dog state:any": [0, 1, 2, 4],
    "conf:<0.6": [1, 3], "conf:<=0.5": [1], "conf:>0.75": [0, 5], "conf:>=0.75": [0, 2, 5],
    "conf:0.75": [2], "label:dog conf:0.5..0.8": [1, 2], "conf:0.5..0.8": [1, 2, 3],
    "conf:0.8..": [0, 5], "conf:..0.5": [1],
    "by:alice": [0, 1, 4], "by:alice@example.org": [0, 1, 4], "by:me": [0, 1, 5, 6],
    "label:dog by:alice": [0, 1], "model:resnet50": [2, 3], "model:resnet50@1": [2, 3],
    "run:41d8": [2],
    "labeled:2026-05": [0, 1, 5, 6], "labeled:2026-05-03": [1],
    "labeled:2026": [0, 1, 2, 3, 4, 5, 6],
    "labeled:2026-05-03..2026-06": [1, 4, 5, 6], "labeled:2026-05-04..": [4, 5, 6],
    "labeled:..2026-04": [2, 3],
    "taken:2024-05": [0, 1], "taken:2024-07-31": [2], "taken:2024": [0, 1, 2],
    "taken:2024-05-02..2024-07": [1, 2], "taken:2025..": [3], "taken:..2024-05": [0, 1],
    "pin:harbor": [0, 4], "pin:c0ff": [0, 4],
    "near:48.85,2.35,2km": [0, 1, 4], "near:48.85,2.35,500m": [0, 4],
    "near:48.85,2.35,2000": [0, 1, 4], "in:2.2,48.8,2.5,48.9": [0, 1, 4], "camera:canon": [1],
    "author:adams": [3], "author:ada*": [3], "license:cc-by": [3], "source:commons": [3],
    "similar:3fa9": [9, 10], "similar:../mill.png": [9, 10], "similar:3fa9,4": [9],
    "similar:3fa9,model=trees": [9, 10], "similar:3fa9,model=trees,50": [9, 10],
    "has:region": [5], "label:dog has:region": [], "has:pin": [0, 4], "has:location": [0, 1, 4],
    "has:title": [0, 6], "has:caption": [2], "has:text": [4], "has:taken": [0, 1, 2, 3],
    "is:unlabeled": [6, 8, 9, 10], "is:labeled": [0, 1, 2, 3, 4, 5], "is:favorite": [6],
    "is:removed": [7], "hemlock": [0, 4, 6],
    "harb*": [0, 2, 4], "\"old hemlock\"": [0], "\"old hem*\"": [0],
    "-label:dog": [3, 4, 5, 6, 8, 9, 10], "-taken:2024": [3, 4, 5, 6, 8, 9, 10],
    "-conf:0.5": [0, 2, 3, 4, 5, 6, 8, 9, 10],
    "NOT label:dog": [3, 4, 5, 6, 8, 9, 10],
    "NOT (label:dog OR pin:harbor)": [3, 5, 6, 8, 9, 10],
    "label:dog AND pin:harbor": [0],
    "label:dog OR pin:harbor": [0, 1, 2, 4], "(label:dog OR label:cat) -by:me": [2],
  ]

  @Test("finds the expected photos for each example on the page")
  func examples() throws {
    let page = try String(
      contentsOf: packageDirectory.appending(
        path: "Sources/Cairn/Documentation.docc/Find.md"), encoding: .utf8)
    let cells = page.matches(of: /\n\| (`[^|]+`) \|/).map { $0.1 }
    let written = cells.flatMap { $0.matches(of: /`([^`]+)`/).map { String($0.1) } }
    #expect(Set(written) == Set(Self.examples.keys))
    #expect(written.count == Self.examples.count)

    let box = try Sandbox()
    let ids = try Scene.make(in: box)
    let textures = try Sandbox.textures()
    try textures.train("--output", "../model.onnx")
    try box.write(try textures.read("model.onnx"), to: "model.onnx")
    try box.cairn("labeler", "add", "trees", "--onnx", "../model.onnx", in: "a")
    let inText = ["label:dog by:alice state:any": [0, 1, 4]]
    for (query, wanted) in Self.examples.merging(inText, uniquingKeysWith: { $1 }) {
      let found = try box.json("find", query, in: "a").elements.map {
        $0["photo"]["id"].string
      }
      #expect(found == wanted.map { ids[$0] }.sorted(), "\(query)")
    }
  }

  @Test("has an example for each form of the query language, and each key in the help")
  func forms() throws {
    var (terms, kinds): ([PhotoQuery], Set<String>) = ([], [])
    func walk(_ query: PhotoQuery) {
      switch query.expression {
      case .all(let parts): kinds.insert("all"); parts.forEach(walk)
      case .any(let sides): kinds.insert("any"); sides.forEach(walk)
      case .not(let part): kinds.insert("not"); walk(part)
      case .term(.text(let text)):
        kinds.insert("\(text.field)\(text.isBeginning ? "*" : "")")
        if text.text.contains(" ") { kinds.insert("phrase") }
        terms.append(query)
      case .term: terms.append(query)
      }
    }
    for example in Self.examples.keys { walk(try PhotoQuery(example)) }
    #expect(
      kinds.isSuperset(of: ["all", "any", "not", "text", "text*", "phrase"]))
    for key in QueryKey.allCases {
      #expect(!key.forms.isEmpty)
      for form in key.forms {
        #expect(form.hasPrefix("\(key.rawValue):"))
        #expect(terms.contains(try PhotoQuery(form)), "\(form)")
      }
    }
    let box = try Sandbox()
    let help = try box.cairn("find", "--help").stdout
    for key in QueryKey.allCases { #expect(help.contains("\(key.rawValue):"), "\(key)") }
  }

  @Test("prints the error message that the page shows")
  func mistake() throws {
    let box = try Sandbox()
    try box.cairn("init", "a")
    let page = try String(
      contentsOf: packageDirectory.appending(
        path: "Sources/Cairn/Documentation.docc/Find.md"), encoding: .utf8)
    let message = try box.run("cairn", ["find", "label:oak stat:disputed"], in: "a").stderr
    #expect(page.contains("```\n\(message)```"), "\(message)")
  }
}

/// Photos for every kind of query term; the first eight have no image files.
private enum Scene {
  private static func id(_ number: Int) -> String { String(repeating: "\(number)f3a", count: 16) }

  private static func photo(_ number: Int, _ more: String, image: String = "") -> String {
    #"{"id":"\#(id(number))","image":{"bytes":5,"format":"jpeg","height":2,"width":3\#(image)}\#(more)}"#
  }

  private static func label(
    _ number: Int, _ name: String, _ annotator: String, _ time: String, _ more: String = ""
  ) -> String {
    """
    {"annotator":"\(annotator)","class":"\(name)","photo":"\(id(number))",\
    "stamp":"\(time)T10:00:00.000Z-0000-00000001"\(more)}
    """
  }

  /// Returns the ids of the photos.
  static func make(in box: Sandbox) throws -> [String] {
    let (alice, me) = ("human:alice@example.org", "human:ann@example.org")
    let (model, run) = ("model:resnet50@1", "41d8" + String(repeating: "0", count: 16))
    let pin = String(repeating: "c0ffe", count: 4)
    let credit = #""author":"Ansel Adams","licence":"CC BY-SA 4.0","service":"commons""#
    let stamp = "2026-05-01T10:00:00.000Z-0000-00000001"
    let lines = [
      #"{"id":"\#(pin)","location":{"latitude":48.85,"longitude":2.35},"name":"harbor"}"#,
      #"{"annotator":"\#(model)","id":"\#(run)"}"#,
      #"{"kind":"class","name":"dog"}"#, #"{"kind":"class","name":"cat"}"#,
      #"{"kind":"class","name":"Cairn terrier"}"#,
      photo(
        0, #","pin":"\#(pin)","title":"The old hemlock""#,
        image: #","taken":"2024-05-01T23:30:00-07:00""#),
      photo(
        1, "",
        image: """
          ,"camera":"Canon EOS 40D","place":{"latitude":48.86,"longitude":2.36},\
          "taken":"2024-05-31T23:59:59"
          """),
      photo(2, #","caption":"Harbors""#, image: #","taken":"2024-07-31T00:00:00Z""#),
      photo(
        3, #","credit":{"stamp":"\#(stamp)","value":{\#(credit)}}"#,
        image: #","taken":"2025-01-01T00:00:00""#),
      photo(4, #","pin":"\#(pin)""#), photo(5, ""), photo(6, #","title":"H\#u{E9}mlock""#),
      photo(7, #","removed":true"#),
      label(0, "dog", alice, "2026-05-01"), label(0, "dog", me, "2026-05-02"),
      label(1, "dog", alice, "2026-05-03"),
      label(1, "dog", me, "2026-05-03", #","verdict":"absent""#),
      label(2, "dog", model, "2026-04-30", #","confidence":0.75,"run":"\#(run)""#),
      label(3, "cairn-terrier", model, "2026-04-30", #","confidence":0.55"#),
      label(4, "dog", alice, "2026-06-30", #","text":"No dog, a hemlock","verdict":"absent""#),
      label(6, "favorite", me, "2026-05-04"),
      label(
        5, "cat", me, "2026-05-04",
        #","region":{"x":0.1,"y":0.1,"width":0.5,"height":0.5}"#),
    ]
    try box.cairn("init", "a")
    try box.write(lines.joined(separator: "\n"), to: "lines.jsonl")
    try box.cairn("import", "documents", "../lines.jsonl", in: "a")
    try box.cairn("class", "alias", "pup", "dog", in: "a")
    // Noise whose SHA-256 begins with 3fa9, and the same with one and with three more rows.
    let images = [60, 61, 63].map { PNG.bytes(seed: 68_851, width: 8, height: $0) }
    try box.write(images[0], to: "mill.png")
    for (index, image) in images.enumerated() { try box.write(image, to: "from/\(index).png") }
    let added = try box.json("photo", "add", "../from", in: "a").elements
    return (0..<8).map(id)
      + added.sorted { $0["file"].string < $1["file"].string }.map { $0["id"].string }
  }
}
