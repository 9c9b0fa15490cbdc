import CairnDocument
import CairnGit
import CairnStore
import SystemPackage
import TestSupport
import Testing

@testable import CairnSync

@Suite("History that git rewrites")
struct RewrittenHistoryTests {
  private let devices: Devices
  private let a: Replica
  private let b: Replica
  private let path = Document.label(
    Label(
      photo: photoID(1), classKey: ClassKey("oak")!,
      annotator: Annotator("human:alice@example.org")!, verdict: .present, stamp: .given)
  ).path.description

  /// A with a label, and B cloned from it.
  init() throws {
    devices = try Devices()
    (a, b) = try devices.pair { try $0.label(1, "oak", by: "alice") }
  }

  private func setVerdict(_ verdict: Verdict, _ device: Replica) throws {
    var members = try JSON(bytes: try #require(try device.directory.read(path))).object!
    members["verdict"] = .string(verdict.rawValue)
    try device.directory.write(members.canonicalBytes, to: path)
  }

  private func verdict(_ device: Replica) throws -> Verdict? {
    try device.labels().first { $0.photo == photoID(1) }?.verdict
  }

  @Test(
    "the last edit counts when a person replaces a commit that was synced",
    arguments: [["commit", "-qa", "--amend", "--no-edit"], ["reset", "-q", "--soft", "HEAD~1"]])
  func replacedHere(command: [String]) throws {
    for verdict in [Verdict.absent, .withdrawn, .present] {
      try setVerdict(verdict, a)
      if command[0] == "reset" {
        try devices.git("reset", "-q", "--soft", "HEAD~1", at: a.directory.root)
        try devices.git("commit", "-qam", "again", at: a.directory.root)
      } else {
        try devices.git("commit", "-qa", "--amend", "--no-edit", at: a.directory.root)
      }
      try a.sync()
      try b.sync()
      #expect(try self.verdict(b) == verdict)
      #expect(try self.verdict(a) == verdict)
    }
  }

  @Test(
    "the last edit counts when git merges a commit with the one that it replaces",
    arguments: [Verdict.absent, .withdrawn])
  func mergedWithReplaced(verdict: Verdict) throws {
    // Of equal stamps the greater bytes count: each of the two verdicts is once the greater one.
    try a.label(1, "oak", by: "alice", verdict == .absent ? .withdrawn : .absent)
    try a.sync()
    try setVerdict(verdict, a)
    try devices.git("commit", "-qa", "--amend", "--no-edit", at: a.directory.root)
    try devices.git("pull", "-q", "--no-rebase", "origin", "main", at: a.directory.root, status: 1)
    try a.sync()
    try b.sync()
    #expect(try self.verdict(b) == verdict)
    #expect(try self.verdict(a) == verdict)
  }

  @Test(
    "the last edit counts when a person amends a commit and pushes it with force",
    arguments: [true, false])
  func pushedWithForce(keepsReflog: Bool) throws {
    try devices.git(
      "config", "core.logAllRefUpdates", "\(keepsReflog)", at: b.directory.root)
    let b = try devices.reopen(self.b)
    try setVerdict(.withdrawn, a)
    try devices.git("commit", "-qam", "by hand", at: a.directory.root)
    try devices.git("push", "-q", "origin", "main", at: a.directory.root)
    try b.pull()
    try setVerdict(.absent, a)
    try devices.git("commit", "-qa", "--amend", "--no-edit", at: a.directory.root)
    try devices.git("push", "-qf", "origin", "main", at: a.directory.root)
    try b.sync()
    #expect(try verdict(b) == .absent)
    try a.sync()
    #expect(try verdict(a) == .absent)
  }

  @Test(
    "the last edit counts when the amended commit was fetched before the pull",
    arguments: ["git", "cairn"])
  func fetchedBeforePull(program: String) throws {
    // The greater bytes win a tie: “withdrawn”.
    try setVerdict(.withdrawn, a)
    try devices.git("commit", "-qam", "by hand", at: a.directory.root)
    try devices.git("push", "-q", "origin", "main", at: a.directory.root)
    try b.pull()
    try setVerdict(.absent, a)
    try devices.git("commit", "-qa", "--amend", "--no-edit", at: a.directory.root)
    try devices.git("push", "-qf", "origin", "main", at: a.directory.root)
    // The pull is interrupted before it merges, or an editor fetches in the background.
    if program == "cairn" {
      _ = try b.fetch()
    } else {
      try devices.git("fetch", "-q", "origin", at: b.directory.root)
    }
    try devices.git("commit", "-qm", "later", "--allow-empty", at: a.directory.root)
    try devices.git("push", "-q", "origin", "main", at: a.directory.root)
    try b.sync()
    #expect(try verdict(b) == .absent)
    try a.sync()
    #expect(try verdict(a) == .absent)
  }

  @Test("makes no fixups when another branch is checked out")
  func switchedBranch() throws {
    try devices.git("branch", "topic", at: a.directory.root)
    func create(_ verdict: Verdict) throws {
      try a.write { _ in
        [
          .label(
            Label(
              photo: photoID(2), classKey: ClassKey("oak")!,
              annotator: Annotator("human:alice@example.org")!, verdict: verdict, stamp: .given))
        ]
      }
      try a.commit()
    }
    try create(.present)
    try devices.git("switch", "-q", "topic", at: a.directory.root)
    try create(.absent)
    for branch in ["main", "topic", "main"] {
      try devices.git("switch", "-q", branch, at: a.directory.root)
      #expect(try a.commit().repairs.fixups == [])
    }
    #expect(try a.labels().allSatisfy { $0.photo != photoID(2) || $0.stamp == .given })
    // It is still known what the branch had before.
    for verdict in [Verdict.absent, .present] {
      try devices.git("switch", "-q", "topic", at: a.directory.root)
      try a.commit()
      try devices.git("switch", "-q", "main", at: a.directory.root)
      try setVerdict(verdict, a)
      try devices.git("commit", "-qa", "--amend", "--no-edit", at: a.directory.root)
      try a.commit()
      try a.sync()
      try b.sync()
      #expect(try self.verdict(b) == verdict)
    }
  }

  @Test("counts an edit made before a removal when git restores the document")
  func revertedAndRemoved() throws {
    let base = try #require(try a.repository.head())
    let original = try #require(try a.directory.read(path))
    var members = try JSON(bytes: original).object!
    // The greater bytes win a tie: the edit has them, not its revert.
    members["verdict"] = "withdrawn"
    let edited = try a.commitByGit([path: members.canonicalBytes], on: base)
    let reverted = try a.commitByGit([path: original], on: edited)
    let removed = try a.commitByGit([path: nil], on: reverted)
    let other = try a.commitByGit(["notes.txt": [10]], on: base)
    let writer = LooseObjectWriter(a.repository)
    let tree = try a.mergeTrees(other, edited, writer: writer).tree
    let own = try writer.write(a.mergeCommit(of: other, edited, tree: tree))
    let kept = try a.repository.file(at: path, in: tree)
    let merged = try a.commitByGit([path: kept], on: removed, own)
    let fixed = try a.commitWithFixups(merged, excluding: [base]).commit
    let bytes = try #require(
      try a.repository.file(at: path, in: a.repository.commit(fixed).tree))
    #expect(try Label(bytes: bytes).verdict == .present)
  }

