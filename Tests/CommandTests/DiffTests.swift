import Foundation
import Testing

@Suite("What differs")
struct DiffTests {
  /// Commits a photo that Ann says is an oak and net@1 an elm, and a pin.
  private func start(_ box: Sandbox) throws -> (photos: [String], pin: String) {
    let photos = try box.startDataset(photos: 3)
    try box.cairn("label", photos[0], "oak", in: "a")
    try box.cairn("label", photos[0], "elm", "--as", "net@1", "--confidence", "0.75", in: "a")
    let pin = try box.json("pin", "add", "1", "2", "--name", "Mill", in: "a")["id"].string
    try box.cairn("commit", in: "a")
    return (photos, pin)
  }

  private func heading(_ photo: String, _ seed: Int) -> String {
    "photo \(photo.prefix(12)) photo-\(seed).png"
  }

  @Test("what is not committed is told photo by photo, then classes and pins")
  func workTree() throws {
    let box = try Sandbox()
    let (photos, pin) = try start(box)
    #expect(try box.cairn("diff", in: "a").lines == ["No difference."])

    try box.cairn("label", photos[0], "oak", "--absent", in: "a")
    try box.cairn("label", photos[1], "ash", "--region", "0.1,0.2,0.3,0.4", in: "a")
    try box.cairn("photo", "remove", photos[2], in: "a")
    try box.cairn("pin", "move", pin, "3", "4", in: "a")
    let sections = [
      (
        photos[0],
        [heading(photos[0], 0), "  ann@example.org says oak absent, said present before"]
      ),
      (
        photos[1],
        [heading(photos[1], 1), "  ann@example.org says ash present in the box 0.1,0.2,0.3,0.4"]
      ),
      (photos[2], [heading(photos[2], 2), "  removed"]),
    ].sorted { $0.0 < $1.0 }.flatMap(\.1)
    #expect(
      try box.cairn("diff", in: "a").lines == sections + [
        "class ash", "  coined", "pin “Mill”", "  moved from 1, 2 to 3, 4",
        "Added 1 label, 1 class; modified 1 pin, 1 photo, 1 label. 3 photos differ.",
      ])
    try box.cairn("commit", in: "a")
    #expect(try box.cairn("diff", in: "a").lines == ["No difference."])
  }

  @Test("the work tree is compared with any commit, and two commits with each other")
  func revisions() throws {
    let box = try Sandbox()
    let (photos, _) = try start(box)
    try box.cairn("label", photos[0], "oak", "--absent", in: "a")
    try box.cairn("commit", in: "a")
    try box.cairn("unlabel", photos[0], "oak", in: "a")

    func said(_ revisions: String...) throws -> [String] {
      try box.run("cairn", ["diff"] + revisions, in: "a").lines.filter { $0.contains("oak") }
    }
    let tookBack = "  ann@example.org took back that oak is"
    #expect(try said() == ["\(tookBack) absent"])
    #expect(try said("HEAD~1") == ["\(tookBack) present"])
    let changed = ["  ann@example.org says oak absent, said present before"]
    #expect(try said("HEAD~1", "HEAD") == changed)
    let first = try box.git("rev-parse", "HEAD~1", in: "a").word
    #expect(try said(String(first.prefix(8)), "main") == changed)
    #expect(
      try said("HEAD", "HEAD~1") == ["  ann@example.org says oak present, said absent before"])
    // Taken back in the work tree to what it was: no difference with the first commit.
    try box.git("checkout", "--quiet", "HEAD~1", "--", "labels", in: "a")
    #expect(try said("HEAD~1") == [])
    #expect(try said() == ["  ann@example.org says oak present, said absent before"])
  }

  @Test("a remote's branch is a revision like any other")
  func remote() throws {
    let box = try Sandbox()
    let (photos, _) = try start(box)
    try box.cairn("remote", "add", "origin", "../x.git", "--create", in: "a")
    try box.cairn("push", in: "a")
    try box.cairn("label", photos[0], "ash", in: "a")
    try box.cairn("commit", in: "a")
    let diff = try box.json("diff", "origin/main", "main", in: "a")
    #expect(diff["counts"]["added"] == .object(["class": .number(1), "label": .number(1)]))
    #expect(diff["to"].string == (try box.git("rev-parse", "main", in: "a").word))
  }

  @Test("programs get every field that differs, its values before and after")
  func json() throws {
    let box = try Sandbox()
    let (photos, pin) = try start(box)
    #expect(try box.json("diff", in: "a")["changes"] == .array([]))
    try box.cairn("label", photos[0], "oak", "--confidence", "0.5", in: "a")
    try box.cairn("pin", "rename", pin, "Old mill", in: "a")
    let diff = try box.json("diff", in: "a")
    let changes = diff["changes"].elements
    #expect(changes.map { $0["field"].string } == ["confidence", "name"])
    #expect(changes[0]["photo"].string == photos[0])
    #expect(changes[0]["class"].string == "oak")
    #expect(changes[0]["annotator"].string == "human:ann@example.org")
    #expect([changes[0]["old"], changes[0]["new"]] == [.number(1), .number(0.5)])
    #expect(changes[1]["pin"].string == pin)
    #expect([changes[1]["old"], changes[1]["new"]] == [.string("Mill"), .string("Old mill")])
    #expect(diff["counts"]["modified"] == .object(["label": .number(1), "pin": .number(1)]))
    #expect(diff["photos"].number == 1)
    #expect(diff["to"] == .null)
    #expect(diff["from"].string == (try box.git("rev-parse", "HEAD", in: "a").word))
  }

  @Test("one photo's differences, or how many there are, can be all that is asked for")
  func narrowed() throws {
    let box = try Sandbox()
    let (photos, pin) = try start(box)
    try box.cairn("label", photos[0], photos[1], "ash", in: "a")
    try box.cairn("pin", "rename", pin, "Old mill", in: "a")
    #expect(
      try box.cairn("diff", "--photo", photos[1], in: "a").lines == [
        heading(photos[1], 1), "  ann@example.org says ash present",
        "Added 1 label. 1 photo differs.",
      ])
    #expect(try box.cairn("diff", "--photo", photos[2], in: "a").lines == ["No difference."])
    #expect(
      try box.cairn("diff", "--stat", in: "a").lines
        == ["Added 2 labels, 1 class; modified 1 pin. 2 photos differ."])
    let stat = try box.json("diff", "--stat", in: "a")
    #expect(stat["changes"] == .null)
    #expect(stat["counts"] == (try box.json("diff", in: "a")["counts"]))
  }

  @Test("photos that lie in many directories are each told once, in the order of their ids")
  func manyPhotos() throws {
    let box = try Sandbox()
    let photos = try box.startDataset(photos: 40)
    try box.cairn("label", "--class", "oak", "--", photos[0], photos[7], photos[30], in: "a")
    try box.cairn("commit", in: "a")
    let added = try box.json("diff", "HEAD~1", "HEAD", in: "a")["changes"].elements
    let told = added.map { $0["photo"].string }.filter { !$0.isEmpty }
    #expect(Set(told) == Set(photos))
    #expect(told == told.sorted())
    let fields = added.map { "\($0["path"].string) \($0["field"].string)" }
    #expect(fields.count == Set(fields).count)
  }

  @Test("what does not read is told, between commits and in the work tree, and stops nothing else")
  func unreadable() throws {
    let box = try Sandbox()
    let (photos, pin) = try start(box)
    let path = "pins/\(pin.prefix(2))/\(pin).json"
    try box.write("<<<<<<< ours\n", to: "a/\(path)")
    try box.cairn("label", photos[0], "ash", in: "a")
    let lines = try box.cairn("diff", in: "a").lines
    #expect(lines.contains("  ann@example.org says ash present"))
    #expect(lines.contains { $0.hasPrefix("  left out \(path): ") })
    #expect(try box.json("diff", in: "a")["problems"].strings("path") == [path])

    try box.git("commit", "--quiet", "-a", "-m", "By accident", in: "a")
    let told = try box.cairn("diff", "HEAD~1", "HEAD", in: "a").lines
    #expect(told.contains { $0.hasPrefix("  does not read: line 1: ") })
    #expect(told.first == "pin “Mill”")
  }

  @Test(
    "a revision that means no commit is refused in plain words",
    arguments: ["nothing", "HEAD~9", "HEAD..main", "HEAD^{tree}"])
  func badRevision(revision: String) throws {
    let box = try Sandbox()
    _ = try start(box)
    let said = try box.refuses("diff", revision, in: "a", with: ExitStatus.notFound)
    #expect(said.contains("“\(revision)”"))
    #expect(
      try box.refuses("diff", "HEAD", revision, in: "a", with: ExitStatus.notFound) == said)
  }

  @Test("`cairn help` lists it; a dataset without commits differs from nothing")
  func beginning() throws {
    let box = try Sandbox()
    #expect(try box.cairn("help").stdout.contains("\n  diff "))
    try box.cairn("init", "a")
    try box.sh("rm -rf .git/refs/heads/main .git/logs", in: "a")
    let diff = try box.cairn("diff", in: "a").lines
    #expect(diff.prefix(2) == ["dataset", "  started as “a”"])
    #expect(diff.last == "Added 1 manifest.")
  }
}
