import Foundation
import TestSupport
import Testing

@Suite("cairn diff")
struct DiffTests {
  /// Commits three photos and a pin. Ann labeled the first photo as oak, and net@1 as elm.
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

  @Test("lists uncommitted changes photo by photo, then classes and pins")
  func workTree() throws {
    let box = try Sandbox()
    let (photos, pin) = try start(box)
    #expect(try box.cairn("diff", in: "a").lines == ["No differences."])

    try box.cairn("label", photos[0], "oak", "--absent", in: "a")
    try box.cairn("label", photos[1], "ash", "--region", "0.1,0.2,0.3,0.4", in: "a")
    try box.cairn("photo", "remove", photos[2], in: "a")
    try box.cairn("pin", "move", pin, "3", "4", in: "a")
    let sections = [
      (
        photos[0],
        [heading(photos[0], 0), "  ann@example.org labeled oak absent, previously present"]
      ),
      (
        photos[1],
        [heading(photos[1], 1), "  ann@example.org labeled ash present in the box 0.1,0.2,0.3,0.4"]
      ),
      (photos[2], [heading(photos[2], 2), "  removed"]),
    ].sorted { $0.0 < $1.0 }.flatMap(\.1)
    #expect(
      try box.cairn("diff", in: "a").lines == sections + [
        "class ash", "  created", "pin “Mill”", "  moved from 1, 2 to 3, 4",
        "Added 1 label, 1 class; modified 1 pin, 1 photo, 1 label. 3 photos differ.",
      ])
    try box.cairn("commit", in: "a")
    #expect(try box.cairn("diff", in: "a").lines == ["No differences."])
  }

  @Test("compares the work tree with any commit, and two commits with each other")
  func revisions() throws {
    let box = try Sandbox()
    let (photos, _) = try start(box)
    try box.cairn("label", photos[0], "oak", "--absent", in: "a")
    try box.cairn("commit", in: "a")
    try box.cairn("unlabel", photos[0], "oak", in: "a")

    func oakLines(_ revisions: String...) throws -> [String] {
      try box.run("cairn", ["diff"] + revisions, in: "a").lines.filter { $0.contains("oak") }
    }
    let withdrew = "  ann@example.org withdrew the label oak (was"
    #expect(try oakLines() == ["\(withdrew) absent)"])
    #expect(try oakLines("HEAD~1") == ["\(withdrew) present)"])
    let changed = ["  ann@example.org labeled oak absent, previously present"]
    #expect(try oakLines("HEAD~1", "HEAD") == changed)
    let first = try box.git("rev-parse", "HEAD~1", in: "a").word
    #expect(try oakLines(String(first.prefix(8)), "main") == changed)
    #expect(
      try oakLines("HEAD", "HEAD~1")
        == ["  ann@example.org labeled oak present, previously absent"])
    // The work tree has the labels of the first commit again, so nothing differs from it.
    try box.git("checkout", "--quiet", "HEAD~1", "--", "labels", in: "a")
    #expect(try oakLines("HEAD~1") == [])
    #expect(try oakLines() == ["  ann@example.org labeled oak present, previously absent"])
  }

  @Test("compares with a remote's branch")
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

  @Test("prints every changed field with its old and new value as JSON")
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

  @Test("limits the output to one photo or to the counts")
  func narrowed() throws {
    let box = try Sandbox()
    let (photos, pin) = try start(box)
    try box.cairn("label", photos[0], photos[1], "ash", in: "a")
    try box.cairn("pin", "rename", pin, "Old mill", in: "a")
    #expect(
      try box.cairn("diff", "--photo", photos[1], in: "a").lines == [
        heading(photos[1], 1), "  ann@example.org labeled ash present",
        "Added 1 label. 1 photo differs.",
      ])
    #expect(try box.cairn("diff", "--photo", photos[2], in: "a").lines == ["No differences."])
    #expect(
      try box.cairn("diff", "--stat", in: "a").lines
        == ["Added 2 labels, 1 class; modified 1 pin. 2 photos differ."])
    let stat = try box.json("diff", "--stat", in: "a")
    #expect(stat["changes"] == .null)
    #expect(stat["counts"] == (try box.json("diff", in: "a")["counts"]))
  }

  @Test("lists each photo once, in the order of ids, across many directories")
  func manyPhotos() throws {
    let box = try Sandbox()
    let photos = try box.startDataset(photos: 40)
    try box.cairn("label", "--class", "oak", "--", photos[0], photos[7], photos[30], in: "a")
    try box.cairn("commit", in: "a")
    let added = try box.json("diff", "HEAD~1", "HEAD", in: "a")["changes"].elements
    let listed = added.map { $0["photo"].string }.filter { !$0.isEmpty }
    #expect(Set(listed) == Set(photos))
    #expect(listed == listed.sorted())
    let fields = added.map { "\($0["path"].string) \($0["field"].string)" }
    #expect(fields.count == Set(fields).count)
  }

  @Test("reports invalid documents in commits and in the work tree and shows the other changes")
  func unreadable() throws {
    let box = try Sandbox()
    let (photos, pin) = try start(box)
    let path = "pins/\(pin.prefix(2))/\(pin).json"
    try box.write("<<<<<<< ours\n", to: "a/\(path)")
    try box.cairn("label", photos[0], "ash", in: "a")
    let lines = try box.cairn("diff", in: "a").lines
    #expect(lines.contains("  ann@example.org labeled ash present"))
    #expect(lines.contains { $0.hasPrefix("  left out \(path): ") })
    #expect(try box.json("diff", in: "a")["problems"].strings("path") == [path])

    try box.git("commit", "--quiet", "-a", "-m", "By accident", in: "a")
    let committed = try box.cairn("diff", "HEAD~1", "HEAD", in: "a").lines
    #expect(committed.contains { $0.hasPrefix("  invalid: line 1: ") })
    #expect(committed.first == "pin “Mill”")
  }

  @Test(
    "refuses a revision that is not a commit",
    arguments: ["nothing", "HEAD~9", "HEAD..main", "HEAD^{tree}"])
  func badRevision(revision: String) throws {
    let box = try Sandbox()
    _ = try start(box)
    let message = try box.refuses("diff", revision, in: "a", with: ExitStatus.notFound)
    #expect(message.contains("“\(revision)”"))
    #expect(
      try box.refuses("diff", "HEAD", revision, in: "a", with: ExitStatus.notFound) == message)
  }

  @Test("compares a dataset without commits with nothing, and is listed in help")
  func beginning() throws {
    let box = try Sandbox()
    #expect(try box.cairn("help").stdout.contains("\n  diff "))
    try box.cairn("init", "a")
    try box.sh("rm -rf .git/refs/heads/main .git/logs", in: "a")
    let diff = try box.cairn("diff", in: "a").lines
    #expect(diff.prefix(2) == ["dataset", "  created as “a”"])
    #expect(diff.last == "Added 1 manifest.")
  }
}
