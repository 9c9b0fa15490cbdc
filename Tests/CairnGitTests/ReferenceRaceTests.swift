import CairnGit
import Dispatch
import Foundation
import Synchronization
import TestSupport
import Testing

@Suite("Concurrent ref updates")
struct ReferenceRaceTests {
  private static let main = "refs/heads/main"

  @Test("lets exactly one of several concurrent writers win", arguments: [true, false])
  func oneWins(isNew: Bool) throws {
    let sandbox = try Sandbox()
    let repository = try sandbox.newRepository(bare: true)
    let start = try repository.chain(1)[0]
    for round in 0..<20 {
      let name = "refs/heads/round-\(round)"
      let old = isNew ? nil : start
      if !isNew { try repository.moveReference(name, from: nil, to: start, log: (.ann, "start")) }
      let results = Mutex<[Result<ObjectID, any Error>]>([])
      DispatchQueue.concurrentPerform(iterations: 3) { writer in
        let result = Result {
          let repository = try sandbox.openRepository()
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

  @Test("loses no update of writers that retry")
  func noneLost() throws {
    let sandbox = try Sandbox()
    let repository = try sandbox.newRepository()
    let start = try repository.chain(1)[0]
    try repository.moveReference(Self.main, from: nil, to: start, log: (.ann, "start"))
    let failures = Mutex<[String]>([])
    DispatchQueue.concurrentPerform(iterations: 3) { writer in
      do {
        let repository = try sandbox.openRepository()
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

  @Test("loses no update while git updates and packs refs")
  func besideGit() throws {
    let sandbox = try Sandbox()
    let repository = try sandbox.newRepository()
    let start = try repository.chain(1)[0]
    try repository.moveReference(Self.main, from: nil, to: start, log: (.ann, "start"))
    let failures = Mutex<[String]>([])
    let gitMoves = Mutex(0)
    DispatchQueue.concurrentPerform(iterations: 3) { worker in
      do {
        switch worker {
        case 0:
          let repository = try sandbox.openRepository()
          for i in 0..<15 { try repository.append("cairn \(i)") }
        case 1:
          for i in 0..<15 where try sandbox.appendWithGit("git \(i)") {
            gitMoves.withLock { $0 += 1 }
          }
        default:
          // It may fail to lock refs that the others hold, which does no harm.
          for _ in 0..<15 { _ = try sandbox.run("git", ["pack-refs", "--all", "--prune"]) }
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
  /// Appends a commit to the branch with git; returns false when others were always faster.
  fileprivate func appendWithGit(_ message: String) throws -> Bool {
    for _ in 0..<20 {
      let old = try git("rev-parse", "refs/heads/main").lines[0]
      let new = try git("commit-tree", "\(Tree.emptyID)", "-p", old, "-m", message).lines[0]
      if try run("git", ["update-ref", "refs/heads/main", new, old]).status == 0 { return true }
    }
    return false
  }
}

extension Repository {
  /// Appends a commit to the branch.
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
