import Foundation
import TestSupport
import Testing

@Suite("cairn find: output formats and order")
struct FindOutputTests {
  private static let python: String? = {
    let program = packageDirectory.appending(path: ".build/python/bin/python3").path
    return Programs.isProgram(program) ? program : nil
  }()

  /// Makes a dataset with titles that must be quoted; returns the ids of the photos.
  private func makeDataset(_ box: Sandbox) throws -> [String] {
    let photos = try box.startDataset(photos: 4)
    try box.cairn("pin", "add", "48.5", "--", "-2.25", in: "a")
    let pin = try box.json("pin", "list", in: "a").elements[0]["id"].string
    try box.cairn(
      "photo", "edit", photos[0], "--title", "a, \"b\"\u{200C}\nc", "--pin", pin, in: "a")
    try box.cairn("photo", "edit", photos[1], "--title", "=1+1; é'", in: "a")
    try box.cairn("label", photos[0], "oak", "elm", in: "a")
    try box.cairn("label", photos[1], "oak", "--as", "net@1", "--confidence", "0.75", in: "a")
    return photos
  }

  @Test("prints CSV that Python's csv module reads")
  func csv() throws {
    let box = try Sandbox()
    let photos = try makeDataset(box)
    let text = try box.cairn("find", "--format", "csv", "label:oak", in: "a").stdout
    #expect(!text.replacing("\r\n", with: "").contains("\r"))
    try box.write(text, to: "rows.csv")
    let program = """
      import csv, json
      print(json.dumps(list(csv.DictReader(open("rows.csv", newline="", encoding="utf-8"), strict=True))))
      """
    let rows = try box.run("python3", ["-c", program]).json().elements
    let byID = Dictionary(uniqueKeysWithValues: rows.map { ($0["id"].string, $0) })
    #expect(Set(byID.keys) == Set(photos[0...1]))
    let first = try #require(byID[photos[0]])
    #expect(first["name"].string == "a, \"b\"\u{200C}\nc" && first["confirmed"].string == "elm oak")
    #expect(first["latitude"].string == "48.5" && first["longitude"].string == "-2.25")
    let second = try #require(byID[photos[1]])
    #expect(second["name"].string == "=1+1; é'" && second["predicted"].string == "oak")
    #expect(second["path"].string == Sandbox.imagePath(photos[1]))
  }

