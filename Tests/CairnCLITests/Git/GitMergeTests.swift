import Foundation
import TestSupport
import Testing

/// The edits of two devices that labeled the same photos, merged by plain git.
@Suite(
  "git merge, rebase and cherry-pick", .enabled(if: Programs.hasLFS, "git-lfs is not installed"))
struct GitMergeTests {
  /// Makes A and its clone B, which both label all photos; A also assigns a pin to one photo.
  private func diverged(
    _ box: Sandbox, photos: Int = 4
  ) throws -> [String] {
    let ids = try box.startDataset(photos: photos)
    try box.cairn("commit", in: "a")
    try box.cairn("clone", "a", "b")
    try box.setIdentity("Bob", in: "b")
    for id in ids {
      try box.cairn("label", id, "oak", in: "a")
      try box.cairn("label", id, "oak", "elm", in: "b")
    }
    let pin = try box.json("pin", "add", "1", "2", in: "a")["id"].string
    try box.cairn("photo", "edit", ids[2], "--pin", pin, in: "a")
    return ids
  }

  private func edit(_ id: String, title: String, in box: Sandbox, _ dataset: String) throws {
    let path = "\(dataset)/\(Sandbox.photoPath(id))"
    var lines = try box.text(path).components(separatedBy: "\n")
    let start = try #require(lines.firstIndex { $0.contains("\"title\": {") })
    let value = try #require(lines[start...].firstIndex { $0.contains("\"value\":") })
    lines[value] = "    \"value\": \"\(title)\""
    try box.write(lines.joined(separator: "\n"), to: path)
    // The commit adds the stamp.
    try box.cairn("commit", in: dataset)
  }

  /// Returns the tree that `cairn pull` makes from B's history in a copy of A.
  private func pulled(_ box: Sandbox, from other: String = "b") throws -> String {
    try box.cairn("clone", "a", "pulled")
    try box.cairn("remote", "add", "b", "../\(other)", in: "pulled")
    try box.cairn("pull", "b", in: "pulled")
    return try box.tree(of: "pulled")
  }

  @Test("makes the same tree with git merge as with cairn pull, without a conflict")
  func merge() throws {
    let box = try Sandbox()
    let ids = try diverged(box)
    try edit(ids[2], title: "By Ann", in: box, "a")
    try edit(ids[2], title: "By Bob", in: box, "b")
    let expected = try pulled(box)
    try box.git("fetch", "--quiet", "../b", "main", in: "a")
    try box.git("merge", "--quiet", "--no-edit", "FETCH_HEAD", in: "a")
    #expect(try box.tree(of: "a") == expected)
    #expect(try box.text("a/\(Sandbox.photoPath(ids[2]))").contains("By Bob"))
    try box.expectClean("a")
    try box.expectSound("a")
  }

  @Test("merges documents in git rebase and cherry-pick", arguments: ["rebase", "cherry-pick"])
  func rebase(command: String) throws {
    let box = try Sandbox()
    let ids = try diverged(box)
    try edit(ids[2], title: "By Bob", in: box, "b")
    try edit(ids[2], title: "By Ann, later", in: box, "a")
    let expected = try pulled(box)
    try box.git("fetch", "--quiet", "../a", "main", in: "b")
    if command == "rebase" {
      try box.git("rebase", "--quiet", "FETCH_HEAD", in: "b")
    } else {
      // B's commits on top of A's.
      try box.git("switch", "--quiet", "-c", "picked", "FETCH_HEAD", in: "b")
      try box.git("cherry-pick", "picked..main", in: "b")
    }
    #expect(try box.tree(of: "b") == expected)
    try box.expectSound("b")
  }