  @Test("the revert of an amended commit counts, although its clock is behind")
  func revertedAmendedCommit() throws {
    let base = try #require(try a.repository.head())
    let original = try #require(try a.directory.read(path))
    func edited(_ verdict: Verdict) throws -> [UInt8] {
      var label = try Label(bytes: original)
      (label.verdict, label.stamp) = (verdict, Stamp("2026-09-22T11:14:24.573Z-0000-d03a1034")!)
      return label.canonicalBytes
    }
    let published = try a.commitByGit([path: edited(.absent)], on: base)
    // The greater bytes win a tie: the amended version has them.
    let amended = try a.commitByGit([path: edited(.withdrawn)], on: base)
    let reverted = try a.commitByGit([path: original], on: amended, at: 1_700_000_000)
    // Only the device that had the published commit knows that both have the same stamp.
    let fixed = try a.commitWithFixups(amended, excluding: [published], replacing: published).commit
    #expect(fixed != amended)
    let writer = LooseObjectWriter(a.repository)
    for (ours, theirs) in [(fixed, reverted), (reverted, fixed)] {
      let tree = try a.mergeTrees(ours, theirs, writer: writer).tree
      let bytes = try #require(try a.repository.file(at: path, in: tree))
      #expect(try Label(bytes: bytes).verdict == .present)
    }
    // A person may amend the fixup itself.
    let fixup = try a.repository.commit(fixed)
    #expect(Replica.isFixup(fixup, of: amended))
    let changed = Commit(
      tree: fixup.tree, parents: fixup.parents, author: fixup.author,
      committer: try a.repository.commit(amended).committer, message: fixup.message)
    #expect(!Replica.isFixup(changed, of: amended))
  }

