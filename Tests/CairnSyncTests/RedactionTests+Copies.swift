import CairnDocument
import CairnFiles
import CairnGit
import CairnMerge
import CairnStore
import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import CairnSync

// Facts that one copy erases, and others still have.

extension RedactionTests {
  @Test("leave the same history in a copy that was offline, whose labels are kept")
  func offline() throws {
    try b.label(1, "elm", by: "bob")
    try b.label(2, "oak", by: "bob")
    try b.commit()
    try erase(a)
    let first = try a.sync()
    #expect(first.failure == nil && first.push?.replacesHistory == true)
    #expect(try remoteHead() == a.repository.head())
    let synced = try b.sync()
    #expect(synced.failure == nil && synced.push?.replacesHistory == false)
    #expect(synced.pulls[0].redactions.commits > 0)
    #expect(synced.pulls[0].merge.fixups.isEmpty)
    #expect(try commitsWithPin(b.repository).isEmpty)
    #expect(try commitsWithPin(remoteRepository()).isEmpty)
    #expect(try b.labels().count == 3)
    try a.sync()
    #expect(try a.headTree() == b.headTree() && a.repository.head() == b.repository.head())
    #expect(try a.labels().count == 3)
    // Everything from before is common to both.
    #expect(try a.workingState().changes.isEmpty && b.workingState().changes.isEmpty)
    let push = try b.sync()
    #expect(push.pulls[0].outcome == .upToDate && push.push?.isNew == false)
  }

  @Test("are erased alike when two copies erase different ones")
  func both() throws {
    try erase(a)
    try erase(b, .metadata)
    for replica in [a, b, a, b] { #expect(try replica.sync().failure == nil) }
    #expect(try a.repository.head() == b.repository.head())
    #expect(try remoteHead() == a.repository.head())
    #expect(try a.erasedFacts() == b.erasedFacts())
    #expect(try a.labels().isEmpty && photo(a)?.title.value == "")
    #expect(try a.redaction(at: .photo(Self.photo))?.facts.count == 2)
  }

  @Test("are not in a new clone, even if the remote still has them")
  func clone() throws {
    try erase(a)
    let old = try remoteHead()
    try a.sync()
    // Somebody pushes the old history again, without any commit of its own.
    let merge = try a.commitByGit(
      [:], on: #require(try a.repository.head()), #require(old))
    try devices.git(
      "push", "-q", "--no-verify", "origin", "\(merge):refs/heads/main", at: a.directory.root)
    let c = try devices.clone("c")
    #expect(try commitsWithPin(c.repository).isEmpty && photo(c)?.pin.value == nil)
    #expect(try c.sync().push?.replacesHistory == true)
    #expect(try commitsWithPin(remoteRepository()).isEmpty)
    #expect(try remoteHead() == c.repository.head())
  }

  @Test("that plain git pushes again are erased again, with the work of the person who did")
  func plainGit() throws {
    // B uses only git.
    let root = b.directory.root
    try erase(a)
    try a.sync()
    try b.environment.files.create(root.appending("notes.txt"), Array("mine\n".utf8))
    try devices.git("add", "notes.txt", at: root)
    try devices.git("commit", "-qm", "notes", "--no-verify", at: root)
    try devices.git("pull", "-q", "--no-rebase", "-X", "theirs", "origin", "main", at: root)
    try devices.git("push", "-q", "--no-verify", "origin", "HEAD:main", at: root)
    #expect(try !commitsWithPin(remoteRepository()).isEmpty)

    let synced = try a.sync()
    #expect(synced.failure == nil && synced.push?.replacesHistory == true)
    #expect(try commitsWithPin(a.repository).isEmpty)
    let head = try #require(try remoteHead())
    #expect(try a.repository.head() == head)
    let tree = try a.headTree()
    #expect(try a.repository.file(at: "notes.txt", in: tree) == Array("mine\n".utf8))
    #expect(try photo(a)?.pin.value == nil)
  }

  @Test("are kept away from a remote that has commits of others")
  func raced() throws {
    try erase(a)
    try b.label(2, "oak", by: "bob")
    try b.sync()
    // B's commit is not here.
    #expect(throws: SyncError.notFastForward(remote: "origin")) { try a.push(nil) }
    #expect(try a.sync().push?.replacesHistory == true)
    #expect(try a.labels().count == 2)
    try b.sync()
    #expect(try a.headTree() == b.headTree() && commitsWithPin(b.repository).isEmpty)
  }

  @Test("are not erased from a remote that denies it")
  func denied() throws {
    try devices.git("config", "receive.denyNonFastForwards", "true", at: devices.remote)
    try erase(a)
    let before = try remoteHead()
    let synced = try a.sync()
    guard case .refused(_, let reason, _)? = synced.failure as? SyncError else {
      Issue.record("\(synced.failure.map { "\($0)" } ?? "pushed")")
      return
    }
    #expect(reason.contains("denyNonFastForwards"))
    #expect(try remoteHead() == before)
    try devices.git("config", "receive.denyNonFastForwards", "false", at: devices.remote)
    #expect(try a.sync().push?.replacesHistory == true)
  }

  @Test("replace the branch of the remote only if nothing of it is lost")
  func replaces() throws {
    try erase(a)
    let push = try a.push(nil)
    #expect(push.replacesHistory && push.isNew)
    #expect(try remoteHead() == a.repository.head())
    #expect(try a.push(nil).replacesHistory == false)
    // An ordinary push.
    try a.label(2, "oak", by: "alice")
    try a.commit()
    #expect(try a.push(nil).replacesHistory == false)
  }

  @Test("stay known when a commit deletes their record, which is restored")
  func known() throws {
    try erase(a)
    try a.sync()
    let head = try #require(try a.repository.head())
    let removed = try a.commitByGit(
      [Self.record.description: nil], on: head)
    try devices.git("update-ref", "refs/heads/main", "\(removed)", at: a.directory.root)
    try devices.git("reset", "-q", "--hard", at: a.directory.root)
    #expect(try a.erasedFacts().positions == [Self.photo])
    try a.commit()
    #expect(try a.redaction(at: .photo(Self.photo)) != nil)
    try b.sync()
    #expect(try b.erasedFacts().positions == [Self.photo])
    #expect(try commitsWithPin(b.repository).isEmpty)
  }

  @Test("are erased when a branch is checked out again, and are not pushed before")
  func interrupted() throws {
    try erase(a)
    try a.sync()
    try devices.git("checkout", "-q", "--detach", at: b.directory.root)
    try devices.git("fetch", "-q", "origin", at: b.directory.root)
    try b.noteErasures(in: b.repository.reference("refs/remotes/origin/main"))
    try b.label(2, "oak", by: "bob")
    #expect(try !commitsWithPin(b.repository).isEmpty)
    #expect(throws: SyncError.detachedHead(previous: "main")) {
      try b.push(branch: "refs/heads/main")
    }
    try devices.git("checkout", "-q", "main", at: b.directory.root)
    #expect(try b.sync().failure == nil)
    #expect(try commitsWithPin(b.repository).isEmpty && b.labels().count == 2)
  }
}
