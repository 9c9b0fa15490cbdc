import Foundation
import TestSupport
import Testing

/// Commands in a dataset where git stopped during a merge, a rebase, a cherry-pick or a revert.
@Suite("Stopped git operations", .enabled(if: Programs.hasLFS, "git-lfs is not installed"))
struct InterruptedGitTests {
  static let operations = ["merge", "rebase", "cherry-pick", "revert"]

  /// Makes B, where git stopped at a title that A edited, too, and optionally at a file that is not
  /// a document. Returns the photo.
  private func stopped(
    _ operation: String, _ box: Sandbox, withFile: Bool = false
  ) throws -> String {
    let photo = try box.startDataset(photos: 2)[0]
    try box.write("base\n", to: "a/notes.txt")
    try box.cairn("commit", in: "a")
    try box.sh("git add notes.txt; git commit -qm Notes", in: "a")
    try box.cairn("clone", "a", "b")
    for title in operation == "revert" ? ["First", "Second"] : ["By Bob"] {
      try retitle(photo, title, in: "b", box, withFile: withFile)
    }
    try retitle(photo, "By Ann", in: "a", box, withFile: withFile)
    try box.git("config", "--remove-section", "merge.cairn", in: "b")
    try box.git("fetch", "--quiet", "../a", "main", in: "b")
    let arguments = operation == "revert" ? ["--no-edit", "HEAD~1"] : ["FETCH_HEAD"]
    #expect(try box.run("git", [operation] + arguments, in: "b").status != 0)
    return photo
  }

  /// Edits a title without its stamp, as an editor does, and optionally a note in the same commit.
  private func retitle(
    _ photo: String, _ title: String, in dataset: String, _ box: Sandbox, withFile: Bool
  ) throws {
    let path = "\(dataset)/\(Sandbox.photoPath(photo))"
    var lines = try box.text(path).components(separatedBy: "\n")
    let start = try #require(lines.firstIndex { $0.contains("\"title\": {") })
    let value = try #require(lines[start...].firstIndex { $0.contains("\"value\":") })
    lines[value] = "    \"value\": \"\(title)\""
    try box.write(lines.joined(separator: "\n"), to: path)
    if withFile { try box.write("\(title)\n", to: "\(dataset)/notes.txt") }
    try box.git("commit", "--quiet", "--all", "-m", title, in: dataset)
  }

