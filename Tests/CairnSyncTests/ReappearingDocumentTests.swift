import CairnDocument
import CairnGit
import CairnStore
import Foundation
import SystemPackage
import Testing

@testable import CairnSync

@Suite("Documents that reappear after their removal")
struct ReappearingDocumentTests {
  private let devices: Devices
  private let a: Replica
  private let b: Replica

  /// A, and B cloned from it, with a pin called “old” and a label.
  init() throws {
    devices = try Devices()
    (a, b) = try devices.pairWithPin()
  }

  private func pin(_ replica: Replica) throws -> Pin? {
    guard case .pin(let pin) = try replica.directory.document(at: .pin(pinID)) else { return nil }
    return pin
  }

  @Test("treats a document that reappears with a change as edited")
  func reappearsChanged() throws {
    let path = DocumentPath.pin(pinID)
    var changed = try #require(try pin(a))
    let old = changed.canonicalBytes
    changed.name = Register("by hand", changed.name.stamp)
    var fixups = CommitFixups()
    try fixups.edit(path, from: old, to: nil, at: 1_900_000_000)
    try fixups.edit(path, from: nil, to: changed.canonicalBytes, at: 1_900_000_001)
    let back = try Pin(bytes: try #require(fixups.documents["\(path)"]?.bytes))
    #expect(back.name.value == "by hand")
    #expect(back.name.stamp.milliseconds == 1_900_000_001_000)
  }

  @Test("restores a version from this history as a new edit, and merges one from a rebase")
  func replayed() throws {
    func label(_ confidence: Double, at time: Int64) -> Label {
      Label(
        photo: photoID(1), classKey: ClassKey("oak")!,
        annotator: Annotator("human:bob@example.org")!, verdict: .present, confidence: confidence,
        stamp: Stamp(milliseconds: time * 1000, counter: 0, replica: ReplicaID(rawValue: 1))
      )
    }
    let (earlier, later) = (label(0.31, at: 1_900_000_000), label(0.86, at: 1_900_000_100))
    let path = Document.label(later).path
    for isInThisHistory in [false, true] {
      var fixups = CommitFixups()
      try fixups.edit(path, from: later.canonicalBytes, to: nil, at: 1_900_000_200)
      fixups.edit(path, from: nil, to: earlier.canonicalBytes, at: 1_900_000_300) {
        DocumentHistory(versions: isInThisHistory ? [later, earlier].map(\.canonicalBytes) : [])
      }
      let fixup = try #require(fixups.documents["\(path)"])
      if isInThisHistory {
        let back = try Label(bytes: try #require(fixup.bytes))
        #expect(back.confidence == earlier.confidence)
        #expect(back.stamp.milliseconds == 1_900_000_300_000)
      } else {
        // It asserts nothing that was not known when the label was removed.
        #expect(fixup.bytes == nil)
        #expect(fixups.removed["\(path)"] == later.canonicalBytes)
        // Removing it again, as cairn itself does, keeps the removed version.
        try fixups.edit(path, from: earlier.canonicalBytes, to: nil, at: 1_900_000_400)
        #expect(fixups.removed["\(path)"] == later.canonicalBytes)
      }
    }
  }

  @Test("counts only the changed fields of an older version as new edits")
  func reappearsOlderAndChanged() throws {
    let path = DocumentPath.pin(pinID)
    func stamp(_ second: Int64) -> Stamp {
      Stamp(milliseconds: second * 1000, counter: 0, replica: ReplicaID(rawValue: 1))
    }
    var base = try #require(try pin(a))
    base.name = Register("name", stamp(5))
    base.location = Register(Coordinate(latitude: 1, longitude: 2)!, stamp(2))
    var last = base
    last.name = Register("a later name", stamp(9))
    var back = base
    let byHand = Coordinate(latitude: 3, longitude: 4)!
    back.location = Register(byHand, stamp(2))
    var moved = last
    moved.location = Register(Coordinate(latitude: 5, longitude: 6)!, stamp(9))
    for last in [last, moved] {
      var fixups = CommitFixups()
      try fixups.edit(path, from: last.canonicalBytes, to: nil, at: 1_900_000_000)
      // The name was changed without its stamp before, so the name that reappears is no edit.
      var unstamped = base
      unstamped.name = Register("later a name of its own", stamp(5))
      fixups.edit(path, from: nil, to: back.canonicalBytes, at: 1_900_000_001) {
        DocumentHistory(versions: [last, unstamped, base].map(\.canonicalBytes))
      }
      let fixup = try Pin(bytes: try #require(fixups.documents["\(path)"]?.bytes))
      #expect(fixup.name == last.name)
      #expect(fixup.location.value == byHand)
      #expect(fixup.location.stamp.milliseconds == 1_900_000_001_000)
    }
  }

  @Test("uses the last version of a removed document that another tool's merge keeps")
  func keptByMerge() throws {
    let label = try #require(try a.labels().first)
    let path = Document.label(label).path
    var later = label
    later.verdict = .withdrawn
    later.stamp = label.stamp.successor(by: label.stamp.replica)
    var fixups = CommitFixups()
    try fixups.merge(
      path, expected: nil, result: label.canonicalBytes, removed: later.canonicalBytes,
      isChosen: true
    ) { ([label.json], nil) }
    #expect(fixups.documents["\(path)"]?.bytes == later.canonicalBytes)
    fixups = CommitFixups()
    try fixups.merge(path, expected: nil, result: Array("{".utf8), isChosen: true)
    #expect(try #require(fixups.documents["\(path)"]).bytes == nil)
  }

  @Test("merges a version that a rebase adds where another tool's merge dropped the document")
  func replayedOntoDrop() throws {
    func label(_ verdict: Verdict, at time: Int64) -> [UInt8] {
      Label(
        photo: photoID(1), classKey: ClassKey("oak")!,
        annotator: Annotator("human:bob@example.org")!, verdict: verdict,
        stamp: Stamp(milliseconds: time * 1000, counter: 0, replica: ReplicaID(rawValue: 1))
      ).canonicalBytes
    }
    let dropped = label(.absent, at: 1_900_000_100)
    let path = Document.label(try Label(bytes: dropped)).path
    func fixup(adding new: [UInt8], history: [[UInt8]] = []) throws -> [UInt8]? {
      var fixups = CommitFixups()
      try fixups.merge(path, expected: dropped, result: nil, isChosen: true)
      #expect(fixups.documents["\(path)"]?.bytes == dropped)
      fixups.edit(path, from: nil, to: new, at: 1_900_000_300) {
        DocumentHistory(versions: history)
      }
      return fixups.documents["\(path)"]?.bytes
    }
    let earlier = label(.present, at: 1_900_000_000)
    #expect(try fixup(adding: earlier) == dropped)
    #expect(try fixup(adding: label(.present, at: 1_900_000_200)) == nil)
    #expect(try fixup(adding: dropped) == nil)
    // A person restores an earlier version of this history.
    let restored = try Label(bytes: try #require(try fixup(adding: earlier, history: [earlier])))
    #expect(restored.verdict == .present)
    #expect(restored.stamp.milliseconds == 1_900_000_300_000)
  }

  @Test("keeps a document removed when git merges after a rebase re-added it")
  func replayedAndMerged() throws {
    let label = try #require(try b.labels().first)
    let path = Document.label(label).path.description
    let root = b.directory.root
    func commit(_ message: String) throws {
      try devices.git("add", "-A", at: root)
      try devices.git("commit", "-qm", message, at: root)
    }
    // An earlier label of the same person, on a branch that starts before the current label.
    var earlier = label
    earlier.verdict = .absent
    earlier.stamp = Stamp(
      milliseconds: label.stamp.milliseconds - 5000, counter: 0, replica: label.stamp.replica)
    try devices.git("rm", "-q", path, at: root)
    try commit("away")
    try b.directory.write(earlier.canonicalBytes, to: path)
    try commit("replayed")
    try devices.git("checkout", "-qb", "side", "HEAD~1", at: root)
    try b.directory.write(Array("text\n".utf8), to: "notes.txt")
    try commit("side")
    try devices.git("checkout", "-q", "main", at: root)
    try devices.git("merge", "-q", "--no-ff", "--no-edit", "side", at: root)
    let head = try #require(try b.repository.head())
    let fixups = try b.fixups(of: head, excluding: [])
    #expect(try #require(fixups.documents[path]).bytes == nil)
    #expect(fixups.removed[path] == label.canonicalBytes)
  }

  @Test("restores the last valid version as a new edit when a document reappears broken")
  func brokenAndBack() throws {
    let label = try #require(try a.labels().first)
    let path = Document.label(label).path
    let broken = Array("<<<<<<< ours\n".utf8) + label.canonicalBytes
    var fixups = CommitFixups()
    try fixups.edit(path, from: label.canonicalBytes, to: broken, at: 1_900_000_000)
    #expect(fixups.documents["\(path)"]?.bytes == label.canonicalBytes)
    try fixups.edit(path, from: broken, to: nil, at: 1_900_000_001)
    #expect(fixups.documents.isEmpty)
    #expect(fixups.removed["\(path)"] == label.canonicalBytes)
    try fixups.edit(path, from: nil, to: broken, at: 1_900_000_002)
    let back = try Label(bytes: try #require(fixups.documents["\(path)"]?.bytes))
    #expect(back.verdict == label.verdict)
    #expect(back.stamp.milliseconds == 1_900_000_002_000)
    #expect(fixups.removed.isEmpty)
  }

  @Test("removes a document that one side removed and the other broke, even if a merge keeps it")
  func removedAndBroken() throws {
    let path = DocumentPath.pin(pinID).description
    let text = try #require(try a.directory.read(path))
    try devices.git("rm", "-q", path, at: b.directory.root)
    try devices.git("commit", "-qm", "gone", at: b.directory.root)
    try a.directory.write(Array("<<<<<<< ours\n".utf8) + text, to: path)
    try devices.git("commit", "-qam", "broken", at: a.directory.root)
    // A merge that keeps all of our side, including the broken document.
    try devices.git("fetch", "-q", b.directory.root.string, "main", at: a.directory.root)
    _ = try? devices.git(
      "merge", "-q", "-s", "ours", "--no-edit", "FETCH_HEAD", at: a.directory.root)
    let c = try devices.clone("c")
    try c.addRemote("a", a.directory.root.string, creating: false, relativeTo: devices.root)
    let report = try c.pull("a")
    #expect(report.merge.fixups.map(\.path) == [path])
    #expect(try c.directory.read(path) == nil)
  }

  @Test("restores the right pointer to an image, even if it was changed before it was removed")
  func changedPointer() throws {
    let repository = a.repository
    let writer = LooseObjectWriter(repository)
    let photo = photoDocument(7)
    let image = DocumentPath.image(photo.id, .png).description
    let pointer = Pointer(id: photo.id, size: 1).bytes
    func commit(_ changes: [String: [UInt8]?], on parent: ObjectID) throws -> ObjectID {
      let tree = try repository.edit(
        try repository.commit(parent).tree,
        try changes.map { ($0, try $1.map { TreeNode(.file, try writer.write(.blob, $0)) }) },
        writer: writer)
      let by = try a.author()
      return try writer.write(
        Commit(tree: tree, parents: [parent], author: by, committer: by, message: "test"))
    }
    let start = try commit(
      [DocumentPath.photo(photo.id).description: photo.canonicalBytes, image: pointer],
      on: try #require(try repository.head()))
    let changed = try commit([image: Pointer(id: photo.id, size: 2).bytes], on: start)
    let removed = try commit([image: nil], on: changed)
    let other = try commit(["notes.txt": Array("text\n".utf8)], on: start)
    for (ours, theirs) in [(removed, other), (other, removed)] {
      let tree = try a.mergeTrees(ours, theirs, writer: writer).tree
      #expect(try repository.file(at: image, in: tree) == pointer)
    }
  }

  @Test("restores a photo with its image, even if the image was removed before the merge base")
  func imageRemovedBeforeBase() throws {
    let repository = a.repository
    let writer = LooseObjectWriter(repository)
    func merge(_ ours: ObjectID, _ theirs: ObjectID) throws -> ObjectID {
      let tree = try a.mergeTrees(ours, theirs, writer: writer).tree
      return try writer.write(try a.mergeCommit(of: ours, theirs, tree: tree))
    }
    func label(_ name: String) -> (String, [UInt8]) {
      let label = Label(
        photo: photoID(7), classKey: ClassKey(name)!,
        annotator: Annotator("human:bob@example.org")!, verdict: .present, stamp: .given)
      return (Document.label(label).path.description, label.canonicalBytes)
    }
    let photo = photoDocument(7)
    let path = DocumentPath.photo(photo.id).description
    let image = DocumentPath.image(photo.id, .png).description
    let start = try a.commitByGit(
      [path: photo.canonicalBytes, image: Pointer(id: photo.id, size: 1).bytes],
      on: try #require(try repository.head()))
    // git removes the image, then the photo; cairn's merge of the first brings the image back.
    let withoutImage = try a.commitByGit([image: nil], on: start)
    let other = try a.commitByGit(["notes.txt": Array("text\n".utf8)], on: start)
    let base = try merge(withoutImage, other)
    #expect(try repository.node(at: image, in: repository.commit(base).tree) != nil)
    let withoutPhoto = try a.commitByGit([path: nil], on: withoutImage)
    let lines = try a.commitByGit(["notes.txt": Array("text\n".utf8)], on: withoutPhoto, other)
    let removed = try merge(base, lines)
    let (labelPath, bytes) = label("oak")
    let labeled = try a.commitByGit([labelPath: bytes], on: base)
    for (ours, theirs) in [(labeled, removed), (removed, labeled)] {
      let tree = try repository.commit(try merge(ours, theirs)).tree
      for path in [labelPath, path, image] {
        #expect(try repository.node(at: path, in: tree) != nil, "\(path)")
      }
    }
  }

  @Test("restores a document with the edits before its removal, not as a later commit has it")
  func lastVersion() throws {
    let path = DocumentPath.pin(pinID)
    let head = try #require(try a.repository.head())
    var edited = try #require(try pin(a))
    edited.name = Register("by hand", edited.name.stamp)
    let renamed = try a.commitByGit(
      [path.description: edited.canonicalBytes], on: head, at: 1_900_000_001)
    let removed = try a.commitByGit([path.description: nil], on: renamed, at: 1_900_000_002)
    let other = try a.commitByGit(["notes.txt": [10]], on: head, at: 1_900_000_003)
    let merged = try a.commitByGit(
      [path.description: nil], on: other, removed, at: 1_900_000_004)
    let last = try Pin(bytes: try #require(try a.lastVersion(of: path, upTo: merged)))
    #expect(last.name.value == "by hand")
    #expect(last.name.stamp.milliseconds == 1_900_000_001_000)
  }
}
