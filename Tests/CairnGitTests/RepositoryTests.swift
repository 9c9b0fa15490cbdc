import CairnFiles
import CairnGit
import Synchronization
import SystemPackage
import TestSupport
import Testing

@Suite("Repositories")
struct RepositoryTests {
  @Test(
    "creates a repository that git accepts, but not over an existing one", arguments: [true, false])
  func create(isBare: Bool) throws {
    let sandbox = try Sandbox()
    let path = sandbox.root.appending("new")
    let repository = try Repository.create(
      path, bare: isBare, branch: "trunk", files: FileSystem())
    #expect(repository.isBare == isBare)
    #expect((repository.workTree == nil) == isBare)
    #expect(try repository.headBranch() == "refs/heads/trunk")
    #expect(try sandbox.git("symbolic-ref", "HEAD", in: "new").lines == ["refs/heads/trunk"])
    #expect(throws: GitError.self) {
      try Repository.create(path, bare: isBare, files: FileSystem())
    }
  }

  @Test("does not open a directory inside a repository")
  func noSearch() throws {
    let sandbox = try Sandbox()
    _ = try sandbox.newRepository()
    try sandbox.write("x", to: "repo/sub/f")
    let error = #expect(throws: GitError.self) { try sandbox.openRepository("repo/sub") }
    #expect(error?.code == .notFound)
  }

  @Test("reports missing objects and rejects objects of another type")
  func objects() throws {
    let sandbox = try Sandbox()
    let repository = try sandbox.newRepository()
    let absent = ObjectID(hashing: .blob, [1, 2, 3])
    #expect(!repository.contains(absent))
    let error = #expect(throws: GitError.self) { try repository.blob(absent) }
    #expect(error?.code == .notFound)
    let id = try LooseObjectWriter(repository).write(.blob, [1, 2, 3])
    #expect(id == absent && repository.contains(id))
    #expect(try repository.blob(id) == [1, 2, 3])
    #expect(throws: GitError.self) { try repository.tree(id) }
    #expect(try repository.tree(Tree.emptyID).entries.isEmpty)
    #expect(try repository.tree(nil).entries.isEmpty)
    try sandbox.git("fsck", "--strict")
  }

  @Test("asks git once for settings that only it knows, and again when others change")
  func listedSettings() throws {
    let sandbox = try Sandbox()
    let runs = Mutex(0)
    let files = FileSystem { (step, path) throws(FileError) in
      guard case .create = step, let name = path.lastComponent?.string,
        TemporaryName.isName(name, of: "settings")
      else { return }
      runs.withLock { $0 += 1 }
    }
    let repository = try sandbox.newRepository(files: files)
    try sandbox.write("[user]\n\temail = work@example.org\n", to: "work")
    let condition = "includeIf.hasconfig:remote.*.url:https://work.example/**.path"
    try sandbox.git("config", condition, sandbox.path("work").string)
    let git = try #require(GitProgram.installed)
    func address() throws -> String? { try repository.settings(git: git)["user.email"] }
    let other = try address()
    #expect(other != "work@example.org")
    #expect(try address() == other)
    #expect(runs.withLock { $0 } == 1)
    try repository.addRemote("work", url: "https://work.example/a.git")
    for _ in 0..<3 { #expect(try address() == "work@example.org") }
    #expect(runs.withLock { $0 } == 2)
  }

  @Test("reads and writes settings and remotes in git's configuration")
  func configuration() throws {
    let sandbox = try Sandbox()
    let repository = try sandbox.newRepository()
    #expect(try repository.configuration("cairn.test") == nil)
    try repository.setConfiguration("cairn.test", "a \"b\" # c")
    #expect(try repository.configuration("cairn.test") == "a \"b\" # c")
    #expect(try sandbox.git("config", "cairn.test").lines == ["a \"b\" # c"])
    try repository.setConfiguration("cairn.test", nil)
    try repository.setConfiguration("cairn.test", nil)
    #expect(try sandbox.run("git", ["config", "cairn.test"]).status == 1)

    try repository.addRemote("origin", url: "short:x")
    try sandbox.git("remote", "add", "backup", "/mnt/x")
    try sandbox.git("config", "url.https://example.org/.insteadOf", "short:")
    #expect(try repository.remoteNames() == ["backup", "origin"])
    #expect(try sandbox.openRepository().remoteURL("origin") == "https://example.org/x")
    #expect(try repository.remoteURL("nobody") == nil)
    try repository.removeRemote("origin")
    #expect(try sandbox.git("remote").lines == ["backup"])
  }

  @Test("renames a remote with all values of its settings, and what names it")
  func renamedRemote() throws {
    let sandbox = try Sandbox()
    let repository = try sandbox.newRepository()
    try sandbox.commit(["a": "a"], in: "repo")
    try sandbox.git("clone", "-q", "repo", "copy", in: ".")
    let copy = try sandbox.openRepository("copy")
    for (key, value) in [
      ("remote.origin.fetch", "+refs/pull/*/head:refs/remotes/origin/pr/*"),
      ("remote.origin.url", "https://example.org/two"), ("remote.pushDefault", "origin"),
      ("branch.main.pushRemote", "origin"),
    ] { try sandbox.git("config", "--add", key, value, in: "copy") }
    try copy.renameRemote("origin", to: "up")
    func values(_ key: String) throws -> [String] {
      try sandbox.git("config", "--local", "--get-all", key, in: "copy").lines
    }
    #expect(
      try values("remote.up.fetch") == [
        "+refs/heads/*:refs/remotes/up/*", "+refs/pull/*/head:refs/remotes/up/pr/*",
      ])
    #expect(
      try values("remote.up.url") == [sandbox.path("repo").string, "https://example.org/two"])
    #expect(try values("remote.pushDefault") == ["up"])
    #expect(try values("branch.main.pushRemote") == ["up"])
    #expect(try values("branch.main.remote") == ["up"])
    #expect(
      try sandbox.git("symbolic-ref", "refs/remotes/up/HEAD", in: "copy").word
        == "refs/remotes/up/main")
    #expect(
      try sandbox.git("for-each-ref", "--format=%(refname)", "refs/remotes", in: "copy").lines
        == ["refs/remotes/up/HEAD", "refs/remotes/up/main"])

    try copy.removeRemote("up")
    let left = try sandbox.text("copy/.git/config")
    #expect(!left.lowercased().contains("pushremote") && !left.contains("= up"), "\(left)")
    #expect(try repository.head() != nil)
  }

  @Test("shares objects and branches with a linked work tree, but not HEAD")
  func linkedWorkTree() throws {
    let sandbox = try Sandbox()
    let repository = try sandbox.newRepository()
    try sandbox.git("commit", "-q", "--allow-empty", "-m", "start")
    try sandbox.git("worktree", "add", "-q", "../linked", "-b", "side")
    let linked = try sandbox.openRepository("linked")
    #expect(linked.commonDirectory == repository.gitDirectory)
    #expect(linked.gitDirectory != repository.gitDirectory)
    let start = try #require(try linked.head())
    let new = try LooseObjectWriter(linked).write(
      Commit(
        tree: Tree.emptyID, parents: [start], author: .ann, committer: .ann, message: "linked"))
    try linked.moveReference("refs/heads/side", from: start, to: new, log: (.ann, "linked"))
    #expect(try repository.reference("refs/heads/side") == new)
    #expect(
      try sandbox.git("reflog", "show", "--format=%gs", "HEAD", in: "linked").lines[0] == "linked")
    #expect(try sandbox.git("rev-parse", "HEAD").lines == ["\(start)"])
  }
}
