import CairnFiles
import Dispatch
import Foundation
import Synchronization
import SystemPackage
import TestSupport
import Testing

@testable import CairnGit

@Suite("Moving refs")
struct ReferenceTests {
  private static let main = "refs/heads/main"
  private let sandbox: Sandbox
  private let repository: Repository

  init() throws {
    sandbox = try Sandbox()
    repository = try sandbox.newRepository()
  }

  private func move(_ name: String = main, from old: ObjectID?, to new: ObjectID) throws {
    try repository.moveReference(name, from: old, to: new, log: (.ann, "test"), timeout: 0)
  }

  @Test("moves a ref only if it has the expected value")
  func compareAndSwap() throws {
    let ids = try repository.chain(3)
    #expect(throws: ReferenceError.moved(name: Self.main, actual: nil)) {
      try move(from: ids[0], to: ids[1])
    }
    try move(from: nil, to: ids[0])
    for wrong in [nil, ids[1]] {
      #expect(throws: ReferenceError.moved(name: Self.main, actual: ids[0])) {
        try move(from: wrong, to: ids[2])
      }
    }
    try move(from: ids[0], to: ids[1])
    #expect(try repository.head() == ids[1])
    #expect(try sandbox.git("rev-parse", "HEAD").lines == ["\(ids[1])"])
    #expect(try sandbox.names(in: "repo/.git/refs/heads") == ["main"])
  }

  @Test("reads and moves packed refs", arguments: [true, false])
  func packed(isFresh: Bool) throws {
    let ids = try repository.chain(3)
    try move(from: nil, to: ids[0])
    try move("refs/remotes/origin/a/b", from: nil, to: ids[0])
    try sandbox.git("pack-refs", "--all", "--prune")
    // A repository that was opened before reads the packed refs again.
    let repository = isFresh ? try sandbox.openRepository() : repository
    #expect(try repository.reference(Self.main) == ids[0])
    #expect(throws: ReferenceError.moved(name: Self.main, actual: ids[0])) {
      try repository.moveReference(Self.main, from: nil, to: ids[1], log: (.ann, "test"))
    }
    try repository.moveReference(Self.main, from: ids[0], to: ids[1], log: (.ann, "test"))
    #expect(try sandbox.git("rev-parse", Self.main).lines == ["\(ids[1])"])
    #expect(try repository.reference("refs/remotes/origin/a/b") == ids[0])
    try sandbox.git("fsck", "--strict")
  }

  @Test("writes reflogs of the branch and of HEAD that git reads")
  func reflog() throws {
    let ids = try repository.chain(2)
    let log = (
      by: Signature(name: "A <x>\n", email: "a@b", time: 9, offset: 90), message: "one\ntwo\n"
    )
    try repository.moveReference(Self.main, from: nil, to: ids[0], log: log)
    try repository.moveReference(Self.main, from: ids[0], to: ids[1], log: (.ann, "second"))
    try repository.moveReference("refs/heads/side", from: nil, to: ids[1], log: (.ann, "side"))
    for name in ["HEAD", "main"] {
      let lines = try sandbox.git("reflog", "show", "--format=%H %gs %gn %ge", name).lines
      #expect(lines == ["\(ids[1]) second Ann ann@example.org", "\(ids[0]) one two A x a@b"])
    }
    #expect(try sandbox.git("rev-parse", "main@{1}").lines == ["\(ids[0])"])
    #expect(try sandbox.git("reflog", "show", "--format=%gs", "side").lines == ["side"])
    try sandbox.git("fsck", "--strict")
  }

  @Test("moves the branch that a symbolic one names, as git does")
  func symbolic() throws {
    let ids = try repository.chain(2)
    try sandbox.git("symbolic-ref", Self.main, "refs/heads/trunk")
    #expect(try repository.headBranch() == "refs/heads/trunk")
    try move(from: nil, to: ids[0])
    try move(from: ids[0], to: ids[1])
    #expect(try sandbox.git("symbolic-ref", Self.main).word == "refs/heads/trunk")
    #expect(try repository.reference("refs/heads/trunk") == ids[1])
    #expect(try sandbox.git("reflog", "show", "--format=%gs", "HEAD").lines.first == "test")
  }

  @Test("moves no branches that name each other")
  func symbolicLoop() throws {
    let ids = try repository.chain(1)
    try sandbox.write("ref: refs/heads/other\n", to: "repo/.git/refs/heads/main")
    try sandbox.write("ref: refs/heads/main\n", to: "repo/.git/refs/heads/other")
    #expect(throws: GitError.self) { try move(from: nil, to: ids[0]) }
  }

  @Test("finds the work tree of a branch through symbolic refs, as git does")
  func workTrees() throws {
    try sandbox.git("symbolic-ref", Self.main, "refs/heads/trunk")
    try move(from: nil, to: try repository.chain(1)[0])
    try sandbox.git("symbolic-ref", "refs/heads/alias", "refs/heads/trunk")
    try sandbox.git("branch", "free", "trunk")
    for head in [Self.main, "refs/heads/trunk"] {
      try sandbox.git("symbolic-ref", "HEAD", head)
      for branch in [Self.main, "refs/heads/trunk", "refs/heads/alias"] {
        #expect(try repository.workTrees(on: branch).count == 1, "\(branch), HEAD: \(head)")
      }
      #expect(try repository.workTrees(on: "refs/heads/free").isEmpty)
    }
  }

  @Test("replaces empty directories that removed branches left")
  func emptyDirectories() throws {
    let ids = try repository.chain(2)
    let name = "refs/remotes/origin/main"
    for directory in [name, "logs/" + name] {
      try FileSystem().createDirectory(sandbox.path("repo/.git/\(directory)/x/y"))
    }
    try move(name, from: nil, to: ids[0])
    try move(name, from: ids[0], to: ids[1])
    #expect(try sandbox.git("rev-parse", name).lines == ["\(ids[1])"])
    #expect(try sandbox.git("reflog", name).lines.count == 2)
    try FileSystem().createDirectory(sandbox.path("repo/.git/refs/heads/main/x"))
    try sandbox.write("\(ids[0])\n", to: "repo/.git/refs/heads/main/y")
    #expect(throws: FileError.self) { try move(from: nil, to: ids[0]) }
    #expect(try sandbox.git("rev-parse", "refs/heads/main/y").lines == ["\(ids[0])"])
  }

  @Test("lists refs without a broken one")
  func broken() throws {
    let ids = try repository.chain(1)
    try move(from: nil, to: ids[0])
    try sandbox.write("", to: "repo/.git/refs/heads/broken")
    #expect(try repository.references() == [Self.main: ids[0]])
  }

  @Test("writes no reflog in a bare repository")
  func bare() throws {
    let bare = try sandbox.newRepository("bare", bare: true)
    let ids = try bare.chain(1)
    try bare.moveReference(Self.main, from: nil, to: ids[0], log: (.ann, "test"))
    #expect(try sandbox.git("rev-parse", "HEAD", in: "bare").lines == ["\(ids[0])"])
    #expect(!(try sandbox.names(in: "bare").contains("logs")))
  }

  @Test(
    "rejects unsafe and invalid names",
    arguments: [
      "", "/", "refs/heads/../../config", "refs/heads/a..b", "refs/heads/a.lock", "refs/heads/a b",
      "refs/heads/a\0b", "refs/heads/", "../x", "config", "refs/heads/.a", "refs/heads/a~1",
    ])
  func unsafeNames(name: String) throws {
    let ids = try repository.chain(1)
    let config = try sandbox.read("repo/.git/config")
    #expect(throws: GitError.self) { try move(name, from: nil, to: ids[0]) }
    #expect(try sandbox.read("repo/.git/config") == config)
    #expect(try sandbox.git("for-each-ref").lines.isEmpty)
  }

  @Test("reports another process's lock without removing it, or waits for its release")
  func staleLock() throws {
    let ids = try repository.chain(1)
    let lock = sandbox.root.pushing("repo/.git/refs/heads/main.lock")
    try FileSystem().create(lock, Array("theirs".utf8))
    #expect(throws: ReferenceError.locked(lock)) { try move(from: nil, to: ids[0]) }
    #expect(try FileSystem().read(lock) == Array("theirs".utf8))
    #expect(try repository.reference(Self.main) == nil)
    // A lock that is released in time is waited for.
    DispatchQueue.global().asyncAfter(deadline: .now() + 0.3) { try? FileSystem().remove(lock) }
    try repository.moveReference(
      Self.main, from: nil, to: ids[0], log: (.ann, "test"), timeout: 5000)
    #expect(try repository.reference(Self.main) == ids[0])
  }

  @Test("leaves the ref unchanged when any step fails")
  func faults() throws {
    let ids = try repository.chain(2)
    try move(from: nil, to: ids[0])
    let counting = FileFaultPlan()
    let observed = try sandbox.openRepository(files: counting.files)
    try observed.moveReference(Self.main, from: ids[0], to: ids[1], log: (.ann, "there"))
    // The last step removes the lock; if it fails, the next writer does that.
    let last = counting.stepsSeen - 1
    for step in 0..<last {
      try sandbox.git("update-ref", Self.main, "\(ids[0])")
      let faulty = try sandbox.openRepository(files: FileFaultPlan(failing: step).files)
      #expect(throws: FileError.self) {
        try faulty.moveReference(Self.main, from: ids[0], to: ids[1], log: (.ann, "test"))
      }
      #expect(try repository.reference(Self.main) == ids[0], "step \(step)")
      #expect(try sandbox.names(in: "repo/.git/refs/heads") == ["main"], "step \(step)")
    }
    #expect(!(try sandbox.names(in: "repo/.git").contains { $0.hasPrefix("cairn-") }))
    let seen = Atomic(0)
    let faulty = try sandbox.openRepository(
      files: FileSystem { (_, path) throws(FileError) in
        if seen.add(1, ordering: .relaxed).oldValue >= last {
          throw FileError("remove", path, .ioError)
        }
      })
    try faulty.moveReference(Self.main, from: ids[0], to: ids[1], log: (.ann, "test"))
    #expect(try sandbox.names(in: "repo/.git/refs/heads") == ["main", "main.lock"])
    // A process that another test starts has the lock until it runs its program.
    try repository.moveReference(
      Self.main, from: ids[1], to: ids[0], log: (.ann, "test"), timeout: 10_000)
    #expect(try sandbox.names(in: "repo/.git/refs/heads") == ["main"])
  }

  @Test("respects a lock that cairn holds and replaces one that a killed cairn left")
  func lockOfCairn() throws {
    let ids = try repository.chain(2)
    let path = sandbox.root.pushing("repo/.git/refs/heads/main.lock")
    var lock = try GitLockFile.acquire(
      path, unnamed: sandbox.root.appending("unnamed"), files: FileSystem())
    #expect(lock != nil)
    let text = try #require(try FileSystem().read(path))
    #expect(throws: ReferenceError.locked(path)) { try move(from: nil, to: ids[0]) }
    #expect(try sandbox.run("git", ["update-ref", Self.main, "\(ids[0])"]).status != 0)
    lock = nil
    try move(from: nil, to: ids[0])
    // The same file, which no process holds.
    try FileSystem().create(path, text)
    try move(from: ids[0], to: ids[1])
    #expect(try sandbox.names(in: "repo/.git/refs/heads") == ["main"])
  }

  @Test("keeps the reflog of a bare repository if its configuration says so")
  func bareReflog() throws {
    let bare = try sandbox.newRepository("bare.git", bare: true)
    let ids = try bare.chain(2)
    try bare.moveReference(Self.main, from: nil, to: ids[0], log: (.ann, "test"))
    #expect(try !FileSystem().exists(sandbox.path("bare.git/logs")))
    for (value, move) in [("true", (ids[0], ids[1])), ("always", (ids[1], ids[0]))] {
      try bare.setConfiguration("core.logAllRefUpdates", value)
      try bare.moveReference(Self.main, from: move.0, to: move.1, log: (.ann, "test"))
    }
    #expect(try sandbox.git("reflog", "main", in: "bare.git").lines.count == 2)
  }

  @Test("removes temporary files of dead processes of this machine, and of others after a day")
  func leftovers() throws {
    let own = TemporaryName.make("ref").split(separator: "-")
    let dead = "cairn-pack-\(own[2])-99999999-1z"
    let elsewhere = "cairn-pack-elsewhere-99999999-1z"
    // Of a version that did not name the machine.
    let old = "cairn-pack-99999999-3w5e11264sgsf"
    let kept = [
      TemporaryName.make("ref"), "cairn-backup", "cairn-my-notes-2026", "cairn-a-b-3-d-e",
      "cairn-notes.txt",
    ]
    for name in kept + [dead, elsewhere, old] {
      try FileSystem().createDirectory(sandbox.path("repo/.git/\(name)/x"))
    }
    try repository.removeTemporaryFiles()
    func left() throws -> [String] {
      try sandbox.names(in: "repo/.git").filter { $0.hasPrefix("cairn-") }
    }
    #expect(try left() == (kept + [elsewhere, old]).sorted())
    let now = Int64(Date().timeIntervalSince1970 * 1000)
    try repository.removeStaleObjectFiles(now: now)
    #expect(try left().contains(elsewhere) && left().contains(old))
    try repository.removeStaleObjectFiles(now: now + 25 * 60 * 60 * 1000)
    #expect(try left() == kept.dropFirst().sorted())
  }

  @Test("removes the lock of git's configuration that a killed cairn left, and no other's")
  func lockOfConfiguration() throws {
    let path = sandbox.root.pushing("repo/.git/config.lock")
    var lock = try GitLockFile.acquire(
      path, unnamed: sandbox.root.appending("unnamed"), files: FileSystem())
    #expect(lock != nil)
    let text = try #require(try FileSystem().read(path))
    try repository.removeTemporaryFiles()
    #expect(try sandbox.names(in: "repo/.git").contains("config.lock"))
    #expect(try sandbox.run("git", ["config", "x.y", "1"]).status != 0)
    lock = nil
    for bytes in [text, Array("[core]\n".utf8)] {
      try FileSystem().create(path, bytes)
      try repository.removeTemporaryFiles()
      let isDead = bytes == text
      #expect(try sandbox.names(in: "repo/.git").contains("config.lock") == !isDead)
    }
    try FileSystem().remove(path)
    // A command that writes the configuration does not wait for a dead lock.
    try FileSystem().create(path, text)
    try repository.setConfiguration("x.y", "2")
    #expect(try sandbox.git("config", "x.y").lines == ["2"])
    #expect(!(try sandbox.names(in: "repo/.git").contains("config.lock")))
  }

  @Test("reads HEAD as a branch or as a commit")
  func head() throws {
    #expect(try repository.headBranch() == Self.main)
    #expect(try repository.head() == nil)
    let ids = try repository.chain(1)
    try move(from: nil, to: ids[0])
    try sandbox.git("checkout", "-q", "--detach")
    #expect(try repository.headBranch() == nil)
    #expect(try repository.head() == ids[0])
    #expect(throws: GitError.self) { try repository.reference("refs/heads/a..b") }
  }

  @Test("finds the branch from which HEAD was detached")
  func previousBranch() throws {
    try move(from: nil, to: try repository.chain(1)[0])
    try sandbox.git("branch", "side")
    #expect(try repository.previousBranch() == nil)
    try sandbox.git("checkout", "-q", "side")
    try sandbox.git("checkout", "-q", "--detach")
    #expect(try repository.previousBranch() == "side")
    try sandbox.git("branch", "-D", "side")
    #expect(try repository.previousBranch() == "main")
  }
}

extension Repository {
  /// Writes commits, each the parent of the next.
  func chain(_ count: Int) throws -> [ObjectID] {
    var ids: [ObjectID] = []
    for i in 0..<count { ids.append(try child(of: ids.last, "commit \(i)")) }
    return ids
  }

  func child(of parent: ObjectID?, _ message: String) throws -> ObjectID {
    let writer = LooseObjectWriter(self)
    return try writer.write(
      Commit(
        tree: try writer.write(.tree, []), parents: parent.map { [$0] } ?? [], author: .ann,
        committer: .ann, message: message))
  }
}
