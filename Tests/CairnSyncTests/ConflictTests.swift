import CairnDocument
import CairnGit
import CairnStore
import Crypto
import SystemPackage
import TestSupport
import Testing

@testable import CairnSync

@Suite("Conflicts in git's index")
struct ConflictTests {
  private let devices: Devices
  private let a: Replica

  init() throws {
    devices = try Devices()
    a = try devices.start("a")
  }

  private func label(_ seed: Int, _ key: String, _ verdict: Verdict, at seconds: Int64) -> Label {
    Label(
      photo: photoID(seed), classKey: ClassKey(key)!,
      annotator: Annotator("human:alice@example.org")!, verdict: verdict,
      stamp: Stamp(
        milliseconds: seconds * 1000, counter: 0, replica: ReplicaID(rawValue: UInt32(seconds))))
  }

  private func path(_ label: Label) -> String { Document.label(label).path.description }

  /// Puts a document in conflict, with our version in the work tree.
  private func entries(_ path: String, _ versions: Label...) throws -> [IndexFile.Entry] {
    let writer = LooseObjectWriter(a.repository)
    try a.directory.write(versions[1].canonicalBytes, to: path)
    return try zip(1..., versions).map { stage, label in
      var entry = IndexFile.Entry(
        path: path, node: TreeNode(.file, try writer.write(.blob, label.canonicalBytes)),
        status: .unknown)
      entry.stage = UInt8(stage)
      return entry
    }
  }

  private func setConflicts(_ entries: [IndexFile.Entry]) throws {
    var changes = IndexFile.Changes()
    changes.entries = entries
    try a.repository.updateIndex(changes, in: a.headTree())
  }

  @Test("of two pointers to models in conflict, the one that the path names is right")
  func model() throws {
    let path = DocumentPath.model(photoID(3)).description
    let (other, own) = (Pointer(id: photoID(4), size: 1), Pointer(id: photoID(3), size: 1))
    try a.directory.write(other.bytes, to: path)
    let writer = LooseObjectWriter(a.repository)
    try setConflicts(
      try [(2, other), (3, own)].map { stage, pointer in
        var entry = IndexFile.Entry(
          path: path, node: TreeNode(.file, try writer.write(.blob, pointer.bytes)),
          status: .unknown)
        entry.stage = UInt8(stage)
        return entry
      })
    #expect(try a.resolveConflicts() == [path])
    let entries = try a.repository.readIndex().entries.filter { $0.path == path }
    try #require(entries.map(\.stage) == [0])
    #expect(try a.repository.blob(entries[0].node.id) == own.bytes)
    #expect(try a.directory.read(path) == own.bytes)
  }

  @Test("of two models in conflict that are no pointers, the one that the path names is right")
  func modelBytes() throws {
    let (other, own) = ([UInt8]("another model".utf8), [UInt8]("the model".utf8))
    let id = PhotoID(digest: SHA256.hash(data: own))
    let path = DocumentPath.model(id).description
    try a.directory.write(other, to: path)
    let writer = LooseObjectWriter(a.repository)
    try setConflicts(
      try [(2, other), (3, own)].map { stage, bytes in
        var entry = IndexFile.Entry(
          path: path, node: TreeNode(.file, try writer.write(.blob, bytes)), status: .unknown)
        entry.stage = UInt8(stage)
        return entry
      })
    #expect(try a.resolveConflicts() == [path])
    let entries = try a.repository.readIndex().entries.filter { $0.path == path }
    try #require(entries.map(\.stage) == [0])
    let pointer = Pointer(id: id, size: own.count)
    #expect(try a.repository.blob(entries[0].node.id) == pointer.bytes)
    #expect(try a.directory.read(path) == own)
  }

