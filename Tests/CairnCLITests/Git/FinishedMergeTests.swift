import Foundation
import TestSupport
import Testing

/// Merges in which git stopped at a file that is not a document, after a person resolved it.
@Suite("Merges that cairn finishes", .enabled(if: Programs.hasLFS, "git-lfs is not installed"))
struct FinishedMergeTests {
  private let box: Sandbox
  private let photo: String

  /// Ann's dataset a and bob's clone b, which both changed notes.txt and other.txt differently.
  init() throws {
    box = try Sandbox()
    photo = try box.startDataset(photos: 2)[0]
    try box.cairn("commit", in: "a")
    try box.write("base\n", to: "a/notes.txt")
    try box.write("base\n", to: "a/more.txt")
    try box.sh("git add notes.txt more.txt; git commit -qm Notes", in: "a")
    try box.cairn("clone", "a", "b")
    try box.setIdentity("Bob", in: "b")
    try box.cairn("label", photo, "oak", in: "b")
    try box.cairn("commit", in: "b")
    try box.cairn("label", photo, "elm", in: "a")
    try box.cairn("commit", in: "a")
    for dataset in ["a", "b"] {
      try box.write("by \(dataset)\n", to: "\(dataset)/notes.txt")
      try box.git("commit", "--quiet", "-m", "By \(dataset)", "notes.txt", in: dataset)
    }
  }

  /// Pulls with git, which stops at notes.txt, and resolves that.
  private func pullAndResolve(_ script: String) throws {
    let pull = try box.run("git", ["pull", "--quiet", "--no-rebase", "--no-edit"], in: "b")
    #expect(pull.status == 1, "\(pull.stderr)\(pull.stdout)")
    try box.sh(script, in: "b")
  }

  @Test("takes the staged version of a file that is not a document")
  func resolvedFile() throws {
    try pullAndResolve("echo both > notes.txt; git add notes.txt")
    #expect(
      try box.json("status", in: "b")["operation"]["next"].elements.map(\.string)
        == ["cairn commit"])
    let merge = try box.json("commit", in: "b")["repairs"]["finishedMerge"]
    #expect(merge["staged"].elements.map(\.string) == ["notes.txt"])
    #expect(merge["replaced"].elements == [])
    #expect(try box.text("b/notes.txt") == "both\n")
    try box.expectClean("b")
    #expect(
      try box.git("log", "-1", "--format=%an %s", in: "b").lines
        == ["Bob Resolve conflicts in notes.txt"])
    // b --> a
    try box.cairn("sync", in: "b")
    #expect(try box.text("a/notes.txt") == "both\n")
    #expect(try box.labels(of: photo, in: "a") == ["ann: elm present", "bob: oak present"])
    try box.expectEqual("a", "b")
    for dataset in ["a", "b"] {
      try box.expectClean(dataset)
      try box.expectSound(dataset)
    }
  }

  @Test("removes a file that is not a document when its conflict was resolved by removing it")
  func removedFile() throws {
    try pullAndResolve("git rm -qf notes.txt")
    try box.cairn("commit", in: "b")
    #expect(!box.exists("b/notes.txt"))
    try box.expectClean("b")
    try box.cairn("sync", in: "b")
    #expect(!box.exists("a/notes.txt"))
    try box.expectEqual("a", "b")
  }

  @Test("applies what git stashed before the merge")
  func autostash() throws {
    try box.git("config", "merge.autoStash", "true", in: "b")
    try box.cairn("label", photo, "oak", "--absent", in: "b")
    try box.write("bob's\n", to: "b/more.txt")
    try box.sh("echo new > new.txt; git add new.txt", in: "b")
    try pullAndResolve("echo both > notes.txt; git add notes.txt")
    #expect(try box.labels(of: photo, in: "b") == ["ann: elm present", "bob: oak present"])
    let commit = try box.json("commit", in: "b")
    let autostash = commit["repairs"]["autostash"]
    let label = try #require(
      try box.git("ls-files", "labels", in: "b").lines.first { $0.contains("/oak") })
    #expect(autostash["applied"].elements.map(\.string) == [label, "more.txt", "new.txt"])
    #expect(autostash["left"].elements == [])
    #expect(commit["changes"].strings("path") == [label])
    #expect(try box.labels(of: photo, in: "b") == ["ann: elm present", "bob: oak absent"])
    #expect(
      try box.git("status", "--porcelain", in: "b").lines == [" M more.txt", "A  new.txt"])
    #expect(!box.exists("b/.git/MERGE_AUTOSTASH"))
    #expect(try box.git("stash", "list", in: "b").lines == [])
    try box.cairn("sync", in: "b")
    #expect(try box.labels(of: photo, in: "a") == ["ann: elm present", "bob: oak absent"])
    #expect(try box.text("b/more.txt") == "bob's\n")
  }

  @Test("merges a stashed edit of a document with the merge's own change to it")
  func autostashedDocument() throws {
    try box.git("config", "merge.autoStash", "true", in: "b")
    try box.cairn("photo", "edit", photo, "--caption", "Mist", in: "a")
    try box.cairn("commit", in: "a")
    try box.cairn("photo", "edit", photo, "--title", "By Bob", in: "b")
    try pullAndResolve("echo both > notes.txt; git add notes.txt")
    try box.cairn("commit", in: "b")
    let record = try box.json("show", photo, in: "b")["photo"]
    #expect(record["title"].string == "By Bob")
    #expect(record["caption"].string == "Mist")
    try box.expectClean("b")
  }

  @Test("keeps git's stash when a stashed file was changed in the merge, too")
  func autostashedConflict() throws {
    try box.git("config", "merge.autoStash", "true", in: "b")
    try box.write("ann's\n", to: "a/more.txt")
    try box.git("commit", "--quiet", "-am", "More", in: "a")
    try box.write("bob's\n", to: "b/more.txt")
    try box.cairn("label", photo, "oak", "--absent", in: "b")
    try pullAndResolve("echo both > notes.txt; git add notes.txt")
    let commit = try box.cairn("commit", in: "b")
    #expect(commit.stdout.contains("left unchanged: more.txt"), "\(commit.stdout)")
    #expect(commit.stderr.contains("`git checkout stash -- :/more.txt`"), "\(commit.stderr)")
    #expect(try box.labels(of: photo, in: "b") == ["ann: elm present", "bob: oak absent"])
    #expect(try box.text("b/more.txt") == "ann's\n")
    #expect(try box.git("stash", "list", "--format=%gs", in: "b").lines == ["autostash"])
    try box.expectClean("b")
    try box.sh("cd labels; git checkout stash -- :/more.txt", in: "b")
    #expect(try box.text("b/more.txt") == "bob's\n")
  }
}
