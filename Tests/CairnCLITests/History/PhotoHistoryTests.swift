import Foundation
import TestSupport
import Testing

@Suite("cairn log: history of a photo")
struct PhotoHistoryTests {
  /// Returns the changes that each commit made to a photo, newest first.
  private func history(
    _ box: Sandbox, _ photo: String, in dataset: String = "a"
  ) throws -> [[String]] {
    try box.json("log", photo, in: dataset).elements.map { $0["changes"].elements.map(\.string) }
  }

  @Test("includes the renaming of a class and uses its current name")
  func rename() throws {
    let box = try Sandbox()
    let photos = try box.startDataset(photos: 2)
    try box.cairn("label", photos[0], "quercus", in: "a")
    try box.cairn("commit", in: "a")
    try box.cairn("label", photos[1], "elm", in: "a")
    try box.cairn("commit", in: "a")
    try box.replace(
      "\"value\": \"quercus\"", with: "\"value\": \"oak\"", in: "a/classes/quercus.json")
    try box.replace("\"value\": \"elm\"", with: "\"value\": \"ulmus\"", in: "a/classes/elm.json")
    try box.cairn("commit", in: "a")
    try box.cairn("label", photos[0], "quercus", "--absent", in: "a")
    try box.cairn("commit", in: "a")

    #expect(
      try history(box, photos[0]) == [
        ["ann@example.org labeled oak absent, previously present"],
        ["class oak: renamed “quercus” → “oak”"],
        ["added, from photo-0.png", "ann@example.org labeled oak (then “quercus”) present"],
      ])
    #expect(
      try history(box, photos[1]) == [
        ["class ulmus: renamed “elm” → “ulmus”"],
        ["ann@example.org labeled ulmus (then “elm”) present"],
        ["added, from photo-1.png"],
      ])
    // An uncommitted renaming changes the name shown, but is not part of the history.
    try box.replace(
      "\"value\": \"oak\"", with: "\"value\": \"Eiche\"", in: "a/classes/quercus.json")
    #expect(
      try history(box, photos[0]).first
        == ["ann@example.org labeled Eiche (then “oak”) absent, previously present"])
  }

  @Test("shows only the newest commits with --limit, as text and as JSON")
  func limit() throws {
    let box = try Sandbox()
    let photo = try box.startDataset(photos: 1)[0]
    try box.cairn("commit", in: "a")
    try box.cairn("label", photo, "oak", in: "a")
    try box.cairn("commit", "-m", "Oaks", in: "a")
    let lines = try box.cairn("log", photo, "--limit", "1", in: "a").lines
    #expect(lines.count == 2)
    #expect(lines.last == "  ann@example.org labeled oak present")
    let entries = try box.json("log", photo, "--limit", "1", in: "a").elements
    #expect(entries.map { $0["summary"].string } == ["Oaks"])
    #expect(entries[0]["fields"].strings("field") == ["confidence", "verdict"])
    #expect(entries[0]["changed"] == .object(["label": .number(1)]))
    try box.refuses("log", "--limit", "0", in: "a", with: ExitStatus.badData)
  }

  @Test("includes the withdrawal and restoration of runs that labeled the photo")
  func runs() throws {
    let box = try Sandbox()
    let photos = try box.startDataset(photos: 2)
    let run = "41d8e07a5bc2f6930da7"
    let example = try String(
      contentsOf: packageDirectory.appending(path: "Schema/examples/run-model.json"),
      encoding: .utf8)
    try box.write(example, to: "a/runs/41/\(run).json")
    try box.cairn("label", photos[0], "elm", "--as", "resnet50@2026-01", in: "a")
    try box.cairn("label", photos[1], "elm", in: "a")
    let label = try #require(
      try box.documents("labels", in: "a").first { $0.contains("resnet50") })
    try box.replace("\"stamp\"", with: "\"run\": \"\(run)\",\n  \"stamp\"", in: label)
    try box.cairn("commit", in: "a")
    for (old, new) in [("false", "true"), ("true", "false")] {
      try box.replace("\"value\": \(old)", with: "\"value\": \(new)", in: "a/runs/41/\(run).json")
      try box.cairn("commit", in: "a")
    }
    let name = "run 41d8e07a5bc2 of resnet50@2026-01"
    #expect(
      try history(box, photos[0]) == [
        ["\(name): restored"], ["\(name): withdrawn"],
        ["added, from photo-0.png", "resnet50@2026-01 labeled elm present, in run 41d8e07a5bc2"],
      ])
    #expect(try history(box, photos[1]).count == 1)
  }

  @Test("lists a merge only if it contains a value that neither side had")
  func joins() throws {
    let box = try Sandbox()
    let photo = try box.startDataset(photos: 1)[0]
    try box.cairn("commit", in: "a")
    try box.cairn("remote", "add", "origin", "../x.git", "--create", in: "a")
    try box.cairn("push", in: "a")
    try box.cairn("clone", "x.git", "b")
    // Both sides change the same document: A its title, B its caption.
    for (device, field) in [("a", "title"), ("b", "caption")] {
      let path = "\(device)/\(Sandbox.photoPath(photo))"
      let parts = try box.text(path).components(separatedBy: "\"\(field)\": {")
      try #require(parts.count == 2)
      let edited = parts[1].replacing(
        "\"value\": \"\"", with: "\"value\": \"by \(device)\"", maxReplacements: 1)
      try box.write(parts[0] + "\"\(field)\": {" + edited, to: path)
      try box.cairn("commit", in: device)
    }
    try box.cairn("sync", in: "a")
    try box.cairn("sync", in: "b")
    try box.expectClean("b")
    #expect(try box.git("rev-list", "--count", "--merges", "HEAD", in: "b").word == "1")
    let changes = try history(box, photo, in: "b")
    #expect(Set(changes) == [["title “by a”"], ["caption “by b”"], ["added, from photo-0.png"]])
    #expect(changes.count == 3)

    // A person edits the value in the merge commit.
    try box.replace("\"by a\"", with: "\"by hand\"", in: "b/\(Sandbox.photoPath(photo))")
    try box.git("commit", "--quiet", "-a", "--amend", "--no-edit", in: "b")
    let merge = try #require(try box.json("log", photo, in: "b").elements.first)
    #expect(merge["merge"].isTrue)
    #expect(merge["changes"].elements.map(\.string).count == 1)
    #expect(merge["changes"].elements[0].string.hasSuffix("“by hand”"))
  }
}