  @Test(
    "prints GeoJSON that Python's geojson module accepts as valid",
    .enabled(if: python != nil, "there is no .build/python: run `make setup`"))
  func geoJSON() throws {
    let box = try Sandbox()
    let photos = try makeDataset(box)
    let program = """
      import geojson, json, sys
      found = geojson.load(sys.stdin)
      assert isinstance(found, geojson.FeatureCollection)
      assert found.is_valid, found.errors()
      print(json.dumps([[f.id, f.geometry and f.geometry.coordinates, f.properties] for f in found.features]))
      """
    for query in ["", "nothing"] {
      let text = try box.run("cairn", ["find", "--format", "geojson", query], in: "a").bytes
      let read = try box.run(Self.python ?? "", ["-c", program], stdin: text)
      let features = try read.json().elements
      #expect(features.map { $0.elements[0].string } == (query == "" ? photos.sorted() : []))
      for feature in features {
        let isFirst = feature.elements[0].string == photos[0]
        #expect(feature.elements[1].elements.map(\.number) == (isFirst ? [-2.25, 48.5] : []))
        if isFirst { #expect(feature.elements[2]["name"].string == "a, \"b\"\u{200C}\nc") }
      }
    }
  }

  @Test("prints when, where and with which camera a photo was taken as JSON")
  func facts() throws {
    let box = try Sandbox()
    let (full, bare) = (String(repeating: "3fa9", count: 16), String(repeating: "4fa9", count: 16))
    let size = #""bytes":5,"format":"jpeg","height":2,"width":3"#
    try box.cairn("init", "a")
    try box.write(
      """
      {"id":"\(full)","image":{\(size),"camera":"Canon EOS 40D","place":\
      {"altitude":12.5,"latitude":48.86,"longitude":2.36},"taken":"2024-05-31T23:59:59+02:00"}}
      {"id":"\(bare)","image":{\(size)}}
      """, to: "lines.jsonl")
    try box.cairn("import", "documents", "../lines.jsonl", in: "a")
    for (id, isFull) in [(full, true), (bare, false)] {
      let found = try box.json("find", in: "a").elements
      let listed = try box.json("photo", "list", in: "a").elements
      let photos = try [
        box.json("show", id, in: "a")["photo"],
        #require(found.first { $0["photo"]["id"].string == id })["photo"],
        #require(listed.first { $0["photo"]["id"].string == id })["photo"],
      ]
      for photo in photos {
        guard isFull else {
          #expect(photo["taken"] == .null && photo["camera"] == .null && photo["place"] == .null)
          continue
        }
        #expect(photo["taken"].string == "2024-05-31T23:59:59+02:00")
        #expect(photo["camera"].string == "Canon EOS 40D")
        #expect(photo["place"]["latitude"].number == 48.86)
        #expect(photo["place"]["longitude"].number == 2.36)
        #expect(photo["place"]["altitude"].number == 12.5)
      }
    }
  }

  @Test("prints paths for xargs with -0")
  func paths() throws {
    let box = try Sandbox()
    let photos = try makeDataset(box)
    let listed = try box.sh("cairn find -0 | xargs -0 ls | sort", in: "a").lines
    #expect(listed == photos.map(Sandbox.imagePath).sorted())
    let lines = try box.cairn("find", "--format", "paths", in: "a").lines
    #expect(lines.sorted() == listed)
    for others in [["--count"], ["--json"], ["--format", "csv"]] {
      #expect(try box.run("cairn", ["find", "-0"] + others, in: "a").status == ExitStatus.usage)
    }
    for format in ["csv", "table", "paths", "geojson"] {
      let output = try box.run("cairn", ["find", "--json", "--format", format], in: "a")
      #expect(output.status == ExitStatus.usage, "\(format)")
    }
    #expect(try box.json("find", "--format", "json", in: "a").elements.count == 4)
  }

  @Test(
    "pages through the results with --limit and --offset in every order",
    arguments: [
      "id", "-id", "taken", "added", "-labeled", "conf", "title", "-title",
    ])
  func pages(order: String) throws {
    let box = try Sandbox()
    _ = try makeDataset(box)
    func ids(_ more: String...) throws -> [String] {
      try box.run("cairn", ["find", "--json", "--sort", order] + more, in: "a").json().elements
        .map { $0["photo"]["id"].string }
    }
    let all = try ids()
    #expect(all.count == 4)
    #expect(try ids("--limit", "2") == Array(all[..<2]))
    #expect(try ids("--limit", "2", "--offset", "1") == Array(all[1...2]))
    #expect(try ids("--offset", "3") == Array(all[3...]))
    #expect(try ids("--offset", "9").isEmpty)
    let count = try box.json("find", "--count", "--offset", "1", "--limit", "2", in: "a")["count"]
    #expect(count.number == 2)
  }

  @Test("sorts by the first commit of each photo, uncommitted photos first")
  func added() throws {
    let box = try Sandbox()
    var photos: [String] = []
    try box.cairn("init", "a")
    for day in 1...3 {
      photos += try box.addPhotos(day..<day + 1, to: "a")
      let date = "2026-01-0\(day)T12:00:00Z"
      let commit = try box.run(
        "cairn", ["commit"], in: "a",
        environment: ["GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date])
      #expect(commit.status == 0)
      try box.git("commit", "-q", "--amend", "--no-edit", "--date", date, in: "a")
    }
    func sorted() throws -> [String] {
      try box.json("find", "--sort", "added", in: "a").elements.map { $0["photo"]["id"].string }
    }
    #expect(try sorted() == photos.reversed())
    photos += try box.addPhotos(4..<5, to: "a")
    #expect(try sorted() == photos.reversed())
    // An edit does not make it newer, and a rebuilt index gives the same order.
    try box.cairn("photo", "edit", photos[0], "--title", "x", in: "a")
    try box.cairn("commit", in: "a")
    #expect(try sorted() == photos.reversed())
    // Neither does another commit that was checked out for a moment.
    try box.git("checkout", "-q", "HEAD~2", in: "a")
    try box.cairn("find", in: "a")
    try box.git("checkout", "-q", "-", in: "a")
    photos += try box.addPhotos(5..<6, to: "a")
    #expect(try sorted() == photos.reversed())
    try box.sh("rm -f .git/cairn/index.sqlite*", in: "a")
    #expect(try sorted() == photos.reversed())
  }

  @Test("sorts by the highest confidence among the classes of the query")
  func confidence() throws {
    let box = try Sandbox()
    let photos = try box.startDataset(photos: 3)
    func label(_ photo: Int, _ name: String, _ confidence: String) throws {
      try box.cairn(
        "label", photos[photo], name, "--as", "net@1", "--confidence", confidence, in: "a")
    }
    try label(0, "oak", "0.6")
    try label(0, "elm", "0.9")
    try label(1, "oak", "0.7")
    try label(2, "elm", "0.65")
    try label(2, "ash", "1")
    func sorted(_ query: String) throws -> [Int] {
      try box.json("find", "--sort", "conf", query, in: "a").elements.compactMap {
        photos.firstIndex(of: $0["photo"]["id"].string)
      }
    }
    #expect(try sorted("label:oak") == [1, 0])
    #expect(try sorted("label:oak OR label:elm") == [0, 1, 2])
    #expect(try sorted("label:elm OR label:oak") == [0, 1, 2])
    #expect(try sorted("label:oak OR state:predicted") == [2, 0, 1])
    // The confidence of a favorite does not count.
    for photo in photos { try box.cairn("favorite", photo, in: "a") }
    #expect(try sorted("is:favorite") == [2, 0, 1])
    #expect(try sorted("label:oak is:favorite") == [1, 0])
  }

  @Test(
    "escapes control and invisible characters in JSON on a terminal",
    .enabled(if: python != nil, "there is no .build/python: run `make setup`"))
  func terminal() throws {
    let box = try Sandbox()
    let photo = try box.startDataset(photos: 1)[0]
    let title = "a\u{9B}31m\u{7F}\u{202E}b\u{E0041}\u{1F332} caf\u{E9}"
    try box.cairn("photo", "edit", photo, "--title", title, in: "a")
    let program = #"""
      import json, pexpect, sys
      read = []
      for arguments in (["find", "--json"], ["find", "--format", "geojson"], ["show", "--json", sys.argv[1]]):
          terminal = pexpect.spawn("cairn", ["--no-pager", *arguments], timeout=60)
          terminal.expect(pexpect.EOF)
          text = terminal.before
          assert b"\\u009b31m\\u007f\\u202eb\\udb40\\udc41" in text, text
          assert "\U0001f332 caf\u00e9".encode() in text, text
          assert not set(text.decode()) & set(map(chr, [*range(32), *range(127, 160), 0x202e])) - {"\r", "\n"}
          read.append(json.loads(text))
      print(json.dumps(read))
      """#
    let output = try box.run(Self.python ?? "", ["-c", program, photo], in: "a")
    try #require(output.status == 0, "\(output.stderr)")
    let read = try output.json().elements
    #expect(read[0].elements[0]["photo"]["title"].string == title)
    #expect(read[1]["features"].elements[0]["properties"]["name"].string == title)
    #expect(read[2]["photo"]["title"].string == title)
    // In a pipe it is not escaped.
    #expect(try box.cairn("find", "--json", in: "a").stdout.contains(title))
  }

  @Test("sorts photos without a value last in both directions")
  func unknown() throws {
    let box = try Sandbox()
    let photos = try makeDataset(box)
    func sorted(_ order: String) throws -> [String] {
      try box.json("find", "--sort", order, in: "a").elements.map { $0["photo"]["id"].string }
    }
    for order in ["conf", "-conf"] {
      #expect(Array(try sorted(order).suffix(2)) == photos[2...3].sorted(), "\(order)")
    }
    // A model's label outside of a run has no time.
    for order in ["labeled", "-labeled"] {
      #expect(try sorted(order) == [photos[0]] + photos[1...].sorted(), "\(order)")
    }
    let bare = String(repeating: "4fa9", count: 16)
    try box.write(
      #"{"id":"\#(bare)","image":{"bytes":5,"format":"jpeg","height":2,"width":3}}"#,
      to: "lines.jsonl")
    try box.cairn("import", "documents", "../lines.jsonl", in: "a")
    for order in ["title", "-title"] { #expect(try sorted(order).last == bare, "\(order)") }
    #expect(try box.run("cairn", ["find", "--sort", "x"], in: "a").status == ExitStatus.usage)
    #expect(try box.run("cairn", ["find", "--offset=-1"], in: "a").status == ExitStatus.badData)
  }
}
