import Foundation
import TestSupport
import Testing

@Suite("cairn report")
struct ReportTests {
  private static let hostile = [
    "<script>alert(1)</script>", "a\"b'c & d", "</title><img src=x onerror=alert(1)>", "]]>--><!--",
    "\u{202E}desrever", "&lt;b&gt;", "{}</style>",
  ]

  /// Parses a page as XML; returns the names of its elements and attributes, and its texts.
  private func read(
    _ page: String, _ box: Sandbox
  ) throws -> (elements: Set<String>, attributes: Set<String>, texts: [String]) {
    let script = """
      import json, sys
      import xml.etree.ElementTree as E
      root = E.fromstring(sys.stdin.buffer.read())
      all = list(root.iter())
      print(json.dumps([[e.tag for e in all], [a for e in all for a in e.attrib],
        [t.strip() for e in all for t in (e.text, e.tail) if t]]))
      """
    let output = try box.run("python3", ["-c", script], stdin: Data(page.utf8))
    try #require(output.status == 0, "not well formed: \(output.stderr)")
    let parts = try output.json().elements.map { $0.elements.map(\.string) }
    return (Set(parts[0]), Set(parts[1]), parts[2])
  }

  @Test("escapes all names and contains no scripts or links")
  func escaping() throws {
    let box = try Sandbox(lfs: false)
    let photos = try box.startDataset(photos: 4)
    let classes = ["label"] + photos + Self.hostile.map { "--class=\($0)" }
    for name in ["<b>&\"Eve'", "Bob"] {
      try box.git("config", "user.email", "\(name)@example.org", in: "a")
      #expect(try box.run("cairn", classes, in: "a").status == 0)
    }
    let model = "<i>net</i>@\"1\""
    #expect(try box.run("cairn", classes + ["--as", model], in: "a").status == 0)
    let set = ["class", "set", "<u>set</u>"] + Self.hostile
    #expect(try box.run("cairn", set, in: "a").status == 0)
    let page = try box.cairn("report", in: "a").stdout
    let (elements, attributes, texts) = try read(page, box)
    #expect(
      elements.isSubset(of: [
        "html", "head", "meta", "title", "style", "body", "main", "section", "h1", "h2", "h3", "p",
        "ul", "li", "b", "span", "bdi", "code", "div", "table", "caption", "thead", "tbody", "tr",
        "th", "td", "figure", "figcaption", "details", "summary", "svg", "desc", "rect", "line",
        "text",
      ]), "\(elements)")
    #expect(
      attributes.allSatisfy { !$0.hasPrefix("on") && !["href", "src", "style"].contains($0) })
    for name in Self.hostile + [model, "<b>&\"eve'@example.org"] {
      #expect(texts.contains(name), "\(name)")
    }
    #expect(!page.contains("://"))
  }

  @Test("writes the same bytes for the same commit on every device")
  func deterministic() throws {
    let scene = try MetricsScene(seed: 3)
    let box = scene.box
    let page = try box.cairn("report", in: "a").stdout
    #expect(try box.cairn("report", in: "a").stdout == page)
    try box.cairn("clone", "a", "b")
    try box.setIdentity("Bob", in: "b")
    #expect(try box.cairn("report", in: "b").stdout == page)
    #expect(page.contains(try box.git("rev-parse", "HEAD", in: "a").word))
    // Written to a file, it replaces the contents.
    try box.write("old", to: "report.html")
    try box.cairn("report", "../report.html", in: "a")
    #expect(try box.text("report.html") == page)
    #expect(try box.json("report", "../report.html", in: "a")["file"].string == "../report.html")
    #expect(try box.json("report", in: "a")["html"].string == page)
    try box.refuses("report", "..", in: "a", with: ExitStatus.existsOrFull)
  }

  @Test("shows the figures of find, agreement and evaluate")
  func figures() throws {
    let scene = try MetricsScene(seed: 4)
    let box = scene.box
    let texts = try read(try box.cairn("report", in: "a").stdout, box).texts
    func expectRow(_ name: String, _ wanted: [String]) {
      let starts = texts.indices.filter { texts[$0] == name }
      let isThere = starts.contains { start in
        let row = texts[start...].prefix(30).filter { !$0.isEmpty }
        return wanted.allSatisfy { row.contains($0) }
      }
      #expect(isThere, "\(name): \(wanted)")
    }
    for name in ["oak", "elm", "husky"] {
      let counts = try ["confirmed", "predicted", "disputed", "rejected"].map {
        try box.cairn("find", "--count", "label:\(name) state:\($0)", in: "a").lines[0]
      }
      expectRow(name, counts)
    }
    for row in try box.json("agreement", in: "a")["rows"].elements where row["class"] != .null {
      expectRow(
        row["name"].string,
        [
          String(format: "%.3f", row["alpha"].number).replacing("-", with: "−")
        ])
    }
    for model in try box.json("evaluate", in: "a").elements {
      expectRow(
        model["model"].string, [String(format: "%.3f", model["calibration"]["error"].number)])
    }
  }

  @Test("says when it is not known on which photos a model was silent")
  func unknownSilence() throws {
    let box = try Sandbox(lfs: false)
    let photos = try box.startDataset(photos: 2)
    for photo in photos { try box.cairn("label", photo, "oak", in: "a") }
    try box.cairn("label", photos[0], "oak", "--as", "net@1", "--confidence", "0.9", in: "a")
    let page = try box.cairn("report", in: "a").stdout
    #expect(page.contains("Figures may be too high: photos on which it gave no label are not all"))
  }

  @Test("lists the most confident mistakes of a model, with their images if asked for")
  func mistakes() throws {
    let box = try Sandbox.textures(2)
    let predictions = [
      ("checks", 0, "checks", "0.99"), ("dots", 1, "checks", "0.6"), ("stripes", 0, "dots", "0.97"),
    ]
    for (kind, number, name, confidence) in predictions {
      try box.cairn(
        "label", Textures.file(kind, number), name, "--as", "net@1", "--confidence", confidence,
        in: "a")
    }
    let page = try box.cairn("report", in: "a").stdout
    #expect(!page.contains("<img") && !page.contains("data:"))
    let texts = try read(page, box).texts.filter { !$0.isEmpty }
    let start = try #require(texts.firstIndex(of: "Most confident mistakes"))
    let first = try box.photoID(Textures.file("stripes", 0)).prefix(12)
    let second = try box.photoID(Textures.file("dots", 1)).prefix(12)
    #expect(
      texts[(start + 5)...].prefix(8)
        == [
          "\(first)", "dots", "stripes", "97.0%", "\(second)", "checks", "dots", "60.0%",
        ])
    let pictures = try box.cairn("report", "--thumbnails", in: "a").stdout
    #expect(pictures.contains("; img-src data:"))
    let images = pictures.components(separatedBy: "data:image/jpeg;base64,").dropFirst()
      .compactMap { Data(base64Encoded: String($0.prefix { $0 != "\"" })) }
    #expect(images.count == 2 && images.allSatisfy { $0.starts(with: [0xFF, 0xD8, 0xFF]) })
    let (elements, attributes, _) = try read(pictures, box)
    #expect(elements.contains("img") && !attributes.contains("style"))
    #expect(!pictures.contains("://"))
  }

  @Test("writes a report of an empty dataset")
  func empty() throws {
    let box = try Sandbox(lfs: false)
    try box.cairn("init", "a")
    let texts = try read(try box.cairn("report", in: "a").stdout, box).texts
    #expect(texts.contains("No labels yet."))
    #expect(texts.contains("No photo was rated by two people."))
    #expect(texts.contains("No predictions yet."))
  }
}
