import Foundation
import Testing

/// Repositories that git opens, and cairn or this user may not.
@Suite("Repositories of another kind or owner")
struct UnsupportedRepositoryTests {
  /// Returns the command between backticks in the hint.
  private func remedy(_ output: Output) throws -> String {
    let hint = try #require(output.stderr.split(separator: "\n").first { $0.hasPrefix("hint: ") })
    return String(try #require(hint.split(separator: "`").dropFirst().first))
  }

  @Test("a SHA-256 repository is named as one, and the hint converts it")
  func sha256() throws {
    let box = try Sandbox()
    try box.git("init", "-q", "--object-format=sha256", "it's")
    try box.write("kept", to: "it's/notes")
    try box.sh("git add notes; git commit -q -m Notes", in: "it's")
    let output = try box.run("cairn", ["init"], in: "it's")
    #expect(output.status == ExitStatus.newerOrUnrelated, "\(output.stderr)")
    #expect(output.stderr.contains("sha256"))
    try box.sh(try remedy(output))
    #expect(try box.text("it's-sha1/notes") == "kept")
    try box.cairn("init", in: "it's-sha1")
    try box.expectClean("it's-sha1")
  }

  @Test("a SHA-256 remote is refused by clone, pull and push")
  func sha256Remote() throws {
    let box = try Sandbox()
    _ = try box.startDataset(photos: 1)
    try box.cairn("commit", in: "a")
    try box.git("init", "-q", "--bare", "--object-format=sha256", "x.git")
    try box.cairn("remote", "add", "origin", "../x.git", in: "a")
    try box.refuses("clone", "x.git", "b", with: ExitStatus.newerOrUnrelated)
    for command in ["pull", "push"] {
      let said = try box.refuses(command, in: "a", with: ExitStatus.newerOrUnrelated)
      #expect(said.contains("sha256"))
    }
  }

  @Test(
    "a dataset of another user is refused until it is called safe", .enabled(if: geteuid() == 0))
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
    try box.sh(try remedy(output))
    try box.cairn("status", in: "a")
    try box.cairn("clone", "a", "b")
  }
}
