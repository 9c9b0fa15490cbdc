import Foundation
import TestSupport
import Testing

@Suite("cairn import documents and export documents")
struct ImportTests {
  private static let photo = String(repeating: "3fa9", count: 16)
  private static let image = #"{"bytes":5,"format":"jpeg","height":2,"width":3}"#

  /// Makes a dataset with a photo whose image is missing.
  private func start(_ box: Sandbox) throws {
    try box.cairn("init", "a")
    try box.write(#"{"id":"\#(ImportTests.photo)","image":\#(ImportTests.image)}"#, to: "photo")
    try box.cairn("import", "documents", "../photo", in: "a")
  }

  private func importing(
    _ lines: String..., options: [String] = [], in box: Sandbox
  ) throws -> JSONValue {
    try box.write(lines.joined(separator: "\n"), to: "lines.jsonl")
    let output = try box.run(
      "cairn", ["import", "documents", "../lines.jsonl", "--json"] + options, in: "a")
    return try output.json()
  }

  private func checkClean(_ box: Sandbox, _ dataset: String = "a") throws {
    #expect(try box.git("status", "--porcelain", in: dataset).stdout == "")
    try box.git("fsck", "--strict", in: dataset)
  }

  @Test("makes the same tree, except for the manifest, from exported documents")
  func roundTrip() throws {
    let box = try Sandbox()
    let photos = try box.startDataset(photos: 3)
    try box.cairn("pin", "add", "1", "2", "--name", "Mill “wheel”\\ü", in: "a")
    let run = try box.json("run", "start", "net@2", "--parameter", "size=224", in: "a")["id"].string
    try box.cairn("label", photos[0], photos[1], "Cairn terrier", "ジャーマン", in: "a")
    try box.cairn("label", photos[2], "elm", "--run", run, "--confidence", "0.931", in: "a")
    try box.cairn("label", photos[0], "ash", "--region", "0.1,0.1,0.5,0.5", in: "a")
    try box.cairn("class", "alias", "Quercus", "elm", in: "a")
    try box.cairn("photo", "remove", photos[2], in: "a")
    try box.cairn("commit", in: "a")
    try box.cairn("export", "documents", "../all.jsonl", in: "a")
    try box.cairn("init", "b")
    // With the images present, the import also writes their pointers.
    try box.sh("cp -r a/.git/lfs b/.git/")
    let report = try box.json("import", "documents", "../all.jsonl", in: "b")
    #expect(report["images"].number == 3)
    #expect(
      try box.sh("git ls-tree -r HEAD | grep -v cairn.json", in: "a").stdout
        == box.sh("git ls-tree -r HEAD | grep -v cairn.json", in: "b").stdout)
    try checkClean(box, "b")
    try box.cairn("verify", in: "b")
    #expect(try box.text("all.jsonl") == box.cairn("export", "documents", in: "b").stdout)
    // A second import has nothing to do.
    let head = try box.git("rev-parse", "HEAD", in: "b").stdout
    let again = try box.json("import", "documents", "../all.jsonl", in: "b")
    #expect(again["commit"] == .null)
    let lines = try box.text("all.jsonl").split(separator: "\n").count
    #expect(again["known"].number == Double(lines))
    #expect(try box.git("rev-parse", "HEAD", in: "b").stdout == head)
  }

  @Test("fills in omitted fields, and changes nothing when the lines are imported again")
  func filledIn() throws {
    let box = try Sandbox()
    try box.cairn("init", "a")
    let photo = ImportTests.photo
    let lines = [
      #"{"photo":"\#(photo)","class":"Cairn terrier"}"#,
      #"{"photo":"\#(photo)","class":"elm","annotator":"model:net@1","confidence":0.25}"#,
      #"{"photo":"\#(photo)","class":"ash","region":{"x":0.1,"y":0.1,"width":0.5,"height":0.5}}"#,
      #"{"id":"\#(photo)","image":\#(ImportTests.image),"title":"Mill"}"#,
      #"{"location":{"latitude":1,"longitude":2},"name":"Harbor"}"#,
      #"{"kind":"class","name":"Old oak"}"#, "",
      #"{"annotator":"model:net@1","id":"0123456789abcdef0123"}"#,
    ]
    try box.write(lines.joined(separator: "\r\n"), to: "lines.jsonl")
    let first = try box.json("import", "documents", "../lines.jsonl", in: "a")
    #expect(first["added"]["label"].number == 3)
    #expect(Set(first["created"].elements.map(\.string)) == ["ash", "cairn-terrier", "elm"])
    #expect(try box.labels(of: photo, in: "a").contains("ann: cairn-terrier present"))
    #expect(try box.json("show", photo, in: "a")["photo"]["title"].string == "Mill")
    #expect(try box.json("pin", "list", in: "a").elements.map { $0["name"].string } == ["Harbor"])
    let verified = try box.json("verify", in: "a")
    #expect(verified["imagesElsewhere"].number == 1)
    try checkClean(box)
    let again = try box.json("import", "documents", "../lines.jsonl", in: "a")
    #expect(again["known"].number == 7)
    #expect(again["commit"] == .null)
  }

