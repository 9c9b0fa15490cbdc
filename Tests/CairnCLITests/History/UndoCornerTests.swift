import Foundation
import TestSupport
import Testing

/// Undo where something came between: another undo, another edit, a crash, another person.
@Suite("Undo after other changes")
struct UndoCornerTests {
  private func numbers(_ box: Sandbox) throws -> [Int] {
    try box.json("operations", in: "a").elements.map { Int($0["number"].number) }
  }

  private func title(_ photo: String, _ box: Sandbox) throws -> String {
    try box.json("show", photo, in: "a")["photo"]["title"].string
  }

  @Test("an undo of edits that were never committed can be undone")
  func redo() throws {
    let box = try Sandbox()
    let photos = try box.startDataset(photos: 2)
    try box.cairn("label", photos[0], "oak", "-q", in: "a")
    try box.cairn("label", photos[1], "ash", "-q", in: "a")
    try box.cairn("label", photos[0], photos[1], "elm", in: "a")
    try box.cairn("undo", in: "a")
    #expect(try box.state(of: "elm", on: photos[0], in: "a") == nil)
    try box.cairn("undo", "\(try numbers(box)[0])", in: "a")
    for photo in photos { #expect(try box.labels(of: photo, in: "a").contains("ann: elm present")) }

    try box.cairn("commit", in: "a")
    try box.cairn("class", "merge", "oak", "ash", in: "a")
    try box.cairn("undo", in: "a")
    #expect(try box.state(of: "ash", on: photos[0], in: "a") == nil)
    try box.cairn("undo", "\(try numbers(box)[0])", in: "a")
    #expect(try box.state(of: "ash", on: photos[0], in: "a") == "confirmed")
  }

  @Test("repeating an undo that was interrupted completes it")
  func interrupted() throws {
    let box = try Sandbox()
    let photos = try box.startDataset(photos: 2)
    try box.cairn("label", photos[0], photos[1], "oak", in: "a")
    try box.cairn("commit", in: "a")
    try box.cairn("undo", in: "a")
    // As if the process had been killed after the first label.
    let log = "a/.git/cairn/operations/\(try numbers(box)[0])"
    let lines = try box.text(log).split(separator: "\n")
    let labels = lines.filter { $0.contains("labels/") }
    #expect(labels.count == 2)
    try box.write(lines.prefix(2).map { "\n\($0)\n" }.joined(), to: log)
    let last = try #require(photos.first { !lines[1].contains($0) })
    try box.git("checkout", "--", "labels/\(last.prefix(2))", "classes", in: "a")
    #expect(try box.labels(of: last, in: "a").contains("ann: oak present"))

    let operations = try box.json("operations", in: "a").elements
    #expect(!operations[1]["undone"].isTrue)
    try box.cairn("undo", in: "a")
    for photo in photos { #expect(try box.state(of: "oak", on: photo, in: "a") == nil) }
    #expect(try box.json("operations", in: "a").elements[2]["undone"].isTrue)
  }

  @Test("undoing an older command does not keep newer ones from being undone")
  func olderFirst() throws {
    let box = try Sandbox()
    let photos = try box.startDataset(photos: 1)
    try box.cairn("photo", "edit", photos[0], "--title", "Slip", in: "a")
    try box.cairn("commit", in: "a")
    try box.cairn("photo", "edit", photos[0], "--caption", "Another", in: "a")
    try box.cairn("commit", in: "a")
    try box.cairn("undo", "\(try numbers(box)[1])", in: "a")
    #expect(try title(photos[0], box) == "")
    let report = try box.json("undo", in: "a")
    #expect(report["kept"].elements.isEmpty)
    #expect(try box.json("show", photos[0], in: "a")["photo"]["caption"].string == "")
  }

  @Test("a command that has nothing left to undo does not hide earlier ones")
  func nothingLeft() throws {
    let box = try Sandbox()
    let photos = try box.startDataset(photos: 1)
    try box.cairn("photo", "edit", photos[0], "--title", "Kept", in: "a")
    try box.cairn("label", photos[0], "oak", in: "a")
    try box.remove("a/labels")
    try box.remove("a/classes")
    let nothing = try box.cairn("undo", in: "a").stdout
    #expect(nothing.hasPrefix("Nothing left to undo: “label"), "\(nothing)")
    try box.cairn("undo", in: "a")
    #expect(try title(photos[0], box) == "")
  }

  @Test("an operation that was changed since can be undone once the change is undone")
  func keptBefore() throws {
    let box = try Sandbox()
    let photos = try box.startDataset(photos: 1)
    try box.cairn("label", photos[0], "oak", in: "a")
    try box.cairn("label", photos[0], "ash", in: "a")
    try box.cairn("label", photos[0], "oak", "--absent", in: "a")
    let (change, first) = (try numbers(box)[0], try numbers(box)[2])
    // The documents that were kept are a warning, so they are printed with --quiet, too.
    let kept = try box.cairn("undo", "\(first)", "-q", in: "a").lines
    #expect(kept.first?.hasPrefix("Not undone: “label ") == true, "\(kept)")
    #expect(kept.dropFirst().first?.hasPrefix("2 documents changed or used since") == true)
    #expect(try box.cairn("undo", "\(change)", "-q", in: "a").lines.isEmpty)
    #expect(try box.state(of: "oak", on: photos[0], in: "a") == "confirmed")
    try box.cairn("undo", "\(first)", in: "a")
    #expect(try box.state(of: "oak", on: photos[0], in: "a") == nil)
    try box.refuses("undo", "\(first)", in: "a", with: ExitStatus.badData)
    // Without a number, the next operation is undone.
    try box.cairn("undo", in: "a")
    #expect(try box.state(of: "ash", on: photos[0], in: "a") == nil)
  }

  @Test("restated labels can be undone as well")
  func restated() throws {
    let box = try Sandbox()
    let photos = try box.startDataset(photos: 2)
    for name in ["elm", "ash"] { try box.cairn("label", photos[1], name, in: "a") }
    try box.cairn("class", "set", "trees", "elm", "ash", in: "a")
    try box.cairn("label", photos[0], "elm", in: "a")
    try box.cairn("commit", in: "a")
    try box.cairn("label", photos[0], "elm", "--absent", in: "a")
    try box.cairn("commit", in: "a")
    try box.cairn("label", photos[0], "ash", in: "a")
    try box.cairn("commit", in: "a")
    try box.cairn("undo", "\(try numbers(box)[1])", in: "a")
    let report = try box.json("undo", in: "a")
    #expect(report["kept"].elements.isEmpty, "\(report)")
    #expect(try box.state(of: "elm", on: photos[0], in: "a") == "confirmed")
    #expect(try box.state(of: "ash", on: photos[0], in: "a") != "confirmed")
  }

  @Test("a new class stays as long as a label of it was given again")
  func labeledAgain() throws {
    let box = try Sandbox()
    let photos = try box.startDataset(photos: 1)
    try box.cairn("label", photos[0], "moss", in: "a")
    try box.cairn("label", photos[0], "moss", "--confidence", "0.5", in: "a")
    try box.cairn("commit", in: "a")
    let report = try box.json("undo", "\(try numbers(box)[1])", in: "a")
    #expect(report["kept"].elements.contains(.string("classes/moss.json")), "\(report)")
    #expect(try box.state(of: "moss", on: photos[0], in: "a") == "confirmed")
  }

  @Test("a new class stays if others labeled it as absent, or made an alias of it")
  func usedByOthers() throws {
    let box = try Sandbox()
    let photos = try box.startDataset(photos: 2)
    for name in ["elm", "fir"] { try box.cairn("label", photos[0], name, in: "a") }
    let numbers = try numbers(box)
    try box.setIdentity("Bob", in: "a")
    try box.cairn("label", photos[1], "elm", "--absent", in: "a")
    try box.cairn("class", "alias", "abies", "fir", in: "a")
    try box.setIdentity("Ann", in: "a")
    for (number, name) in zip(numbers, ["fir", "elm"]) {
      let dry = try box.json("undo", "\(number)", "--dry-run", in: "a")
      let report = try box.json("undo", "\(number)", in: "a")
      #expect(dry["kept"] == report["kept"])
      #expect(report["kept"].elements == [.string("classes/\(name).json")], "\(report)")
    }
    #expect(try box.json("class", "list", in: "a").strings("key") == ["abies", "elm", "fir"])
  }

  @Test("a photo that was restored stays if somebody has labeled it since")
  func restoredAndLabeled() throws {
    let box = try Sandbox()
    let photos = try box.startDataset(photos: 2)
    try box.cairn("photo", "remove", photos[0], photos[1], in: "a")
    try box.cairn("commit", in: "a")
    try box.cairn("photo", "restore", photos[0], photos[1], in: "a")
    try box.setIdentity("Bob", in: "a")
    try box.cairn("label", photos[0], "oak", in: "a")
    try box.setIdentity("Ann", in: "a")
    let report = try box.json("undo", in: "a")
    #expect(report["operation"]["command"].string.hasPrefix("photo restore"))
    #expect(report["kept"].elements == [.string(Sandbox.photoPath(photos[0]))], "\(report)")
    #expect(try box.listed(in: "a") == [photos[0]])
  }

  @Test("a removed photo that a label already showed stays visible when its restoration is undone")
  func labeledAndRestored() throws {
    let box = try Sandbox()
    let photos = try box.startDataset(photos: 1)
    try box.cairn("photo", "remove", photos[0], in: "a")
    try box.cairn("label", photos[0], "oak", in: "a")
    try box.cairn("commit", in: "a")
    #expect(try box.listed(in: "a") == [photos[0]])
    try box.cairn("photo", "restore", photos[0], in: "a")
    try box.cairn("commit", in: "a")
    let report = try box.json("undo", in: "a")
    #expect(report["operation"]["command"].string.hasPrefix("photo restore"))
    #expect(report["kept"].elements == [.string(Sandbox.photoPath(photos[0]))], "\(report)")
    #expect(try box.listed(in: "a") == [photos[0]])
  }

  @Test("only one's own commands are undone without a number")
  func otherPerson() throws {
    let box = try Sandbox()
    let photos = try box.startDataset(photos: 1)
    try box.cairn("label", photos[0], "oak", in: "a")
    try box.setIdentity("Bob", in: "a")
    try box.refuses("undo", in: "a", with: ExitStatus.notFound)
    let listed = try box.cairn("operations", in: "a").stdout
    #expect(listed.contains("oak, by ann@example.org"), "\(listed)")
    try box.cairn("undo", "\(try numbers(box)[0])", in: "a")
    #expect(try box.state(of: "oak", on: photos[0], in: "a") == nil)
  }

  @Test("a dry run reports what an undo does: photos with pins and labels")
  func dryRunOfPhotos() throws {
    let box = try Sandbox()
    try box.startDataset(photos: 1)
    try box.makeImages(20..<23, in: "a/from/new")
    try box.succeed(
      "exiftool",
      [
        "-q", "-overwrite_original", "-XMP-dc:Subject=oak", "-GPSLatitude=57.5",
        "-GPSLatitudeRef=N", "-GPSLongitude=4", "-GPSLongitudeRef=W", "from/new",
      ], in: "a")
    try box.cairn("photo", "add", "from/new", "--keywords", "--pin", "auto:500m", in: "a")
    let dry = try box.json("undo", "--dry-run", in: "a")
    let real = try box.json("undo", in: "a")
    #expect(dry["undone"] == real["undone"] && dry["kept"] == real["kept"], "\(dry) \(real)")
    #expect(real["undone"]["photo"].number == 3 && real["undone"]["pin"].number == 1, "\(real)")
    #expect(real["kept"].elements.isEmpty)
  }

  @Test("an import whose commit is gone cannot be undone, and earlier commands still can")
  func missingCommit() throws {
    let box = try Sandbox()
    let photos = try box.startDataset(photos: 1)
    try box.cairn("photo", "edit", photos[0], "--title", "Slip", in: "a")
    try box.cairn("commit", in: "a")
    let start = try box.git("rev-parse", "HEAD", in: "a").word
    for name in ["oak", "elm"] {
      try box.write("photo,label\n\(photos[0]),\(name)\n", to: "a/labels.csv")
      try box.cairn("import", "csv", "labels.csv", "--annotator", "eve@example.org", in: "a")
      if name == "oak" { try box.cairn("undo", in: "a") }
    }
    try box.git("reset", "-q", "--hard", start, in: "a")
    try box.git("reflog", "expire", "--expire=now", "--all", in: "a")
    try box.git("gc", "-q", "--prune=now", in: "a")
    let operations = try box.json("operations", in: "a").elements
    let imports = operations.filter { $0["command"].string.hasPrefix("import") }
    let edit = try #require(operations.first { $0["command"].string.hasPrefix("photo edit") })
    let text = try box.refuses(
      "undo", "\(Int(imports[0]["number"].number))", in: "a", with: ExitStatus.notFound, hint: false
    )
    #expect(text.contains("no longer exists"), "\(text)")
    // The undo of the other import is among what is read here.
    try box.cairn("undo", "\(Int(edit["number"].number))", in: "a")
    #expect(try title(photos[0], box) == "")
  }
}
