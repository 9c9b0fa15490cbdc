import Foundation
import TestSupport
import Testing

@Suite("Written documents", .enabled(if: Programs.python != nil, "no jsonschema"))
struct SchemaTests {
  static let names = [
    "Champ de Mars", "柴犬", "الصنوبر الحلبي", "ἐλαία", "Ясень обыкновенный", "ไม้สัก", "🌲🌳", "👩‍👩‍👧‍👦",
    "e\u{301}rable", "a\u{308}\u{323}b", "CON", "con.txt", "../../etc/passwd", "C++", "C#", "-",
    "_", "~",
    "a/b\\c:d*e?f", "\u{202E}desrever", "quote\"s 'and' \\slashes", "<b>&amp;", "$(reboot)",
    "trailing. ", "%00", "ǅ", "İstanbul", "ΟΔΟΣ", String(repeating: "ß", count: 128),
  ]

  /// Checks a dataset's documents against the schemas and against the bytes that Python writes.
  private func expectValid(_ box: Sandbox, _ dataset: String) throws {
    let python = try #require(Programs.python)
    let validate = packageDirectory.appending(path: "Schema/validate.py").path
    let schemas = try Command(python, [validate, box.url(dataset).path], in: "/").run()
    #expect(schemas.status == 0, "\(schemas.stderr)")
    let canonical = """
      import json, pathlib, sys
      for path in pathlib.Path(sys.argv[1]).rglob("*.json"):
          if ".git" in path.parts: continue
          text = path.read_bytes().decode("utf-8")
          again = json.dumps(json.loads(text), sort_keys=True, indent=2, ensure_ascii=False) + "\\n"
          if text != again: sys.exit(f"{path} is not canonical: {text}")
      """
    let output = try Command(python, ["-c", canonical, box.url(dataset).path], in: "/").run()
    #expect(output.status == 0, "\(output.stderr)")
  }

  @Test("writes valid and canonical documents for names in any script")
  func documents() throws {
    let box = try Sandbox(lfs: false)
    let photos = try box.startDataset(photos: 4)
    for (index, name) in Self.names.enumerated() {
      let pin = try box.json(
        "pin", "add", "\(Double(index) - 33.25)", "151.5", "--name", name, in: "a")
      #expect(pin["name"].string == name.trimmingCharacters(in: .whitespaces))
    }
    let arguments = [photos[0]] + Self.names.flatMap { ["--class=\($0)"] }
    let labels = try box.run("cairn", ["label"] + arguments + ["--json"], in: "a")
    #expect(labels.status == 0, "\(labels.stderr)")
    #expect(
      try Set(labels.json().elements.map { $0["label"]["class"].string }).count == Self.names.count)
    let classes = try box.json("class", "list", in: "a").strings("name")
    #expect(Set(classes) == Set(Self.names.map { $0.trimmingCharacters(in: .whitespaces) }))

    // Every kind of label, and photos and pins that are removed and restored.
    try box.cairn("label", photos[1], "oak", "--absent", in: "a")
    try box.cairn(
      "label", photos[1], "elm", "--as", "net 7/größe@2026-01@b", "--confidence", "0.1", in: "a")
    try box.cairn("label", photos[1], "ash", "--region", "0.125,0.25,0.5,0.0625", in: "a")
    try box.cairn("label", photos[1], "ash", "--region", "0,0,1,1", "--as", "net@1", in: "a")
    try box.cairn("label", photos[2], "oak", in: "a")
    try box.cairn("unlabel", photos[2], "oak", in: "a")
    try box.cairn("accept", photos[1], "elm", in: "a")
    try box.cairn("photo", "remove", photos[2], photos[3], in: "a")
    try box.cairn("photo", "restore", photos[3], in: "a")
    try box.cairn("pin", "remove", "柴犬", in: "a")
    try box.cairn("pin", "remove", "🌲🌳", in: "a")
    try box.cairn("pin", "restore", "🌲🌳", in: "a")
    try box.cairn("pin", "move", "ไม้สัก", "-1.5", "-2.5", in: "a")
    try box.cairn("pin", "rename", "ἐλαία", "", in: "a")
    try box.makeImages(20..<21, in: "bilder ü")
    try box.cairn("photo", "add", "../bilder ü", "--pin", "ไม้สัก", in: "a")