  @Test(
    "keeps a later unstamped edit through a rebase, a cherry-pick and a stash",
    arguments: ["rebase", "cherry-pick", "stash"])
  func replayedByHand(command: String) throws {
    let box = try Sandbox()
    let photo = try diverged(box)[2]
    try box.cairn("sync", in: "b")
    try box.cairn("photo", "edit", photo, "--title", "By Ann", in: "a")
    try box.cairn("commit", in: "a")
    let path = Sandbox.photoPath(photo)
    let text = try box.text("b/\(path)")
    let title = try #require(text.range(of: "\"title\": {"))
    let value = try #require(text[title.upperBound...].range(of: "\"value\": \"\""))
    try box.write(
      text.replacingCharacters(in: value, with: "\"value\": \"By Bob\""), to: "b/\(path)")
    try box.git("fetch", "--quiet", "../a", "main", in: "b")
    if command == "stash" {
      try box.git("stash", "--quiet", in: "b")
      try box.git("merge", "--quiet", "--no-edit", "FETCH_HEAD", in: "b")
      try box.git("stash", "pop", "--quiet", in: "b")
    } else {
      let later = "--date=@\(Int(Date().timeIntervalSince1970) + 60)"
      try box.git("commit", "--quiet", "--all", "-m", "By hand", later, in: "b")
      if command == "rebase" {
        try box.git("rebase", "--quiet", "FETCH_HEAD", in: "b")
      } else {
        try box.git("switch", "--quiet", "-c", "picked", "FETCH_HEAD", in: "b")
        try box.git("cherry-pick", "main", in: "b")
      }
    }
    try box.cairn("commit", in: "b")
    #expect(try box.text("b/\(path)").contains("By Bob"))
    try box.expectSound("b")
  }

  @Test("finishes with cairn pull a git merge that stopped without the merge driver")
  func withoutDriver() throws {
    let box = try Sandbox()
    let ids = try diverged(box)
    try edit(ids[2], title: "By Bob", in: box, "b")
    try edit(ids[2], title: "By Ann, later", in: box, "a")
    try edit(ids[3], title: "Only Ann", in: box, "a")
    let expected = try pulled(box)
    try box.git("config", "--remove-section", "merge.cairn", in: "a")
    try box.git("fetch", "--quiet", "../b", "main", in: "a")
    let merge = try box.run("git", ["merge", "--no-edit", "FETCH_HEAD"], in: "a")
    #expect(merge.status == 1)
    let conflicts = try box.git("diff", "--name-only", "--diff-filter=U", in: "a").lines
    #expect(conflicts == [Sandbox.photoPath(ids[2])])

    try box.cairn("remote", "add", "b", "../b", in: "a")
    let pull = try box.cairn("pull", "b", in: "a")
    #expect(pull.stdout.contains("git merge that had stopped"), "\(pull.stdout)")
    #expect(try box.tree(of: "a") == expected)
    #expect(!box.exists("a/.git/MERGE_HEAD"))
    try box.expectClean("a")
    try box.expectSound("a")
    // The driver is installed again.
    #expect(try box.git("config", "merge.cairn.driver", in: "a").stdout.contains("merge-driver"))
  }

  @Test("finishes a git merge of an annotated tag")
  func annotatedTag() throws {
    let box = try Sandbox()
    let ids = try diverged(box)
    try edit(ids[2], title: "By Bob", in: box, "b")
    try edit(ids[2], title: "By Ann, later", in: box, "a")
    let expected = try pulled(box)
    try box.git("config", "--remove-section", "merge.cairn", in: "a")
    try box.git("tag", "-a", "-m", "First", "v1", in: "b")
    try box.git("fetch", "--quiet", "../b", "tag", "v1", in: "a")
    #expect(try box.run("git", ["merge", "--no-edit", "v1"], in: "a").status == 1)
    try box.cairn("commit", in: "a")
    #expect(try box.tree(of: "a") == expected)
    try box.expectClean("a")
    try box.expectSound("a")
  }

  @Test("finishes a git merge of a document deleted on one side and changed on the other")
  func deleteModify() throws {
    let box = try Sandbox()
    let ids = try box.startDataset(photos: 2)
    try box.cairn("label", ids[0], "oak", in: "a")
    try box.cairn("label", ids[1], "oak", in: "a")
    try box.cairn("commit", in: "a")
    try box.cairn("clone", "a", "b")
    // git removes two labels at B; meanwhile, A withdraws one of them.
    let label = try #require(try box.documents("labels/\(ids[0].prefix(2))", in: "b").first)
    let path = String(label.dropFirst(2))
    try box.git("rm", "--quiet", "-r", "labels", in: "b")
    try box.git("commit", "--quiet", "-m", "No labels", in: "b")
    try box.cairn("unlabel", ids[0], "oak", in: "a")
    try box.cairn("commit", in: "a")
    let expected = try pulled(box)
    try box.git("fetch", "--quiet", "../b", "main", in: "a")
    let merge = try box.run("git", ["merge", "--no-edit", "FETCH_HEAD"], in: "a")
    #expect(merge.status == 1)
    #expect(merge.stdout.contains("modify/delete") || merge.stdout.contains("deleted"))
    try box.cairn("commit", in: "a")
    #expect(try box.tree(of: "a") == expected)
    #expect(box.exists("a/\(path)"))
    #expect(try box.labels(of: ids[1], in: "a") == [])
    try box.expectClean("a")
  }