  @Test("a photo that a fixup restored stays removed beside an edit of another document")
  func removedAfterFixup() throws {
    let photo = photoDocument(7)
    let photoPath = DocumentPath.photo(photo.id).description
    let label = Document.label(
      Label(
        photo: photo.id, classKey: ClassKey("elm")!,
        annotator: Annotator("human:bob@example.org")!, verdict: .present, stamp: .given))
    let labelPath = label.path.description
    let base = try #require(try a.repository.head())
    let added = try a.commitByGit([photoPath: photo.canonicalBytes], on: base)
    let removed = try a.commitByGit([photoPath: nil], on: added)
    let picked = try a.commitByGit([labelPath: label.canonicalBytes], on: removed)
    let fixed = try a.commitWithFixups(picked, excluding: [removed], restoresReferences: true)
      .commit
    let tree = try a.repository.tree(ofCommit: fixed)
    #expect(try a.repository.hasFile(at: photoPath, in: tree))
    let removedAgain = try a.commitByGit([photoPath: nil, labelPath: nil], on: fixed)
    var members = try JSON(bytes: try #require(try a.directory.read(path))).object!
    members["verdict"] = "withdrawn"
    let edited = try a.commitByGit([path: members.canonicalBytes], on: picked)
    let writer = LooseObjectWriter(a.repository)
    for (ours, theirs) in [(removedAgain, edited), (edited, removedAgain)] {
      let tree = try a.mergeTrees(ours, theirs, writer: writer).tree
      #expect(try !a.repository.hasFile(at: photoPath, in: tree))
      #expect(try !a.repository.hasFile(at: labelPath, in: tree))
    }
  }

  @Test("restores the image of a photo that it restores, although it was removed before")
  func imageOfRestoredPhoto() throws {
    let photo = photoDocument(1)
    let path = DocumentPath.photo(photo.id).description
    let image = DocumentPath.image(photo.id, .png).description
    let pointer = Pointer(id: photo.id, size: 1).bytes
    let head = try #require(try a.repository.head())
    let added = try a.commitByGit([path: photo.canonicalBytes, image: pointer], on: head)
    let withoutImage = try a.commitByGit([image: nil], on: added)
    let withoutPhoto = try a.commitByGit([path: nil], on: withoutImage)
    func push(_ commit: ObjectID) throws {
      try devices.git(
        "push", "-q", devices.remote.string, "\(commit):refs/heads/main", at: a.directory.root)
    }
    try push(added)
    try b.pull()
    try b.label(1, "elm", by: "bob")
    try b.commit()
    // B's merge restores the pointer; a rebase leaves the merge out.
    try push(withoutImage)
    try b.pull()
    try push(withoutPhoto)
    try devices.git("fetch", "-q", "origin", at: b.directory.root)
    let label = try #require(try b.labels().first { $0.classKey.text == "elm" })
    let rebased = try b.commitByGit(
      [Document.label(label).path.description: label.canonicalBytes], on: withoutPhoto)
    try devices.git("reset", "-q", "--hard", "\(rebased)", at: b.directory.root)
    try b.sync()
    let tree = try b.repository.tree(ofCommit: b.repository.head())
    #expect(try b.repository.hasFile(at: path, in: tree))
    #expect(try b.repository.file(at: image, in: tree) == pointer)
  }
}
