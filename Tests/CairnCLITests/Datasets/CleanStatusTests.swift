import Foundation
import TestSupport
import Testing

@Suite("git status after cairn")
struct CleanStatusTests {
  @Test("is clean after every command that commits or checks out", arguments: [true, false])
  func afterEachCommand(lfs: Bool) throws {
    let box = try Sandbox(lfs: lfs)
    try box.cairn("init", "a")
    try box.expectClean("a")

    let photos = try box.addPhotos(0..<3, to: "a")
    let pin = try box.json("pin", "add", "1.5", "2.5", "--name", "Mill", in: "a")["id"].string
    try box.cairn("label", photos[0], "oak", in: "a")
    #expect(try !box.git("status", "--porcelain", in: "a").stdout.isEmpty)
    try box.cairn("commit", in: "a")
    try box.expectClean("a")
    try box.cairn("commit", in: "a")
    try box.expectClean("a")

    try box.cairn("remote", "add", "origin", "../x.git", "--create", in: "a")
    try box.cairn("push", in: "a")
    try box.cairn("clone", "x.git", "b")
    try box.expectClean("b")

    // B --> X --> A, fast forward.
    _ = try box.addPhotos(10..<12, to: "b")
    try box.cairn("photo", "remove", photos[1], in: "b")
    try box.cairn("sync", in: "b")
    try box.expectClean("b")
    try box.cairn("pull", in: "a")
    try box.expectClean("a")

    // Both are edited, and merged.
    try box.cairn("pin", "rename", pin, "Old mill", in: "a")
    try box.cairn("unlabel", photos[0], "oak", in: "a")
    try box.cairn("pin", "move", pin, "3", "4", in: "b")
    try box.cairn("sync", in: "b")
    try box.cairn("sync", in: "a")
    try box.expectClean("a")
    try box.cairn("sync", in: "b")
    try box.expectClean("b")
    try box.expectEqual("a", "b", "x.git")
    try box.expectSound("a", lfs: lfs)
  }

  @Test("is clean after init in an existing repository, whose files are unchanged")
  func existingRepository() throws {
    let box = try Sandbox()
    try box.sh("git init -q a; cd a; echo hi > README; git add .; git commit -q -m First")
    try box.cairn("init", "a")
    try box.expectClean("a")
    #expect(try box.text("a/README") == "hi\n")
    #expect(try box.git("rev-list", "--count", "HEAD", in: "a").word == "2")
    try box.expectSound("a")
  }

  @Test("keeps other files staged when cairn commits")
  func staged() throws {
    let box = try Sandbox()
    let photo = try box.startDataset(photos: 1)[0]
    try box.write("Notes\n", to: "a/NOTES")
    try box.git("add", "NOTES", in: "a")
    try box.cairn("label", photo, "oak", in: "a")
    try box.cairn("commit", in: "a")
    #expect(try box.git("status", "--porcelain", in: "a").stdout == "A  NOTES\n")
    try box.git("commit", "-q", "-m", "Notes", in: "a")
    #expect(try box.git("show", "HEAD:NOTES", in: "a").stdout == "Notes\n")
    try box.expectClean("a")
    #expect(try box.labels(of: photo, in: "a") == ["ann: oak present"])
  }

  @Test("shows no changes after files were touched or git's index was rewritten")
  func indexOfGit() throws {
    let box = try Sandbox()
    let photos = try box.startDataset(photos: 2)
    try box.cairn("commit", in: "a")
    let tree = try box.tree(of: "a")
    try box.sh("find a/images a/photos -type f -exec touch -d '2001-01-01' {} +")
    let status = try box.json("status", in: "a")
    #expect(status["changes"].elements.isEmpty && status["problems"].elements.isEmpty)
    try box.cairn("commit", in: "a")
    #expect(try box.tree(of: "a") == tree)
    try box.expectClean("a")
    try box.git("read-tree", "HEAD", in: "a")
    try box.cairn("label", photos[0], "oak", in: "a")
    try box.cairn("commit", in: "a")
    try box.expectClean("a")
    #expect(try box.git("diff", "--name-status", tree, "HEAD", in: "a").lines.count == 2)
  }

  @Test("drops uncommitted labels after git checkout and git clean")
  func takenBackByGit() throws {
    let box = try Sandbox()
    let photo = try box.startDataset(photos: 1)[0]
    try box.cairn("label", photo, "oak", in: "a")
    try box.cairn("commit", in: "a")
    try box.cairn("label", photo, "oak", "--absent", in: "a")
    try box.cairn("label", photo, "elm", in: "a")
    try box.git("checkout", "--quiet", "--", ".", in: "a")
    try box.git("clean", "--quiet", "-fd", in: "a")
    #expect(try box.labels(of: photo, in: "a") == ["ann: oak present"])
    #expect(try box.json("class", "list", in: "a").strings("key") == ["oak"])
    #expect(try box.json("status", in: "a")["changes"].elements.isEmpty)
    #expect(try box.records(in: "a")[0]["labels"].elements.count == 1)
  }
}