    // Every kind of edit of classes, runs, the policy and photos.
    try box.cairn("class", "rename", "elm", "Ulme (größer)", in: "a")
    try box.cairn("class", "alias", "Ясень", "ash", in: "a")
    try box.cairn("class", "merge", "oak", "elm", in: "a")
    try box.cairn("class", "split", "oak", in: "a")
    try box.cairn("class", "set", "Arten & Gattungen", "oak", "elm", "柴犬", in: "a")
    try box.cairn("class", "set", "none", "elm", in: "a")
    let run = try box.json(
      "run", "start", "net 7/größe@2026-02", "--parameter", "size=224", "--parameter", "flip=true",
      "--parameter", "note=1e999 ü", in: "a")["id"].string
    try box.cairn("label", photos[0], "ash", "--run", run, in: "a")
    try box.cairn("run", "withdraw", run, in: "a")
    try box.cairn(
      "policy", "set", "--people", "unanimous", "--threshold", "0.1", "--model-threshold",
      "net 7/größe=0.30000000000000004", "--model-threshold", "a=b=1", in: "a")
    try box.cairn("policy", "set", "--model-threshold", "net 7/größe=none", in: "a")
    try box.cairn("photo", "edit", photos[0], "--title", "木\u{200D}\n\"", "--pin", "🌲🌳", in: "a")
    try box.cairn("photo", "edit", photos[0], "--caption", "", "--pin", "none", in: "a")

    try expectValid(box, "a")
    try box.cairn("commit", in: "a")
    try box.expectClean("a")
    try box.expectSound("a", lfs: false)
    try expectValid(box, "a")
    try box.cairn("clone", "a", "b")
    try expectValid(box, "b")
    try box.expectEqual("a", "b")
  }

  @Test("escapes control and format characters of names in all output")
  func terminal() throws {
    let box = try Sandbox()
    let photo = try box.startDataset(photos: 1)[0]
    // Earlier versions used U+F8FF and U+0001 to mark cairn's own styles.
    let evil = "red\u{1B}[31m\u{7}\u{9B}2J\u{F8FF}2J\u{F8FF}\u{1}31\u{1}\u{2066}x\u{061C}\u{200F}"
    let turned = "a\u{202E}b\u{200B}"
    let pin = try box.run("cairn", ["pin", "add", "1", "2", "--name", evil], in: "a")
    try box.cairn("label", photo, "plain", turned, in: "a")
    try box.cairn("photo", "edit", photo, "--title", evil, in: "a")
    try box.cairn("remote", "add", "evil", "/nowhere/\(turned)", in: "a")
    try box.cairn("commit", "-m", evil, in: "a")
    try box.cairn("clone", "a", "b")
    try box.cairn("label", photo, turned, "--absent", in: "a")
    try box.cairn("commit", in: "a")
    try box.setIdentity("Bob", in: "b")
    try box.cairn("label", photo, turned, in: "b")
    for (command, isRefused) in [
      (["pin", "list"], false), (["class", "list"], false), (["show", photo], false),
      (["photo", "list"], false), (["status"], false), (["why", photo], false), (["log"], false),
      (["log", photo], false), (["find"], false), (["find", "--format", "table"], false),
      (["diff"], false), (["remote", "list"], false), (["verify"], false), (["review"], true),
      (["find", "label:\(turned)x"], true), (["pull", "evil"], true),
      (["label", photo, evil + "\n"], true), (["photo", "add", "/\(turned)"], true),
      (["class", "rename", turned + "?", "x"], true),
    ] {
      let output = try box.run("cairn", command, in: "a")
      #expect(isRefused || output.status == 0, "\(command)")
      expectPlain(output, "\(command)")
    }
    let sync = try box.run("cairn", ["sync"], in: "b")
    expectPlain(sync, "sync")
    expectPlain(pin, "pin add")
    #expect(try box.cairn("class", "list", in: "a").stdout.contains("a\\u{202E}b\\u{200B}"))
    #expect(
      try box.cairn("pin", "list", in: "a").stdout.contains(#"red\u{1B}[31m\u{07}\u{009B}2J"#))
    // Joiners within scripts and emoji are kept.
    let family = "👩‍👩‍👧 می‌خواهم"
    try box.cairn("photo", "edit", photo, "--title", family, in: "a")
    #expect(try box.cairn("show", photo, in: "a").stdout.contains(family))
    try expectValid(box, "a")
  }

  private func expectPlain(_ output: ProgramOutput, _ comment: Comment) {
    let shown = (output.stdout + output.stderr).unicodeScalars
    #expect(
      !shown.contains { scalar in
        scalar.value < 0x20 && scalar != "\n" || 0x7F...0x9F ~= scalar.value
          || scalar.properties.generalCategory == .format
      }, comment)
  }

  @Test("writes valid documents when an argument or a file name is not UTF-8")
  func notUTF8() throws {
    let box = try Sandbox()
    try box.cairn("init", "a")
    try box.makeImages(0..<1, in: "in")
    try box.sh("mv photo-0.png \"$(printf 'caf\\351.png')\"", in: "in")
    let add = try box.run(
      "sh", ["-c", "cairn photo add ../in; cairn pin add 1 2 --name \"$(printf 'caf\\351')\""],
      in: "a")
    #expect(add.status < 128 && add.status >= 0, "\(add.stderr)")
    try expectValid(box, "a")
    try box.cairn("commit", in: "a")
    try box.expectClean("a")
    try box.expectSound("a")
  }
}
