import Foundation
import TestSupport
import Testing

/// A teammate's checkout fails, because git-lfs finds no images, and `git commit -a` then removes
/// every file.
@Suite(
  "Branches that a commit emptied",
  .enabled(if: Programs.hasLFS, "git-lfs is not installed"))
struct EmptiedBranchTests {
  private let box: Sandbox
  private let photos: [String]

  /// Ann's dataset a, a remote, bob's clone b, and gil's clone g made by git, whose checkout fails.
  init() throws {
    box = try Sandbox()
    photos = try box.startDataset(photos: 3)
    try box.cairn("label", photos[0], "oak", in: "a")
    try box.cairn("remote", "add", "origin", "../x.git", "--create", in: "a")
    try box.cairn("sync", in: "a")
    try box.cairn("clone", "x.git", "b")
    try box.setIdentity("Bob", in: "b")
    try box.sh(
      """
      ! git -c lfs.url=http://127.0.0.1:9/x -c lfs.transfer.maxretries=1 clone -q x.git g 2>/dev/null
      """)
    try box.setIdentity("Gil", in: "g")
  }

  private func empty() throws {
    try box.git("commit", "-qam", "Nightly", in: "g")
    #expect(try box.git("ls-tree", "-r", "HEAD", in: "g").stdout == "")
    try box.git("push", "-q", in: "g")
  }

  @Test("keeps every file, and says who removed them")
  func kept() throws {
    let before = try box.tree(of: "a")
    try empty()
    let pull = try box.run("cairn", ["pull"], in: "a")
    #expect(pull.status == 0, "\(pull.stderr)")
    #expect(
      pull.stdout.contains("removed with everything else by Gil in ")
        && pull.stdout.contains("(“Nightly”), kept: 10 files"), "\(pull.stdout)")
    #expect(try box.tree(of: "a") == before)
    try box.expectClean("a")
    try box.expectSound("a")

    // Bob has changes of his own, Cid clones the emptied branch, and gil goes on with git.
    try box.cairn("label", photos[1], "elm", in: "b")
    try box.cairn("sync", in: "b")
    try box.cairn("clone", "x.git", "c")
    try box.cairn("sync", in: "a")
    try box.git("fetch", "-q", in: "g")
    try box.git("reset", "-q", "--hard", "origin/main", in: "g")
    try box.write("x\n", to: "g/notes.txt")
    try box.git("add", "notes.txt", in: "g")
    try box.git("commit", "-qm", "Notes", in: "g")
    try box.git("push", "-q", in: "g")
    for dataset in ["a", "b", "c"] { try box.cairn("sync", in: dataset) }
    try box.expectEqual("a", "b", "c", "x.git")
    #expect(try box.labels(of: photos[0], in: "c") == ["ann: oak present"])
    #expect(try box.labels(of: photos[1], in: "c") == ["bob: elm present"])
    #expect(try box.text("b/notes.txt") == "x\n")
  }

  @Test("clones an emptied branch with all its documents")
  func clone() throws {
    let before = try box.tree(of: "a")
    try empty()
    let clone = try box.run("cairn", ["clone", "x.git", "c"])
    #expect(clone.stdout.contains("3 photos, 1 label"), "\(clone.stdout)")
    #expect(clone.stdout.contains("kept: 10 files"), "\(clone.stdout)")
    #expect(try box.tree(of: "c") == before)
    try box.cairn("pull", in: "c")
    #expect(try box.cairn("images", "status", in: "c").stdout.hasPrefix("3 images on this disk"))
    try box.expectClean("c")
  }

  @Test("merges a file that a later commit writes over an emptied branch")
  func writtenAgain() throws {
    try empty()
    try box.write("*.png -text\n", to: "g/.gitattributes")
    try box.git("add", ".gitattributes", in: "g")
    try box.git("commit", "-qm", "Attributes", in: "g")
    try box.git("push", "-q", in: "g")
    try box.cairn("sync", in: "a")
    #expect(try box.text("a/.gitattributes") == "*.png -text\n")
    #expect(try box.listed(in: "a") == Set(photos))
  }

  @Test("says who removed photos with git, and how to restore them")
  func removals() throws {
    try box.git("reset", "-q", "--hard", in: "b")
    try box.git("rm", "-rq", "photos", "labels", "images", in: "b")
    try box.git("commit", "-qm", "Start over", in: "b")
    try box.git("push", "-q", "origin", "main", in: "b")
    let commit = try box.git("rev-parse", "HEAD", in: "b").word.prefix(10)
    let pull = try box.run("cairn", ["pull"], in: "a")
    #expect(
      pull.stdout.contains(
        "Bob removed 3 photos in \(commit) (“Start over”): `git revert \(commit)` restores them"),
      "\(pull.stdout)")
    try box.git("revert", "--no-edit", String(commit), in: "a")
    try box.cairn("sync", in: "a")
    #expect(try box.listed(in: "a") == Set(photos))
    let json = try box.json("pull", in: "b")
    #expect(json["removals"].elements.isEmpty)
  }
}
