import Foundation
import TestSupport
import Testing

@Suite("cairn find")
struct FindTests {
  /// Makes a dataset of six photos; returns their ids.
  private func makeDataset(_ box: Sandbox) throws -> [String] {
    let photos = try box.startDataset(photos: 6)
    try box.cairn("pin", "add", "48.85", "2.35", "--name", "Harbor", in: "a")
    try box.cairn("pin", "add", "--name", "Fiji", "--", "-17", "179.99", in: "a")
    try box.cairn("photo", "edit", photos[0], "--pin", "Harbor", "--title", "Old hemlock", in: "a")
    try box.cairn("photo", "edit", photos[1], "--pin", "Fiji", in: "a")
    try box.cairn("label", photos[0], photos[1], "Cairn terrier", in: "a")
    try box.cairn("class", "alias", "cairn dog", "cairn-terrier", in: "a")
    try box.cairn("label", photos[2], "cat", "--as", "net@1", "--confidence", "0.7", in: "a")
    try box.cairn("label", photos[3], "cat", "--as", "net@2", "--confidence", "0.9", in: "a")
    try box.cairn("commit", in: "a")
    try box.setIdentity("Bob", in: "a")
    try box.cairn("label", photos[1], "cairn-terrier", "--absent", in: "a")
    try box.cairn("label", photos[2], "cat", "--region", "0.1,0.1,0.5,0.5", in: "a")
    try box.cairn("photo", "remove", photos[5], in: "a")
    return photos
  }

  @Test("finds the matching photos for each kind of term, committed or not")
  func terms() throws {
    let box = try Sandbox()
    let photos = try makeDataset(box)
    for (query, wanted) in [
      ("", [0, 1, 2, 3, 4]), ("label:cairn-terrier", [0, 1]), ("label:\"cairn DOG\"", [0, 1]),
      ("label:cairn-terrier state:disputed", [1]), ("state:confirmed", [0, 2]),
      ("state:predicted,disputed", [1, 3]), ("label:cat", [2, 3]), ("conf:<=0.9", [1, 3]),
      ("model:net", [2, 3]), ("model:net@2", [3]), ("model:net by:me", [2]),
      ("by:ann", [0, 1]), ("by:bob@example.org", [1, 2]), ("by:bob label:cat", [2]),
      ("has:region", [2]), ("pin:Harbor", [0]), ("has:pin", [0, 1]),
      ("has:location", [0, 1]), ("has:place", [0, 1]),
      ("near:48.851,2.351,2km", [0]), ("in:2,48,3,49", [0]), ("in:179,-20,-179,-10", [1]),
      ("is:unlabeled", [4]), ("is:labelled", [0, 1, 2, 3]), ("is:removed", [5]),
      ("hemlock", [0]), ("\"old hem*\"", [0]),
      ("hem", []), ("\"hemlock old\"", []), ("fij*", [1]), ("-label:cat", [0, 1, 4]),
      ("-(label:cat by:bob)", [0, 1, 3, 4]),
      ("label:cat OR pin:Harbor", [0, 2, 3]),
      ("(label:cat OR label:cairn-terrier) state:confirmed", [0, 2]),
      ("label:cat -(by:bob OR model:net@1)", [3]),
      ("label:cat AND NOT by:bob", [3]), ("NOT label:cat", [0, 1, 4]),
      ("label:cat AND(by:bob)", [2]), ("NOT(label:cat OR has:pin)", [4]),
      // NOT binds before AND, and AND before OR.
      ("NOT label:cat AND pin:Harbor OR model:net@2", [0, 3]),
      ("pin:Harbor OR label:cat AND by:bob", [0, 2]),
      ("(pin:Harbor OR label:cat) AND by:bob", [2]),
      // In lower case or in quotes they are text.
      ("hemlock and", []), ("hemlock \"AND\"", []), ("\"NOT\"", []),
      ("labeled:2020..", [0, 1, 2]),
      ("labeled:..2020-05", []), ("labeled:2019 by:ann", []),
      ("said:2020..", [0, 1, 2]),
    ] {
      let found = try box.json("find", query, in: "a").elements.map { $0["photo"]["id"].string }
      #expect(found == wanted.map { photos[$0] }.sorted(), "\(query)")
      let count = try box.json("find", "--count", query, in: "a")["count"].number
      #expect(count == Double(wanted.count), "\(query)")
    }
    // Terms as separate arguments, one of which begins with “-”.
    let rest = try box.json("find", "-label:cat", "has:pin", in: "a").elements
    #expect(rest.count == 2)
  }

