import CairnFiles
import CairnGit
import CairnStore
import Foundation
import SystemPackage
import Testing

@testable import CairnSync

@Suite("A branch that is switched during a transfer")
struct SwitchedBranchTests {
  private let devices: Devices
  private let a: Replica
  private let b: Replica

  /// A, and B cloned from it, with a label each, and with an unfinished label on B's branch “topic”.
  init() throws {
    devices = try Devices()
    (a, b) = try devices.pair { try $0.label(1, "oak", by: "alice") }
    try devices.git("switch", "-q", "-c", "topic", at: b.directory.root)
    try b.label(2, "oak", by: "bob")
    try b.commit()
    try devices.git("switch", "-q", "main", at: b.directory.root)
  }

  /// Returns B, where somebody switches to the other branch when the remote has answered.
  private func switching() throws -> Replica {
    let head = b.repository.gitDirectory.appending("HEAD").string
    return try devices.reopen(b) { (_, path) throws(FileError) in
      guard path.string.contains("/exchanges/") else { return }
      try? Data("ref: refs/heads/topic\n".utf8).write(to: URL(fileURLWithPath: head))
    }
  }

  private func references(_ directory: FilePath) throws -> String {
    try devices.git(
      "for-each-ref", "--format=%(refname) %(objectname)", "refs/heads", at: directory)
  }

  @Test("a pull merges nothing into the other branch")
  func pull() throws {
    try a.label(3, "oak", by: "alice")
    try a.sync()
    let before = try references(b.directory.root)
    #expect(throws: SyncError.branchSwitched(from: "refs/heads/main", to: "refs/heads/topic")) {
      try switching().pull()
    }
    #expect(try references(b.directory.root) == before)
    try devices.git("switch", "-q", "main", at: b.directory.root)
    try b.pull()
    #expect(try b.labels().count == 2)
  }

  @Test("a push sends the branch that was checked out when it began")
  func push() throws {
    try b.label(4, "oak", by: "bob")
    let commit = try #require(try b.commit().commit)
    _ = try switching().push()
    #expect(try references(devices.remote) == "refs/heads/main \(commit)\n")
  }

  @Test("a sync exchanges only the branch that was checked out when it began")
  func sync() throws {
    let before = try references(devices.remote)
    try b.label(4, "oak", by: "bob")
    let report = try switching().sync()
    #expect(
      report.failure as? SyncError
        == .branchSwitched(from: "refs/heads/main", to: "refs/heads/topic"))
    #expect(report.committed.commit != nil)
    #expect(try references(devices.remote) == before)
  }
}