  @Test("keeps the latest of three versions when git pairs a label with another one in conflict")
  func pairedWithConflict() throws {
    // One pair would pass by chance in half of all orders.
    let seeds = Array(0..<12)
    var conflicts: [IndexFile.Entry] = []
    for seed in seeds {
      let other = label(seed, "elm", .absent, at: 2)
      conflicts += try entries(
        path(other), label(seed, "elm", .present, at: 1), other,
        label(seed, "elm", .withdrawn, at: 4))
      conflicts += try entries(
        path(label(seed, "oak", .present, at: 1)), label(seed, "oak", .present, at: 1),
        label(seed, "oak", .absent, at: 2), label(seed, "elm", .present, at: 3))
    }
    try setConflicts(conflicts)
    _ = try a.resolveConflicts()
    let verdicts = try a.labels().map { "\($0.classKey) \($0.verdict)" }
    #expect(Set(verdicts) == ["elm withdrawn", "oak absent"])
    #expect(verdicts.count == 2 * seeds.count)
    #expect(try a.repository.readIndex().entries.allSatisfy { $0.stage == 0 })
  }

  @Test("reads the last commits once, however many documents are in conflict")
  func costOfConflicts() throws {
    let known = try #require(try a.repository.head())
    var head = known
    for round in 0..<30 {
      let edited = label(100, "oak", round % 2 == 0 ? .present : .absent, at: 1)
      head = try a.commitByGit([path(edited): edited.canonicalBytes], on: head)
    }
    try devices.git("reset", "-q", "--hard", "\(head)", at: a.directory.root)
    try setConflicts(
      (0..<20).flatMap { seed in
        try entries(
          path(label(seed, "elm", .present, at: 1)), label(seed, "elm", .present, at: 1),
          label(seed, "elm", .absent, at: 2), label(seed, "elm", .withdrawn, at: 3))
      })
    let fresh = try devices.reopen(a)
    let before = fresh.repository.objectsRead
    #expect(try fresh.resolveConflicts().count == 20)
    // For each commit: the commit, its parent, trees of both down to the label, and its versions.
    #expect(fresh.repository.objectsRead - before < 30 * 20 + 20 * 10)
  }

  @Test("dates a revert now when git has left the commit of an earlier rebase behind")
  func staleRebaseHead() throws {
    let root = a.directory.root
    func commit(_ text: String) throws {
      try a.directory.write(Array(text.utf8), to: "notes.txt")
      try devices.git("add", "notes.txt", at: root)
      try devices.git("commit", "-qm", text, at: root)
    }
    for text in ["one\n", "two\n", "three\n"] { try commit(text) }
    let head = try #require(try a.repository.head())
    let last = try a.repository.commit(head).author.time
    try devices.git("revert", "--no-edit", "HEAD~1", at: root, status: 1)
    try devices.git("update-ref", "REBASE_HEAD", "\(head)", at: root)
    #expect(try a.interruptedOperation()?.kind == .revert)
    #expect(try a.replayTime() > last)
  }

  @Test("keeps the pointer of an image that is in conflict outside the sparse checkout")
  func imageOutsideCheckout() throws {
    let photo = photoDocument(7)
    let image = DocumentPath.image(photo.id, .png).description
    let pointer = Pointer(id: photo.id, size: 1).bytes
    try a.directory.write(pointer, to: image)
    try a.write { _ in [.photo(photo)] }
    try a.commit()
    try devices.git("sparse-checkout", "set", "--cone", "labels", at: a.directory.root)
    let writer = LooseObjectWriter(a.repository)
    try setConflicts(
      (1...3).map { stage in
        let bytes = Pointer(id: photoID(stage), size: stage).bytes
        var entry = IndexFile.Entry(
          path: image, node: TreeNode(.file, try writer.write(.blob, bytes)), status: .unknown)
        entry.stage = UInt8(stage)
        return entry
      })
    let sparse = try devices.reopen(a)
    #expect(try sparse.resolveConflicts() == [image])
    let entry = try sparse.repository.readIndex()[image]
    #expect(entry?.node.id == ObjectID(hashing: .blob, pointer))
  }
}