  @Test(
    "shows the operation, its conflicts and the commands that finish it in status",
    arguments: operations)
  func status(operation: String) throws {
    let box = try Sandbox()
    let photo = try stopped(operation, box)
    let path = Sandbox.photoPath(photo)
    let state = try box.json("status", in: "b")["operation"]
    #expect(state["kind"].string == operation)
    #expect(state["branch"] == (operation == "rebase" ? .string("main") : .null))
    #expect(state["documents"].elements.map(\.string) == [path])
    #expect(state["files"].elements == [])
    let next = state["next"].elements.map(\.string)
    let continuation = operation == "merge" ? [] : ["git \(operation) --continue"]
    #expect(next == ["cairn commit"] + continuation)
    let text = try box.cairn("status", in: "b").stdout
    #expect(text.contains("git \(operation)") && text.contains("is in progress"), "\(text)")
    #expect(text.contains(path) && !text.contains("Nothing to commit"), "\(text)")
    for command in next { #expect(text.contains("`\(command)`"), "\(text)") }

    try finish(next, box)
    #expect(try box.json("status", in: "b")["operation"] == .null)
    #expect(try box.json("status", in: "b")["branch"].string == "main")
    try box.cairn("commit", in: "b")
    try box.expectClean("b")
    try box.expectSound("b")
  }

  @Test("leaves the conflict in another file to the user and names the file", arguments: operations)
  func ownFile(operation: String) throws {
    let box = try Sandbox()
    _ = try stopped(operation, box, withFile: true)
    let state = try box.json("status", in: "b")["operation"]
    #expect(state["files"].elements.map(\.string) == ["notes.txt"])
    #expect(try box.cairn("status", in: "b").stdout.contains("Resolve the conflict in notes.txt."))
    try box.write("both\n", to: "b/notes.txt")
    try finish(state["next"].elements.map(\.string), box)
    #expect(try box.json("status", in: "b")["operation"] == .null)
    #expect(try box.text("b/notes.txt") == "both\n")
    try box.cairn("commit", in: "b")
    try box.expectClean("b")
  }

  @Test("names the command for a file in conflict outside the sparse checkout")
  func ownFileOutside() throws {
    let box = try Sandbox()
    try box.startDataset(photos: 1)
    try box.cairn("commit", in: "a")
    try box.sh("mkdir docs; echo base > docs/notes; git add docs; git commit -qm Notes", in: "a")
    try box.cairn("clone", "a", "b", "--documents", "none")
    try box.sh("echo ann > docs/notes; git commit -qam Ann", in: "a")
    try box.sh(
      """
      git sparse-checkout add docs; echo bob > docs/notes; git commit -qam Bob
      git sparse-checkout set classes labels photos; git fetch -q
      """, in: "b")
    #expect(try box.run("git", ["merge", "origin/main"], in: "b").status == 1)
    let next = try box.json("status", in: "b")["operation"]["next"].elements.map(\.string)
    #expect(next == ["git add --sparse :/docs/notes", "git merge --continue"])
    try box.write("both\n", to: "b/docs/notes")
    try finish(next, box)
    #expect(try box.json("status", in: "b")["operation"] == .null)
    #expect(try box.git("show", "HEAD:docs/notes", in: "b").stdout == "both\n")
  }

  /// Runs the commands that status printed, unchanged.
  private func finish(_ commands: [String], _ box: Sandbox) throws {
    for command in commands {
      let output = try box.run(
        "sh", ["-c", command], in: "b", environment: ["GIT_EDITOR": "true"])
      let mayStop = command == "cairn commit" && commands.count > 1
      #expect(output.status == (mayStop ? ExitStatus.busy : 0), "\(command): \(output.stderr)")
    }
  }

  @Test("reads and labels photos, even one with a document in conflict", arguments: operations)
  func reading(operation: String) throws {
    let box = try Sandbox()
    let photo = try stopped(operation, box)
    let title = try box.json("show", photo, in: "b")["photo"]["title"].string
    #expect(["By Ann", "By Bob", "Second", ""].contains(title))
    for arguments in [
      ["find"], ["log"], ["log", photo], ["why", photo], ["photo", "list"], ["diff"],
    ] {
      let output = try box.run("cairn", arguments, in: "b")
      #expect(output.status == 0, "\(arguments) \(output.stderr)")
    }
    try box.cairn("label", photo, "oak", in: "b")
    #expect(try box.state(of: "oak", on: photo, in: "b") == "confirmed")
    let next = try box.json("status", in: "b")["operation"]["next"].elements.map(\.string)
    try finish(next, box)
    // A merge dates unstamped edits by the commits of both sides, so the title may change.
    if operation != "merge" {
      #expect(try box.json("show", photo, in: "b")["photo"]["title"].string == title)
    }
    #expect(try box.state(of: "oak", on: photo, in: "b") == "confirmed")
  }

  @Test("refuses pull and push during a rebase and names the next commands")
  func exchange() throws {
    let box = try Sandbox()
    _ = try stopped("rebase", box)
    for command in ["pull", "push"] {
      let message = try box.refuses(command, in: "b", with: ExitStatus.busy)
      #expect(message.contains("A git rebase of main is in progress here."), "\(message)")
      #expect(message.contains("`cairn commit`, then `git rebase --continue`"), "\(message)")
    }
    let sync = try box.run("cairn", ["sync"], in: "b")
    #expect(sync.status == ExitStatus.busy)
    #expect(sync.stderr.contains("is merged.") && sync.stderr.contains("git rebase --continue"))
  }

  @Test("merges the documents of a merge without a branch, so that git can finish it")
  func detachedMerge() throws {
    let box = try Sandbox()
    _ = try stopped("merge", box)
    try box.sh("git merge --abort; git checkout -q --detach", in: "b")
    #expect(try box.run("git", ["merge", "FETCH_HEAD"], in: "b").status != 0)
    let next = try box.json("status", in: "b")["operation"]["next"].elements.map(\.string)
    #expect(next == ["cairn commit", "git merge --continue"])
    try finish(next, box)
    #expect(try box.json("status", in: "b")["operation"] == .null)
    try box.git("switch", "--quiet", "-c", "merged", in: "b")
    try box.cairn("commit", in: "b")
    try box.expectClean("b")
    try box.expectSound("b")
  }

  @Test("merges the documents of a merge in which a rebase stops")
  func rebasedMerge() throws {
    let box = try Sandbox()
    let photo = try box.startDataset(photos: 1)[0]
    try box.cairn("commit", in: "a")
    try box.cairn("clone", "a", "b")
    try box.sh(
      "git switch -q -c base; echo notes > notes.txt; git add notes.txt; git commit -qm Notes",
      in: "b")
    try box.git("switch", "--quiet", "-c", "side", "main", in: "b")
    try retitle(photo, "Side", in: "b", box, withFile: false)
    try box.git("switch", "--quiet", "main", in: "b")
    try retitle(photo, "Main", in: "b", box, withFile: false)
    try box.git("merge", "--quiet", "--no-edit", "side", in: "b")
    try box.git("config", "--remove-section", "merge.cairn", in: "b")
    #expect(try box.run("git", ["rebase", "--rebase-merges", "base"], in: "b").status != 0)
    #expect(box.exists("b/.git/MERGE_HEAD") && box.exists("b/.git/rebase-merge"))

    let operation = try box.json("status", in: "b")["operation"]
    #expect(operation["kind"].string == "rebase" && operation["branch"].string == "main")
    let next = operation["next"].elements.map(\.string)
    #expect(next == ["cairn commit", "git rebase --continue"])
    try finish(next, box)
    #expect(try box.json("status", in: "b")["operation"] == .null)
    #expect(try box.git("rev-list", "--merges", "base..main", in: "b").lines.count == 1)
    try box.cairn("commit", in: "b")
    try box.expectClean("b")
    try box.expectSound("b")
  }

  @Test("shows the commit in status when no branch is checked out")
  func detached() throws {
    let box = try Sandbox()
    _ = try box.startDataset(photos: 1)
    try box.cairn("commit", in: "a")
    try box.git("checkout", "--quiet", "--detach", in: "a")
    let commit = try box.git("rev-parse", "HEAD", in: "a").word
    #expect(try box.json("status", in: "a")["branch"] == .null)
    #expect(try box.cairn("status", in: "a").stdout.contains("on commit \(commit.prefix(10)):"))
  }

  @Test("names git bisect and the command that ends it while git bisect has checked out a commit")
  func bisect() throws {
    let box = try Sandbox()
    let photo = try box.startDataset(photos: 1)[0]
    for name in ["oak", "elm", "ash", "fir"] {
      try box.cairn("label", photo, name, in: "a")
      try box.cairn("commit", in: "a")
    }
    try box.sh("git bisect start HEAD HEAD~3", in: "a")
    let operation = try box.json("status", in: "a")["operation"]
    #expect(operation["kind"].string == "bisect")
    #expect(operation["branch"].string == "main")
    #expect(operation["next"].elements.map(\.string) == ["git bisect reset"])
    let text = try box.cairn("status", in: "a").stdout
    #expect(text.contains("A git bisect of main is in progress."), "\(text)")
    #expect(text.contains("`git bisect reset` aborts it."), "\(text)")
    let message = try box.refuses("commit", in: "a", with: ExitStatus.busy)
    #expect(message.contains("`git bisect reset`"), "\(message)")
    try box.cairn("show", photo, in: "a")
    // Somebody who goes back to the branch may go on.
    try box.git("switch", "--quiet", "main", in: "a")
    #expect(try box.json("status", in: "a")["operation"] == .null)
    try box.cairn("commit", in: "a")
    try box.sh("git bisect reset", in: "a")
    try box.expectClean("a")
  }
}