  @Test("keeps a label in a rebase when git mistakes it for a renamed one")
  func renameDetected() throws {
    let box = try Sandbox()
    let photo = try box.startDataset(photos: 1)[0]
    try box.setIdentity("Bob", in: "a")
    try box.cairn("label", photo, "oak", in: "a")
    try box.cairn("label", photo, "fir", in: "a")
    try box.cairn("commit", in: "a")
    try box.cairn("clone", "a", "b")
    try box.setIdentity("Bob", in: "b")
    let oak = try #require(try box.documents("labels", in: "a").first { $0.contains("oak") })
    try box.cairn("label", photo, "ash", in: "a")
    try box.cairn("commit", in: "a")
    try box.git("rm", "--quiet", String(oak.dropFirst(2)), in: "a")
    try box.git("commit", "--quiet", "-m", "No oak", in: "a")
    // One commit, in which git detects a renamed file.
    try box.git("reset", "--quiet", "--soft", "HEAD~2", in: "a")
    try box.git("commit", "--quiet", "-m", "Ash, no oak", in: "a")
    try box.cairn("label", photo, "oak", "--absent", in: "b")
    try box.cairn("commit", in: "b")
    try box.git("fetch", "--quiet", "../a", "main", in: "b")
    _ = try box.run("git", ["rebase", "FETCH_HEAD"], in: "b")
    for _ in 0..<4 where box.exists("b/.git/rebase-merge") {
      _ = try box.run("cairn", ["commit"], in: "b")
      _ = try box.run("git", ["-c", "core.editor=true", "rebase", "--continue"], in: "b")
    }
    try box.cairn("commit", in: "b")
    #expect(
      try box.labels(of: photo, in: "b") == [
        "bob: ash present", "bob: fir present", "bob: oak absent",
      ])
  }

  @Test("merges the documents of a stopped rebase, so that git can continue it")
  func stoppedRebase() throws {
    let box = try Sandbox()
    let ids = try diverged(box)
    try edit(ids[2], title: "By Bob", in: box, "b")
    try edit(ids[2], title: "By Ann, later", in: box, "a")
    let expected = try pulled(box)
    try box.git("config", "--remove-section", "merge.cairn", in: "b")
    try box.git("fetch", "--quiet", "../a", "main", in: "b")
    #expect(try box.run("git", ["rebase", "FETCH_HEAD"], in: "b").status != 0)
    for _ in 0..<8 where box.exists("b/.git/rebase-merge") {
      let commit = try box.run("cairn", ["commit"], in: "b")
      #expect(commit.status == 75)
      #expect(commit.stderr.contains("git rebase --continue"), "\(commit.stderr)")
      // The documents that cairn merged have no conflict left; git continues until the next one.
      _ = try box.run(
        "git", ["-c", "core.editor=true", "rebase", "--continue"], in: "b")
    }
    #expect(!box.exists("b/.git/rebase-merge"))
    try box.cairn("commit", in: "b")
    #expect(try box.tree(of: "b") == expected)
  }

  @Test("keeps an unstamped edit on which a stopped rebase replays the version before it")
  func replayedBeforeEdit() throws {
    let box = try Sandbox()
    let photo = try box.startDataset(photos: 1)[0]
    try box.cairn("commit", in: "a")
    try box.cairn("clone", "a", "b")
    try box.setIdentity("Bob", in: "b")
    try box.git("config", "--remove-section", "merge.cairn", in: "b")
    let path = Sandbox.photoPath(photo)
    try box.cairn("photo", "edit", photo, "--title", "Zebra", in: "a")
    try box.cairn("commit", in: "a")
    // The file is in B's work tree, as after a crash, and git commits it there.
    let text = try box.text("a/\(path)")
    try box.write(text, to: "b/\(path)")
    try box.write("text\n", to: "b/notes.txt")
    try box.git("add", "notes.txt", in: "b")
    try box.git("commit", "--quiet", "--all", "-m", "With git", in: "b")
    try box.write(text.replacingOccurrences(of: "Zebra", with: "Aardvark"), to: "a/\(path)")
    try box.git("commit", "--quiet", "--all", "-m", "By hand", in: "a")
    try box.git("fetch", "--quiet", "../a", "main", in: "b")
    #expect(try box.run("git", ["rebase", "FETCH_HEAD"], in: "b").status != 0)
    for _ in 0..<4 where box.exists("b/.git/rebase-merge") {
      _ = try box.run("cairn", ["commit"], in: "b")
      _ = try box.run("git", ["-c", "core.editor=true", "rebase", "--continue"], in: "b")
    }
    try box.cairn("commit", in: "b")
    #expect(try box.text("b/\(path)").contains("Aardvark"))
    try box.expectSound("b")
  }

  @Test("finishes a git merge that stopped because the driver's program is missing")
  func missingProgram() throws {
    let box = try Sandbox()
    let ids = try diverged(box)
    try edit(ids[2], title: "By Bob", in: box, "b")
    try edit(ids[2], title: "By Ann, later", in: box, "a")
    let expected = try pulled(box)
    try box.git("config", "merge.cairn.driver", "/nowhere/cairn merge-driver %O %A %B %P", in: "a")
    try box.git("fetch", "--quiet", "../b", "main", in: "a")
    #expect(try box.run("git", ["merge", "--no-edit", "FETCH_HEAD"], in: "a").status == 1)
    let commit = try box.cairn("commit", in: "a")
    #expect(commit.stdout.contains("git merge that had stopped"), "\(commit.stdout)")
    #expect(try box.tree(of: "a") == expected)
    try box.expectSound("a")
  }

  @Test(
    "corrects a committed line-based merge from the commits that it merged",
    arguments: ["markers", "union", "ours", "theirs"])
  func lineBasedMerge(kind: String) throws {
    let box = try Sandbox()
    let ids = try diverged(box)
    try edit(ids[2], title: "By Bob", in: box, "b")
    try edit(ids[2], title: "By Ann, later", in: box, "a")
    let expected = try pulled(box)
    try box.cairn("remote", "add", "x", "../x.git", "--create", in: "a")
    try box.cairn("push", "x", in: "a")
    try box.git("clone", "--quiet", "x.git", "site")
    try box.git("fetch", "--quiet", "../b", "main", in: "site")
    // A hosting site merges without the driver.
    switch kind {
    case "markers":
      _ = try box.run("git", ["merge", "--no-edit", "FETCH_HEAD"], in: "site")
      try box.git("commit", "--quiet", "-a", "-m", "Merge, markers and all", in: "site")
    case "union":
      try box.write("* merge=union\n", to: "site/.git/info/attributes")
      try box.git("merge", "--quiet", "--no-edit", "FETCH_HEAD", in: "site")
    default:
      try box.git("merge", "--quiet", "--no-edit", "-X", kind, "FETCH_HEAD", in: "site")
    }
    try box.git("push", "--quiet", in: "site")

    try box.cairn("clone", "a", "c")
    try box.cairn("remote", "add", "x", "../x.git", in: "c")
    let pull = try box.json("pull", "x", in: "c")
    let amended = pull["fixups"].elements
    #expect(amended.contains { $0["path"].string == Sandbox.photoPath(ids[2]) } == (kind != "ours"))
    if kind == "markers" {
      let text = amended.map { $0["what"].string }.joined()
      #expect(text.contains("line") && text.contains("conflict"), "\(text)")
    }
    #expect(try box.tree(of: "c") == expected)
    try box.expectSound("c")
  }

  @Test("shows documents as lines of text in git log")
  func textconv() throws {
    let box = try Sandbox()
    let ids = try diverged(box)
    try box.cairn("commit", in: "a")
    let shown = try box.git("log", "-p", "-1", "--", "labels", in: "a").stdout
    #expect(shown.contains("+verdict present"), "\(shown)")
    #expect(shown.contains("+photo \(ids[0])"), "\(shown)")
  }
}
