import Foundation
import TestSupport
import Testing

/// Repositories that cairn does not support, or that belong to another user.
@Suite("SHA-256 repositories and repositories of another owner")
struct UnsupportedRepositoryTests {
  /// Returns the command between backticks in the hint.
  private func suggestedCommand(_ output: ProgramOutput) throws -> String {
    let hint = try #require(output.stderr.split(separator: "\n").first { $0.hasPrefix("hint: ") })
    return String(try #require(hint.split(separator: "`").dropFirst().first))
  }

  @Test("refuses a SHA-256 repository with a hint that converts it")
  func sha256() throws {
    let box = try Sandbox()
    try box.git("init", "-q", "--object-format=sha256", "it's")
    try box.write("kept", to: "it's/notes")
    try box.sh("git add notes; git commit -q -m Notes", in: "it's")
    let output = try box.run("cairn", ["init"], in: "it's")
    #expect(output.status == ExitStatus.newerOrUnrelated, "\(output.stderr)")
    #expect(output.stderr.contains("sha256"))
    try box.sh(try suggestedCommand(output))
    #expect(try box.text("it's-sha1/notes") == "kept")
    try box.cairn("init", in: "it's-sha1")
    try box.expectClean("it's-sha1")
  }

  @Test("refuses to clone from, pull from and push to a SHA-256 remote")
  func sha256Remote() throws {
    let box = try Sandbox()
    _ = try box.startDataset(photos: 1)
    try box.cairn("commit", in: "a")
    try box.git("init", "-q", "--bare", "--object-format=sha256", "x.git")
    try box.cairn("remote", "add", "origin", "../x.git", in: "a")
    try box.refuses("clone", "x.git", "b", with: ExitStatus.newerOrUnrelated)
    for command in ["pull", "push"] {
      let message = try box.refuses(command, in: "a", with: ExitStatus.newerOrUnrelated)
      #expect(message.contains("sha256"))
    }
  }

  @Test(
    "refuses another user's dataset until it is marked as safe", .enabled(if: geteuid() == 0))
  func otherOwner() throws {
    let box = try Sandbox()
    _ = try box.startDataset(photos: 1)
    try box.cairn("commit", in: "a")
    try box.sh("chown -R 12345 a")
    let output = try box.run("cairn", ["status"], in: "a")
    #expect(output.status == ExitStatus.permission, "\(output.stderr)")
    #expect(output.stderr.contains("user 12345"))
    let sudo = try box.run("cairn", ["status"], in: "a", environment: ["SUDO_UID": "12345"])
    #expect(sudo.status == 0, "\(sudo.stderr)")
    #expect(try box.run("cairn", ["clone", "a", "b"]).status == ExitStatus.permission)
    try box.sh(try suggestedCommand(output))
    try box.cairn("status", in: "a")
    try box.cairn("clone", "a", "b")
  }

  @Test("refuses a dataset whose files core.worktree moves to another directory")
  func otherWorkTree() throws {
    let box = try Sandbox()
    _ = try box.startDataset(photos: 1)
    try box.git("config", "core.worktree", box.url("a").path, in: "a")
    try box.cairn("commit", in: "a")
    try box.write("", to: "elsewhere/file")
    try box.git("config", "core.worktree", box.url("elsewhere").path, in: "a")
    let output = try box.run("cairn", ["status"], in: "a")
    #expect(output.status == ExitStatus.newerOrUnrelated, "\(output.stderr)")
    #expect(output.stderr.contains("core.worktree"))
    try box.sh(try suggestedCommand(output))
    try box.expectClean("a")
    try box.cairn("status", in: "a")
  }

  @Test("works in a linked work tree that was moved without git's knowledge")
  func movedWorkTree() throws {
    let box = try Sandbox()
    _ = try box.startDataset(photos: 1)
    try box.cairn("commit", in: "a")
    try box.git("worktree", "add", "-q", "-b", "side", "../w", in: "a")
    try box.sh("mv w moved")
    try box.cairn("status", in: "moved")
  }
}