  @Test("stamps a value without a stamp with the current time and keeps the other fields")
  func bareValue() throws {
    let box = try Sandbox()
    try start(box)
    try box.cairn("photo", "edit", ImportTests.photo, "--caption", "A wheel", in: "a")
    let report = try importing(
      #"{"id":"\#(ImportTests.photo)","title":"Mill"}"#, in: box)
    #expect(report["changed"]["photo"].number == 1)
    #expect(report["committedBefore"] != .null)
    let shown = try box.json("show", ImportTests.photo, in: "a")["photo"]
    #expect(shown["title"].string == "Mill")
    #expect(shown["caption"].string == "A wheel")
    try checkClean(box)
  }

  @Test("ignores a label with an older stamp and applies one with a later stamp")
  func joins() throws {
    let box = try Sandbox()
    try start(box)
    try box.cairn("label", ImportTests.photo, "oak", in: "a")
    func line(_ year: Int, _ verdict: String) -> String {
      #"{"annotator":"human:ann@example.org","class":"oak","photo":"\#(ImportTests.photo)","#
        + #""stamp":"\#(year)-01-01T00:00:00.000Z-0000-00000001","verdict":"\#(verdict)"}"#
    }
    let old = try importing(line(2001, "absent"), in: box)
    #expect(old["known"].number == 1)
    #expect(try box.labels(of: ImportTests.photo, in: "a") == ["ann: oak present"])
    // Of two lines for one label, the one with the later stamp wins.
    let new = try importing(line(2998, "withdrawn"), line(2999, "absent"), in: box)
    #expect(new["future"].elements.map(\.number) == [1, 2])
    #expect(try box.labels(of: ImportTests.photo, in: "a") == ["ann: oak absent"])
    try checkClean(box)
  }

  @Test("merges two lines of one new document, in either order", arguments: [false, true])
  func repeatedPath(isReversed: Bool) throws {
    let box = try Sandbox()
    try start(box)
    let lines = [("present", 1), ("absent", 2)].map {
      #"{"annotator":"human:bo@example.org","class":"elm","photo":"\#(ImportTests.photo)","#
        + #""stamp":"200\#($1)-01-01T00:00:00.000Z-0000-00000001","verdict":"\#($0)"}"#
    }
    _ = try importing(lines[isReversed ? 1 : 0], lines[isReversed ? 0 : 1], in: box)
    #expect(try box.labels(of: ImportTests.photo, in: "a") == ["bo: elm absent"])
    try checkClean(box)
  }

  @Test("reports every invalid line and imports nothing unless --skip-invalid is given")
  func errors() throws {
    let box = try Sandbox()
    try start(box)
    let photo = ImportTests.photo
    let nowhere = String(repeating: "00", count: 32)
    let long = String(repeating: "x", count: 9 << 20)
    let lines: [(String, String?)] = [
      (#"{"photo":"\#(photo)","class":"oak"}"#, nil),
      ("nonsense", "unexpected word"),
      (#"{"photo":"\#(nowhere)","class":"oak"}"#, "there is no photo"),
      (#"{"kind":"whatever"}"#, "not a document kind"),
      (#"{"some":1}"#, "“kind” is missing"),
      (#"{"id":"\#(nowhere)","title":"x"}"#, "“image”"),
      (#"{"location":{"latitude":91,"longitude":0}}"#, "not a latitude"),
      (#"{"photo":"\#(photo)","class":"oak","confidence":2}"#, "not between 0 and 1"),
      (#"{"photo":"\#(photo)","class":"\t"}"#, "cannot be the name of a class"),
      (String(repeating: "[", count: 5000), "nested deeper"),
      (#"{"id":"\#(photo)","title":"\#(long)"}"#, "larger than the limit"),
      (#"{"photo":"\#(photo)","class":"elm"} {}"#, "after the end"),
      ("\u{FEFF}" + #"{"kind":"dataset"}"#, "byte order mark"),
    ]
    try box.write(lines.map(\.0).joined(separator: "\n"), to: "lines.jsonl")
    let before = try box.listing()
    let output = try box.run("cairn", ["import", "documents", "../lines.jsonl", "--json"], in: "a")
    #expect(output.status == ExitStatus.badData)
    let report = try output.json()
    #expect(report["problemCount"].number == Double(lines.count - 1))
    for problem in report["problems"].elements {
      let (text, expected) = lines[Int(problem["line"].number) - 1]
      #expect(
        expected.map { problem["message"].string.contains($0) } == true,
        "\(text.prefix(100)): \(problem["message"].string)")
    }
    #expect(try box.listing().differences(from: before) == [])
    let plain = try box.run("cairn", ["import", "documents", "../lines.jsonl"], in: "a")
    #expect(plain.stderr.contains("cairn: line 2: unexpected word"))
    #expect(plain.stderr.contains("12 invalid lines; nothing was imported."))

    let rest = try importing(in: box, options: ["--skip-invalid"], from: "lines.jsonl")
    #expect(rest["added"]["label"].number == 1)
    #expect(rest["problemCount"].number == Double(lines.count - 1))
    #expect(try box.labels(of: photo, in: "a") == ["ann: oak present"])
    try checkClean(box)
  }

  @Test("suggests the same command with --skip-invalid, quoted for a shell")
  func skipHint() throws {
    let box = try Sandbox()
    try box.cairn("init", "a")
    try box.write("invalid\n", to: "my labels.jsonl")
    let output = try box.run(
      "cairn", ["import", "documents", "../my labels.jsonl", "-m", "Mine", "-C", "a"])
    #expect(output.status == ExitStatus.badData)
    #expect(
      output.stderr.contains(
        "`cairn import documents '../my labels.jsonl' -m Mine -C a --skip-invalid`"),
      "\(output.stderr)")
  }

  @Test("skips labels of missing photos and their classes with --skip-invalid")
  func noPhoto() throws {
    let box = try Sandbox()
    try start(box)
    let nowhere = String(repeating: "00", count: 32)
    func label(_ photo: String, _ name: String, _ rest: String = "") -> String {
      #"{"annotator":"model:net@1","photo":"\#(photo)","class":"\#(name)"\#(rest)}"#
    }
    let twice = [label(nowhere, "ash"), label(nowhere, "ash", #","confidence":0.5"#)]
    let left = try importing(twice[0], twice[1], options: ["--skip-invalid"], in: box)
    #expect(left["commit"] == .null)
    #expect(left["problems"].elements.map { $0["line"].number } == [1, 2])
    #expect(left["added"]["label"] == .null)
    #expect(left["created"].elements.isEmpty)

    let mixed = try importing(
      twice[0], label(ImportTests.photo, "oak"), label(ImportTests.photo, "oak"),
      options: ["--skip-invalid"], in: box)
    #expect(mixed["added"]["label"].number == 1)
    #expect(mixed["created"].elements.map(\.string) == ["oak"])
    #expect(try box.json("class", "list", in: "a").strings("key") == ["oak"])
    #expect(
      try box.git("log", "-1", "--format=%s", in: "a").stdout
        == "Import: add 1 label, 1 class\n")

    // Plain git removes the photo, but not its labels.
    try box.git("rm", "--quiet", Sandbox.photoPath(ImportTests.photo), in: "a")
    try box.git("commit", "--quiet", "--message", "Gone", in: "a")
    let gone = try importing(
      label(ImportTests.photo, "oak", #","verdict":"absent""#), label(ImportTests.photo, "elm"),
      options: ["--skip-invalid"], in: box)
    #expect(gone["changed"]["label"].number == 1)
    #expect(gone["added"]["label"] == .null)
    #expect(gone["problems"].elements.map { $0["line"].number } == [2])
    #expect(try box.git("log", "-1", "--format=%s", in: "a").stdout == "Import: change 1 label\n")
    try checkClean(box)
  }

  private func importing(
    in box: Sandbox, options: [String], from file: String
  ) throws -> JSONValue {
    try box.run("cairn", ["import", "documents", "../\(file)", "--json"] + options, in: "a").json()
  }

  @Test("lists only the first 100 problems of a file")
  func manyErrors() throws {
    let box = try Sandbox()
    try start(box)
    try box.write(String(repeating: "wrong\n", count: 100_000), to: "lines.jsonl")
    let report = try importing(in: box, options: [], from: "lines.jsonl")
    #expect(report["problemCount"].number == 100_000)
    #expect(report["problems"].elements.map { $0["line"].number } == (1...100).map(Double.init))
  }

  @Test("counts what an import would do with --dry-run and changes nothing")
  func dryRun() throws {
    let box = try Sandbox()
    try start(box)
    try box.cairn("label", ImportTests.photo, "oak", in: "a")
    let before = try box.listing()
    let lines = [
      #"{"photo":"\#(ImportTests.photo)","class":"oak"}"#,
      #"{"photo":"\#(ImportTests.photo)","class":"elm"}"#, #"{"kind":"dataset"}"#,
    ]
    try box.write(lines.joined(separator: "\n"), to: "lines.jsonl")
    let report = try box.json("import", "documents", "../lines.jsonl", "--dry-run", in: "a")
    #expect(report["known"].number == 1)
    #expect(report["added"]["label"].number == 1)
    #expect(report["created"].elements.map(\.string) == ["elm"])
    #expect(report["manifests"].number == 1)
    var after = try box.listing()
    after["lines.jsonl"] = nil
    #expect(after.differences(from: before) == [])
  }

  @Test("finds a class by its name or an alias")
  func classNames() throws {
    let box = try Sandbox()
    try start(box)
    try box.cairn("label", ImportTests.photo, "oak", in: "a")
    try box.cairn("class", "rename", "oak", "Sessile oak", in: "a")
    try box.cairn("class", "alias", "Quercus petraea", "oak", in: "a")
    let report = try importing(
      #"{"photo":"\#(ImportTests.photo)","class":"Sessile Oak","annotator":"human:bo@example.org"}"#,
      #"{"photo":"\#(ImportTests.photo)","class":"Quercus petraea","annotator":"model:m@1"}"#,
      in: box)
    #expect(report["created"].elements.isEmpty)
    #expect(
      try box.labels(of: ImportTests.photo, in: "a")
        == ["ann: oak present", "bo: oak present", "model:m@1: oak present"])
  }

  @Test("exports working documents or those of a commit, of all kinds or some")
  func exports() throws {
    let box = try Sandbox()
    let photos = try box.startDataset(photos: 2)
    try box.cairn("label", photos[0], "oak", in: "a")
    try box.cairn("commit", in: "a")
    try box.cairn("label", photos[1], "elm", in: "a")
    try box.cairn("label", photos[0], "oak", "--absent", in: "a")
    func kinds(_ arguments: String...) throws -> [String] {
      let output = try box.run("cairn", ["export", "documents"] + arguments, in: "a")
      return try output.stdout.split(separator: "\n").map { line in
        let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
        return try #require(object?["kind"] as? String)
      }
    }
    #expect(try kinds() == ["class", "class", "label", "label", "photo", "photo"])
    #expect(try kinds("--at", "HEAD") == ["class", "label", "photo", "photo"])
    #expect(
      try kinds("--kind", "label", "--kind", "class") == ["class", "class", "label", "label"])
    #expect(try kinds("--all").first == "dataset")
    let labels = try box.cairn("export", "documents", "--kind", "label", in: "a").stdout
    #expect(labels.contains(#""verdict":"absent""#))
    let report = try box.json("export", "documents", "../x.jsonl", "--kind", "label", in: "a")
    #expect(report["documents"]["label"].number == 2)
    #expect(try box.text("x.jsonl") == labels)
    #expect(try box.run("cairn", ["export", "documents", "--at", "nowhere"], in: "a").status == 66)
  }

  @Test("exports through a symbolic link and into a pipe without replacing them")
  func specialFiles() throws {
    let box = try Sandbox()
    try start(box)
    try box.sh("echo old > real; ln -s real link; ln -s new dangling; mkfifo pipe")
    for name in ["link", "dangling"] {
      try box.cairn("export", "documents", "../\(name)", in: "a")
      #expect(try box.sh("test -L \(name); cat \(name) | wc -l").stdout == "1\n")
    }
    #expect(try box.sh("cat real").stdout == box.sh("cat new").stdout)
    try box.sh("timeout 20 cat ../pipe > ../out & cairn export documents ../pipe; wait", in: "a")
    #expect(try box.sh("test -p pipe; cat out").stdout == box.sh("cat real").stdout)
    #expect(try box.sh("ls -a | grep -c tmp || true").stdout == "0\n")
  }

  @Test("reports an invalid document and leaves it out of an export")
  func brokenExport() throws {
    let box = try Sandbox()
    try start(box)
    try box.write("{", to: "a/classes/oak.json")
    let output = try box.run("cairn", ["export", "documents"], in: "a")
    #expect(output.status == ExitStatus.found)
    #expect(output.stdout.split(separator: "\n").count == 1)
    #expect(output.stderr.contains("left out classes/oak.json"))
  }
}
