import CairnDocument
import CairnGit
import CairnStore
import Testing

@testable import CairnSync

@Suite("Photos that are added again, or shown again after their removal")
struct ReappearingPhotoTests {
  private let devices: Devices
  private let a: Replica
  private let b: Replica

  /// A, and B cloned from it, with a label.
  init() throws {
    devices = try Devices()
    (a, b) = try devices.pair { try $0.label(1, "oak", by: "alice") }
  }

  @Test(
    "restores a photo that is added again only if it was added after its removal",
    arguments: [true, false])
  func addedAgain(isLater: Bool) throws {
    let photo = photoDocument(7)
    var removed = photo
    removed.removed = Register(
      true, Stamp(milliseconds: 1_900_000_000_000, counter: 0, replica: ReplicaID(rawValue: 1)))
    var fixups = CommitFixups()
    let path = DocumentPath.photo(photo.id)
    try fixups.edit(path, from: removed.canonicalBytes, to: nil, at: 1_900_000_010)
    fixups.edit(
      path, from: nil, to: photo.canonicalBytes, at: isLater ? 1_900_000_020 : 1_800_000_000
    ) { DocumentHistory(versions: []) }
    let fixup = fixups.documents["\(path)"]
    if isLater {
      #expect(try Photo(bytes: try #require(fixup?.bytes)).removed.value == false)
    } else {
      // A rebase re-adds it with a date before the removal.
      #expect(fixup != nil && fixup?.bytes == nil)
    }
  }

  @Test(
    "shows a photo that one copy adds after another has removed it, and perhaps pruned it",
    arguments: [true, false], [true, false])
  func addedIndependently(isLater: Bool, isPruned: Bool) throws {
    let repository = a.repository
    let writer = LooseObjectWriter(repository)
    func commit(
      _ photo: Photo?, on parent: ObjectID, at time: Int64
    ) throws -> ObjectID {
      let path = DocumentPath.photo(photoID(7)).description
      let node = try photo.map { TreeNode(.file, try writer.write(.blob, $0.canonicalBytes)) }
      let tree = try repository.edit(
        try repository.commit(parent).tree, [(path, node)], writer: writer)
      let by = Signature(name: "Gil", email: "gil@example.org", time: time)
      return try writer.write(
        Commit(tree: tree, parents: [parent], author: by, committer: by, message: "test"))
    }
    let head = try #require(try repository.head())
    let photo = photoDocument(7)
    var hidden = photo
    hidden.removed = Register(
      true, Stamp(milliseconds: 1_900_000_001_000, counter: 0, replica: ReplicaID(rawValue: 1)))
    let added = try commit(photo, on: head, at: 1_900_000_000)
    var removed = try commit(hidden, on: added, at: 1_900_000_001)
    if isPruned { removed = try commit(nil, on: removed, at: 1_900_000_002) }
    let other = try commit(photo, on: head, at: isLater ? 1_900_000_003 : 1_899_999_999)
    for (ours, theirs) in [(removed, other), (other, removed)] {
      let tree = try a.mergeTrees(ours, theirs, writer: writer).tree
      let bytes = try repository.file(at: DocumentPath.photo(photo.id).description, in: tree)
      let isVisible = try bytes.map { try Photo(bytes: $0).removed.value } == false
      #expect(isVisible == isLater)
    }
  }

  @Test("a pull with an uncommitted label restores a pruned photo with labels never seen here")
  func prunedWithNewLabel() throws {
    try a.write { session in
      [
        .photo(
          Photo(
            id: photoID(1), image: ImageFacts(format: .png, width: 1, height: 1, bytes: 1),
            pin: nil, source: "x.png", stamp: session.stamp()))
      ]
    }
    try a.sync()
    try b.pull()
    // B adds a label, and removes and prunes the photo, before A hears of any of it.
    try b.label(1, "elm", by: "bob")
    try b.commit()
    guard case .photo(var photo)? = try b.directory.document(at: .photo(photoID(1))) else {
      Issue.record("the photo is missing")
      return
    }
    try b.write { session in
      photo.removed = Register(true, session.stamp(replacing: photo.removed.stamp))
      return [.photo(photo)]
    }
    try b.commit()
    let pruned = try b.prune(before: .max, session: try b.edit("gc"))
    #expect(pruned.commit != nil)
    try b.sync()
    try a.label(1, "ash", by: "alice")
    try a.pull()
    try a.commit()
    let labels = try a.repository.tree(ofCommit: a.repository.head()).map { tree in
      var classes: [String] = []
      try a.repository.forEachFile(in: tree, below: DocumentPath.labels(of: photoID(1))) {
        path, _ in
        if case .label(_, let name) = DocumentPath(path) { classes.append(name.classKey.text) }
      }
      return classes
    }
    #expect(labels?.sorted() == ["ash", "elm", "oak"])
  }

  @Test("a pull does not hide a photo that was added here and is not committed yet")
  func addedAndUncommitted() throws {
    let photo = photoDocument(7)
    try b.write { session in
      var hidden = photo
      hidden.removed = Register(true, session.stamp())
      return [.photo(hidden)]
    }
    try b.sync()
    try a.write { _ in [.photo(photo)] }
    try a.pull()
    guard case .photo(let shown)? = try a.directory.document(at: .photo(photo.id)) else {
      Issue.record("the photo is lost")
      return
    }
    #expect(!shown.removed.value)
  }
}
