import Foundation
import TestSupport
import Testing

/// Trees with paths that git itself refuses, made by a tool that is not git.
@Suite("Paths that git refuses")
struct RefusedPathTests {
  private let box: Sandbox
  private let photo: String

  /// Ann's dataset a, bob's clone b, and a remote whose branch has a commit with bad paths.
  init() throws {
    box = try Sandbox()
    photo = try box.startDataset(photos: 1)[0]
    try box.cairn("remote", "add", "origin", "../x.git", "--create", in: "a")
    try box.cairn("sync", in: "a")
    try box.cairn("clone", "x.git", "b")
    try box.setIdentity("Bob", in: "b")
    try pushBadPaths()
  }

  /// Commits `.git/config`, `../x` and `labels/.GIT/x` in the remote.
  private func pushBadPaths() throws {
    let script = """
      import subprocess
      def git(*arguments, input=None):
          command = ["git", "-c", "user.name=Eve", "-c", "user.email=eve@example.org", *arguments]
          return subprocess.run(command, input=input, stdout=subprocess.PIPE, check=True).stdout
      def write(kind, bytes):
          id = git("hash-object", "-t", kind, "-w", "--literally", "--stdin", input=bytes)
          return id.decode().strip()
      def tree(entries):
          entries.sort(key=lambda entry: entry[1] + ("/" if entry[0] == "40000" else ""))
          return write("tree", b"".join(
              f"{mode} {name}\\0".encode() + bytes.fromhex(id) for mode, name, id in entries))
      evil = tree([("100644", "config", write("blob", b"evil"))])
      entries = [("40000", "..", evil), ("40000", ".git", evil),
                 ("40000", "labels", tree([("40000", ".GIT", evil)]))]
      for line in git("ls-tree", "main").decode().splitlines():
          fields, name = line.split("\\t")
          mode, _, id = fields.split()
          entries.append((mode.lstrip("0"), name, id))
      commit = git("commit-tree", "-p", "main", "-m", "Evil", tree(entries)).decode().strip()
      git("update-ref", "refs/heads/main", commit)
      """
    try box.succeed("python3", ["-c", script], in: "x.git")
  }

  @Test("leaves them out of one's own commits, which a server that checks objects accepts")
  func leftOut() throws {
    let config = try box.text("a/.git/config")
    try box.git("config", "receive.fsckObjects", "true", in: "x.git")
    let pull = try box.run("cairn", ["pull"], in: "a")
    #expect(pull.status == 0, "\(pull.stderr)")
    for path in [".git/config", "../config", "labels/.GIT/config"] {
      #expect(
        pull.stdout.contains("git refuses such a path, left out: \(path)"), "\(pull.stdout)")
    }
    #expect(try box.text("a/.git/config") == config)
    #expect(try box.git("ls-tree", "--name-only", "HEAD", in: "a").lines.count == 4)

    try box.cairn("label", photo, "oak", in: "b")
    for dataset in ["b", "a", "b"] { try box.cairn("sync", in: dataset) }
    try box.expectEqual("a", "b", "x.git")
    // git sends what the server lacks, and the server checks it.
    try box.cairn("pin", "add", "1", "2", in: "a")
    try box.cairn("commit", in: "a")
    try box.sh("git push -q file://$PWD/../x.git main", in: "a")
    for dataset in ["a", "b"] { try box.expectClean(dataset) }
  }

  @Test("leaves them out of a clone")
  func clone() throws {
    let clone = try box.run("cairn", ["clone", "x.git", "c"])
    #expect(clone.status == 0 && clone.stdout.contains("left out: .git/config"), "\(clone.stdout)")
    #expect(try box.git("ls-tree", "--name-only", "HEAD", in: "c").lines.count == 4)
    try box.expectClean("c")
  }

  @Test("removes them from a dataset that has them already")
  func old() throws {
    try box.git("fetch", "-q", "origin", in: "a")
    try box.git("update-ref", "refs/heads/main", "origin/main", in: "a")
    try box.write(
      try box.git("rev-parse", "main", in: "a").word + "\n", to: "a/.git/cairn/seen")
    try box.cairn("commit", "--all", in: "a")
    #expect(try box.git("ls-tree", "--name-only", "HEAD", in: "a").lines.count == 4)
  }
}
