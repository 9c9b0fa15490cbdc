import Foundation
import Testing

/// Commands where git stopped in the middle of a merge, a rebase, a cherry-pick or a revert.
@Suite("Stopped git operations", .enabled(if: Programs.hasLFS, "git-lfs is not installed"))
struct InterruptedGitTests {
  static let operations = ["merge", "rebase", "cherry-pick", "revert"]

  /// B with git stopped at a title that A gave, too, and at a file of the user's own; returns the photo.
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
    let words = operation == "revert" ? ["--no-edit", "HEAD~1"] : ["FETCH_HEAD"]
    #expect(try box.run("git", [operation] + words, in: "b").status != 0)
    return photo
  }

  /// Edits a title with an editor, which leaves its stamp as it was, and a note in the same commit.
  private func retitle(
    _ photo: String, _ title: String, in dataset: String, _ box: Sandbox, withFile: Bool
  ) throws {
    let path = "\(dataset)/\(Sandbox.photoPath(photo))"
    var lines = try box.text(path).components(separatedBy: "\n")
    let place = try #require(lines.firstIndex { $0.contains("\"title\": {") })
    let value = try #require(lines[place...].firstIndex { $0.contains("\"value\":") })
    lines[value] = "    \"value\": \"\(title)\""
    try box.write(lines.joined(separator: "\n"), to: path)
    if withFile { try box.write("\(title)\n", to: "\(dataset)/notes.txt") }
    try box.git("commit", "--quiet", "--all", "-m", title, in: dataset)
  }

  @Test("status tells the operation, its conflicts and what finishes it", arguments: operations)
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
    let goOn = operation == "merge" ? [] : ["git \(operation) --continue"]
    #expect(next == ["cairn commit"] + goOn)
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

  @Test("a file that is no document is left to the user, whom status tells", arguments: operations)
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

  /// Runs the commands that status gave, as they stand there.
  private func finish(_ commands: [String], _ box: Sandbox) throws {
    for command in commands {
      let output = try box.run(
        "sh", ["-c", command], in: "b", environment: ["GIT_EDITOR": "true"])
      let mayStop = command == "cairn commit" && commands.count > 1
      #expect(output.status == (mayStop ? ExitStatus.busy : 0), "\(command): \(output.stderr)")
    }
  }

  @Test("reading and labeling go on, also of a document in conflict", arguments: operations)
  func reading(operation: String) throws {
    let box = try Sandbox()
    let photo = try stopped(operation, box)
    let title = try box.json("show", photo, in: "b")["photo"]["title"].string
    #expect(["By Ann", "By Bob", "Second", ""].contains(title))
    for words in [
      ["find"], ["log"], ["log", photo], ["why", photo], ["photo", "list"], ["diff"],
    ] {
      let output = try box.run("cairn", words, in: "b")
      #expect(output.status == 0, "\(words) \(output.stderr)")
    }
    try box.cairn("label", photo, "oak", in: "b")
    #expect(try box.state(of: "oak", on: photo, in: "b") == "confirmed")
    let next = try box.json("status", in: "b")["operation"]["next"].elements.map(\.string)
    try finish(next, box)
    // A merge reads edits without a stamp from the commits of both sides.
    if operation != "merge" {
      #expect(try box.json("show", photo, in: "b")["photo"]["title"].string == title)
    }
    #expect(try box.state(of: "oak", on: photo, in: "b") == "confirmed")
  }

  @Test("what needs a branch says that a rebase is in progress, and what comes next")
  func exchange() throws {
    let box = try Sandbox()
    _ = try stopped("rebase", box)
    for command in ["pull", "push"] {
      let said = try box.refuses(command, in: "b", with: ExitStatus.busy)
      #expect(said.contains("A git rebase of main is in progress here."), "\(said)")
      #expect(said.contains("`cairn commit`, then `git rebase --continue`"), "\(said)")
    }
    let sync = try box.run("cairn", ["sync"], in: "b")
    #expect(sync.status == ExitStatus.busy)
    #expect(sync.stderr.contains("is merged.") && sync.stderr.contains("git rebase --continue"))
  }

  @Test("status tells the commit where no branch is checked out")
  func detached() throws {
    let box = try Sandbox()
    _ = try box.startDataset(photos: 1)
    try box.cairn("commit", in: "a")
    try box.git("checkout", "--quiet", "--detach", in: "a")
    let commit = try box.git("rev-parse", "HEAD", in: "a").word
    #expect(try box.json("status", in: "a")["branch"] == .null)
    #expect(try box.cairn("status", in: "a").stdout.contains("on commit \(commit.prefix(10)):"))
  }
}
