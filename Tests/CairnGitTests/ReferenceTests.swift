import CairnFiles
import Dispatch
import Foundation
import Synchronization
import SystemPackage
import Testing

@testable import CairnGit

@Suite("Moving refs")
struct ReferenceTests {
  private static let main = "refs/heads/main"
  private let sandbox: Sandbox
  private let repository: Repository

  init() throws {
    sandbox = try Sandbox()
    repository = try sandbox.repository()
  }

  private func move(_ name: String = main, from old: ObjectID?, to new: ObjectID) throws {
    try repository.moveReference(name, from: old, to: new, log: (.ann, "test"), patience: 0)
  }

  @Test("a ref moves only from where it is expected to be")
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

  @Test("packed refs are refs", arguments: [true, false])
  func packed(isFresh: Bool) throws {
    let ids = try repository.chain(3)
    try move(from: nil, to: ids[0])
    try move("refs/remotes/origin/a/b", from: nil, to: ids[0])
    try sandbox.git("pack-refs", "--all", "--prune")
    // A repository that was open before reads the packed refs anew.
    let repository = isFresh ? try sandbox.open() : repository
    #expect(try repository.reference(Self.main) == ids[0])
    #expect(throws: ReferenceError.moved(name: Self.main, actual: ids[0])) {
      try repository.moveReference(Self.main, from: nil, to: ids[1], log: (.ann, "test"))
    }
    try repository.moveReference(Self.main, from: ids[0], to: ids[1], log: (.ann, "test"))
    #expect(try sandbox.git("rev-parse", Self.main).lines == ["\(ids[1])"])
    #expect(try repository.reference("refs/remotes/origin/a/b") == ids[0])
    try sandbox.git("fsck", "--strict")
  }

  @Test("git reads the reflog of a branch and of HEAD")
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

  @Test("a bare repository has no reflog")
  func bare() throws {
    let bare = try sandbox.repository("bare", bare: true)
    let ids = try bare.chain(1)
    try bare.moveReference(Self.main, from: nil, to: ids[0], log: (.ann, "test"))
    #expect(try sandbox.git("rev-parse", "HEAD", in: "bare").lines == ["\(ids[0])"])
    #expect(!(try sandbox.names(in: "bare").contains("logs")))
  }

  @Test(
    "names that would lie elsewhere, or that git cannot read, are refused",
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

  @Test("a lock that another process left is reported, and left alone")
  func staleLock() throws {
    let ids = try repository.chain(1)
    let lock = sandbox.root.pushing("repo/.git/refs/heads/main.lock")
    try FileSystem().create(lock, Array("theirs".utf8))
    #expect(throws: ReferenceError.locked(lock)) { try move(from: nil, to: ids[0]) }
    #expect(try FileSystem().read(lock) == Array("theirs".utf8))
    #expect(try repository.reference(Self.main) == nil)
    // A lock that goes away in time is waited for.
    DispatchQueue.global().asyncAfter(deadline: .now() + 0.3) { try? FileSystem().remove(lock) }
    try repository.moveReference(
      Self.main, from: nil, to: ids[0], log: (.ann, "test"), patience: 5000)
    #expect(try repository.reference(Self.main) == ids[0])
  }

  @Test("a move that throws has not moved the ref, whatever step failed")
  func faults() throws {
    let ids = try repository.chain(2)
    try move(from: nil, to: ids[0])
    let counting = FaultPlan()
    let observed = try sandbox.open(files: counting.files)
    try observed.moveReference(Self.main, from: ids[0], to: ids[1], log: (.ann, "there"))
    for step in 0..<counting.stepsSeen {
      try sandbox.git("update-ref", Self.main, "\(ids[0])")
      let faulty = try sandbox.open(files: FaultPlan(failing: step).files)
      #expect(throws: FileError.self) {
        try faulty.moveReference(Self.main, from: ids[0], to: ids[1], log: (.ann, "test"))
      }
      #expect(try repository.reference(Self.main) == ids[0], "step \(step)")
      #expect(try sandbox.names(in: "repo/.git/refs/heads") == ["main"], "step \(step)")
    }
  }

  @Test("HEAD names a branch, or a commit")
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
}

@Suite("Racing for a ref")
struct ReferenceRaceTests {
  private static let main = "refs/heads/main"