  @Test("uses the current policy, .mailmap and class merges")
  func rules() throws {
    let box = try Sandbox()
    let photos = try makeDataset(box)
    func found(_ query: String) throws -> [String] {
      try box.json("find", query, in: "a").elements.map { $0["photo"]["id"].string }
    }
    #expect(try found("state:predicted") == [photos[3]])
    try box.cairn("policy", "set", "--threshold", "0.95", in: "a")
    #expect(try found("state:predicted").isEmpty)
    try box.cairn("policy", "set", "--people", "latest", in: "a")
    #expect(try found("state:rejected") == [photos[1]])
    try box.write("Ann <ann@example.org> <bob@example.org>\n", to: "a/.mailmap")
    #expect(try found("by:ann").sorted() == photos[0...2].sorted())
    try box.cairn("class", "merge", "cat", "cairn-terrier", in: "a")
    #expect(try found("label:cairn-terrier").contains(photos[2]))
  }

  @Test("sorts, limits and prints the results in every format")
  func output() throws {
    let box = try Sandbox()
    let photos = try makeDataset(box)
    let first = try box.cairn("find", "--format", "paths", "--limit", "2", in: "a").stdout
    #expect(first == photos[0..<5].sorted().prefix(2).map { Sandbox.imagePath($0) + "\n" }.joined())
    func ids(_ arguments: String...) throws -> [String] {
      let found = try box.run("cairn", ["find", "--json"] + arguments, in: "a")
      return try found.json().elements.map { $0["photo"]["id"].string }
    }
    #expect(try ids("--sort", "confidence", "--limit", "1", "state:predicted") == [photos[3]])
    #expect(try ids("--sort", "labeled", "--limit", "1") == [photos[2]])
    #expect(try ids("--sort", "title", "--reverse", "--limit", "1", "-is:removed") == [photos[4]])
    #expect(try ids("--reverse") == photos[0..<5].sorted().reversed())

    let csv = try box.cairn("find", "--format", "csv", "pin:Harbor", in: "a").stdout
    #expect(csv.contains("\(photos[0]),Old hemlock,\(Sandbox.imagePath(photos[0])),,48.85,2.35,"))
    let map = try box.cairn("find", "--format", "geojson", in: "a").json()
    #expect(map["features"].elements.count == 5)
    #expect(
      try box.cairn("find", "--format", "geojson", "fij*", in: "a").json()["features"].elements
        .first?["geometry"]["coordinates"].elements.map(\.number) == [179.99, -17])
    let none = try box.cairn("find", "nothing", in: "a").stdout
    #expect(none == "No photos match.\n")
    let lowercase = try box.cairn("find", "nothing or never", in: "a").stdout
    #expect(lowercase == "No photos match. Operators are in upper case: AND, OR, NOT.\n")
    #expect(try box.json("find", "nothing", in: "a").elements.isEmpty)
  }

  @Test(
    "refuses an invalid query and marks the error with a caret",
    arguments: [
      ("label:oak stat:x", 10), ("(a", 0), ("a)", 1), ("a OR", 4), ("a AND", 5), ("AND a", 0),
      ("a AND OR b", 6), ("a AND AND b", 6), ("a OR AND b", 5), ("(a OR)", 5), ("NOT", 3),
      ("a NOT OR b", 6), ("NOT NOT a", 4), ("NOT -a", 4), ("(NOT)", 4), ("-", 1), ("--a", 1),
      ("-NOT a", 1), ("a -OR b", 3), ("-AND", 1),
      ("label:", 0), ("\"a", 0), ("a\"b", 1), ("conf:2", 5), ("conf:nan", 5),
      ("labeled:2026-13", 8), ("labeled:2026..2025", 8), ("taken:2024-02-30", 6),
      ("near:91,0,1", 5),
      ("near:1,2,inf", 5), ("near:1,2,2mi", 5), ("in:0,2,1,1", 3), ("state:open", 6),
      ("is:x", 3), ("()", 1),
      ("similar:3fa9,65", 8), ("a !!", 2), ("a !label:b", 2), ("a || b", 2), ("a & b", 2),
      ("camera:-*", 7), ("taken:..", 6),
    ])
  func refused(query: String, column: Int) throws {
    let box = try Sandbox()
    try box.cairn("init", "a")
    let output = try box.run("cairn", ["find", "--", query], in: "a")
    #expect(output.status == 65)
    let lines = output.stderr.split(separator: "\n").map(String.init)
    #expect(lines.first?.contains("at character \(column + 1):") ?? false, "\(output.stderr)")
    #expect(lines.dropFirst().prefix(2) == ["  \(query)", "  \(spaces(column))^"])
    #expect(lines.count == 4 && lines[3].hasPrefix("hint: "))
  }

  private func spaces(_ count: Int) -> String { String(repeating: " ", count: count) }

  @Test(
    "shows the part of a long query around the error, and aligns the caret below wide characters")
  func caret() throws {
    let box = try Sandbox()
    try box.cairn("init", "a")
    let long = String(repeating: "oak ", count: 50) + "is:x" + String(repeating: " elm", count: 50)
    let lines = try box.run("cairn", ["find", long], in: "a").stderr.split(separator: "\n")
    #expect(lines[0].contains("at character 204:"))
    #expect(lines[1].dropFirst(42).hasPrefix("x elm elm") && lines[1].count == 82)
    #expect(lines[2] == spaces(42) + "^")
    let wide = try box.run("cairn", ["find", "\u{6728} is:x"], in: "a").stderr
    #expect(wide.contains("\n  \u{6728} is:x\n  \(spaces(6))^\n"))
    let meant = try box.run("cairn", ["find", "lable:oak"], in: "a").stderr
    #expect(meant.contains("hint: Did you mean `label:`?\n"))
  }

  @Test("finds text in any Unicode normalization, with or without accents")
  func letterForms() throws {
    let box = try Sandbox()
    let photos = try box.startDataset(photos: 3)
    try box.cairn("photo", "edit", photos[0], "--title", "Caf\u{E9} \u{212B}", in: "a")
    try box.cairn("photo", "edit", photos[1], "--title", "CAFE\u{301}", in: "a")
    try box.cairn("pin", "add", "1", "2", "--name", "Re\u{301}sidence", in: "a")
    try box.cairn("photo", "edit", photos[2], "--pin", "Re\u{301}sidence", in: "a")
    for (query, wanted) in [
      ("caf\u{E9}", [0, 1]), ("cafe\u{301}", [0, 1]), ("\u{C5}", [0]), ("A\u{30A}", [0]),
      ("CAFE", [0, 1]), ("r\u{E9}s*", [2]), ("re\u{301}s*", [2]), ("res*", [2]),
    ] {
      let found = try box.json("find", query, in: "a").elements.map { $0["photo"]["id"].string }
      #expect(found == wanted.map { photos[$0] }.sorted(), "\(query)")
    }
  }

  @Test(
    "matches a phrase within one text, but not across two texts")
  func phrases() throws {
    let box = try Sandbox()
    let photo = try box.startDataset(photos: 1)[0]
    try box.cairn(
      "photo", "edit", photo, "--title", "Old mill", "--caption", "stream and bridge", in: "a")
    try box.cairn("label", photo, "oak", "--text", "felled trunk", in: "a")
    try box.cairn("label", photo, "elm", "--text", "hollow branch", in: "a")
    for (query, count) in [
      ("\"old mill\"", 1), ("\"mill stream\"", 0), ("\"mill str*\"", 0), ("mill stream", 1),
      ("\"felled trunk\"", 1), ("\"trunk hollow\"", 0), ("\"branch felled\"", 0),
      // The separator between the texts cannot be typed in a query.
      ("\"mill \u{E000} stream\"", 0),
    ] {
      #expect(try box.json("find", query, in: "a").elements.count == count, "\(query)")
    }
    try box.refuses("find", "\u{E000}", in: "a", with: ExitStatus.badData)
  }

  @Test("resolves the path in similar: from the directory of -C, before or after the command")
  func similarInDirectory() throws {
    let box = try Sandbox()
    try box.cairn("init", "a")
    for (name, height) in [("x", 60), ("y", 61)] {
      try box.write(PNG.bytes(seed: 68_851, width: 8, height: height), to: "from/\(name).png")
    }
    try box.cairn("photo", "add", "../from", in: "a")
    try box.sh("cp from/x.png a/mill.png")
    try box.cairn("label", "y.png", "oak", in: "a")
    try box.cairn("label", "y.png", "oak", "--as", "net@1", in: "a")
    let query = "similar:mill.png"
    for command in [
      ["find", query], ["photo", "list", query], ["review", "--count", "--find", query],
      ["agreement", "--find", query], ["evaluate", "--find", query],
      ["export", "csv", "../out", "--find", query],
    ] {
      let output = try box.run("cairn", command + ["-C", "a"])
      #expect(output.status == 0, "\(command): \(output.stderr)")
    }
    #expect(try box.json("find", query, "-C", "a").elements.count == 1)
  }

  @Test("resolves the path in similar: from the current directory")
  func similarFile() throws {
    let box = try Sandbox()
    try box.cairn("init", "a")
    for (name, height) in [("x", 60), ("y", 61)] {
      try box.write(PNG.bytes(seed: 68_851, width: 8, height: height), to: "from/\(name).png")
    }
    try box.cairn("photo", "add", "../from", in: "a")
    try box.sh("mkdir a/below; cp from/x.png 'a/below/my x.png'")
    for (query, directory) in [
      ("similar:../from/x.png", "a"), ("similar:../../from/x.png", "a/below"),
      ("similar:\"my x.png\"", "a/below"), ("similar:\"below/my x.png,4\"", "a"),
    ] {
      let found = try box.json("find", query, in: directory).elements
      #expect(found.map { $0["photo"]["source"].string } == ["y.png"], "\(query)")
    }
    let edit = ["photo", "edit", "--find", "similar:\"my x.png\"", "--title", "like x", "--json"]
    #expect(try box.run("cairn", edit, in: "a/below").json().elements.count == 1)
    try box.refuses("find", "similar:below/x.png", in: "a", with: ExitStatus.notFound)
  }

  @Test("refuses a query with too many terms and keeps the index")
  func tooManyTerms() throws {
    let box = try Sandbox()
    let photo = try box.startDataset(photos: 1)[0]
    try box.cairn("photo", "edit", photo, "--title", "a b", in: "a")
    try box.cairn("find", in: "a")
    func inode() throws -> String { try box.sh("ls -i a/.git/cairn/index.sqlite").stdout }
    let before = try inode()
    func words(_ count: Int) -> String {
      Array(repeating: "a", count: count).joined(separator: " ")
    }
    func either(_ count: Int) -> String { words(count).replacing(" ", with: " OR ") }
    func nested(_ count: Int) -> String {
      String(repeating: "-(", count: count) + "a" + String(repeating: ")", count: count)
    }
    for query in [
      words(1500), "-(\(words(1500)))", "-(\(either(200))) \(words(100))",
      String(repeating: "-((a OR b) ", count: 9) + "a" + String(repeating: ")", count: 9),
    ] {
      let message = try box.refuses("find", query, in: "a", with: ExitStatus.badData)
      #expect(message.contains("terms"))
    }
    for (query, count) in [
      (words(250), 1), (either(250), 1), ("-(\(words(250)))", 0), ("-(\(either(250)))", 0),
      (nested(10), 1), (words(200) + " " + nested(9), 0),
    ] {
      let found = try box.json("find", query, in: "a").elements
      #expect(found.count == count, "\(query.prefix(100))")
    }
    #expect(try inode() == before)
  }

  @Test(
    "reports unknown names in a query",
    arguments: ["label:x", "by:x", "model:x", "pin:x", "run:abcd"])
  func unknown(query: String) throws {
    let box = try Sandbox()
    try box.cairn("init", "a")
    #expect(try box.run("cairn", ["find", query], in: "a").status == 66)
  }
}