  @Test("of two writers that saw the same, exactly one wins", arguments: [true, false])
  func oneWins(isNew: Bool) throws {
    let sandbox = try Sandbox()
    let repository = try sandbox.repository(bare: true)
    let start = try repository.chain(1)[0]
    for round in 0..<20 {
      let name = "refs/heads/round-\(round)"
      let old = isNew ? nil : start
      if !isNew { try repository.moveReference(name, from: nil, to: start, log: (.ann, "start")) }
      let results = Mutex<[Result<ObjectID, any Error>]>([])
      DispatchQueue.concurrentPerform(iterations: 3) { writer in
        let result = Result {
          let repository = try sandbox.open()
          let new = try repository.child(of: start, "round \(round) by \(writer)")
          try repository.moveReference(name, from: old, to: new, log: (.ann, "race"))
          return new
        }
        results.withLock { $0.append(result) }
      }
      let winners = results.withLock { $0.compactMap { try? $0.get() } }
      #expect(winners.count == 1)
      let actual = try repository.reference(name)
      #expect(actual == winners.first)
      for case .failure(let error) in results.withLock({ $0 }) {
        #expect(error as? ReferenceError == .moved(name: name, actual: actual))
      }
    }
  }

  @Test("no move is lost among writers that try again")
  func noneLost() throws {
    let sandbox = try Sandbox()
    let repository = try sandbox.repository()
    let start = try repository.chain(1)[0]
    try repository.moveReference(Self.main, from: nil, to: start, log: (.ann, "start"))
    let failures = Mutex<[String]>([])
    DispatchQueue.concurrentPerform(iterations: 3) { writer in
      do {
        let repository = try sandbox.open()
        for i in 0..<8 { try repository.append("\(writer) \(i)") }
      } catch { failures.withLock { $0.append("\(error)") } }
    }
    #expect(failures.withLock { $0 } == [])
    let messages = try sandbox.git("log", "--format=%s", Self.main).lines
    #expect(messages.count == 25 && Set(messages).count == 25)
    // The reflog was written under the lock: each line begins where the one before ended.
    let reflog = String(decoding: try sandbox.read("repo/.git/logs/refs/heads/main"), as: UTF8.self)
    let moves = reflog.split(separator: "\n").map { $0.split(separator: " ") }
    #expect(moves.count == 25)
    for (previous, next) in zip(moves, moves.dropFirst()) { #expect(previous[1] == next[0]) }
  }

  @Test("no move is lost beside `git update-ref`, nor while git packs the refs")
  func besideGit() throws {
    let sandbox = try Sandbox()
    let repository = try sandbox.repository()
    let start = try repository.chain(1)[0]
    try repository.moveReference(Self.main, from: nil, to: start, log: (.ann, "start"))
    let failures = Mutex<[String]>([])
    let gitMoves = Mutex(0)
    DispatchQueue.concurrentPerform(iterations: 3) { worker in
      do {
        switch worker {
        case 0:
          let repository = try sandbox.open()
          for i in 0..<15 { try repository.append("cairn \(i)") }
        case 1:
          for i in 0..<15 where try sandbox.appendWithGit("git \(i)") {
            gitMoves.withLock { $0 += 1 }
          }
        default:
          // It may fail to lock what the others hold, which is no harm.
          for _ in 0..<15 { _ = try sandbox.run(["pack-refs", "--all", "--prune"]) }
        }
      } catch { failures.withLock { $0.append("\(error)") } }
    }
    #expect(failures.withLock { $0 } == [])
    let messages = try sandbox.git("log", "--format=%s", Self.main).lines
    #expect(messages.filter { $0.hasPrefix("cairn") }.count == 15)
    #expect(messages.filter { $0.hasPrefix("git") }.count == gitMoves.withLock { $0 })
    #expect(gitMoves.withLock { $0 } > 0)
    try sandbox.git("fsck", "--strict")
  }
}

extension Sandbox {
  /// Puts a commit on the branch with git; false when somebody else was faster.
  fileprivate func appendWithGit(_ message: String) throws -> Bool {
    for _ in 0..<20 {
      let old = try git("rev-parse", "refs/heads/main").lines[0]
      let new = try git("commit-tree", "\(Tree.emptyID)", "-p", old, "-m", message).lines[0]
      if try run(["update-ref", "refs/heads/main", new, old]).status == 0 { return true }
    }
    return false
  }
}

extension Repository {
  /// Writes commits, each the parent of the next.
  fileprivate func chain(_ count: Int) throws -> [ObjectID] {
    var ids: [ObjectID] = []
    for i in 0..<count { ids.append(try child(of: ids.last, "commit \(i)")) }
    return ids
  }

  fileprivate func child(of parent: ObjectID?, _ message: String) throws -> ObjectID {
    let writer = LooseObjectWriter(self)
    return try writer.write(
      Commit(
        tree: try writer.write(.tree, []), parents: parent.map { [$0] } ?? [], author: .ann,
        committer: .ann, message: message))
  }

  /// Puts a commit on the branch, on top of whatever is there.
  fileprivate func append(_ message: String) throws {
    while true {
      let old = try reference("refs/heads/main")
      do {
        return try moveReference(
          "refs/heads/main", from: old, to: child(of: old, message), log: (.ann, message))
      } catch ReferenceError.moved {
      }
    }
  }
}
