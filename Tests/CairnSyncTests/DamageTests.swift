import CairnDocument
import CairnGit
import CairnStore
import SystemPackage
import TestSupport
import Testing

@testable import CairnSync

@Suite("Commits by git that put other things in place of documents")
struct DamageTests {
  private let devices: Devices
  private let a: Replica
  private let b: Replica
  private let photo = photoDocument(7)
  private static let photoPath = DocumentPath.photo(photoID(7)).description
  private static let imagePath = DocumentPath.image(photoID(7), .png).description

  /// A with a photo and its label, and B cloned from it.
  init() throws {
    devices = try Devices()
    a = try devices.start("a")
    try a.directory.write(Pointer(id: photo.id, size: 1).bytes, to: DamageTests.imagePath)
    try a.write { [photo] _ in
      [.photo(photo), .class(LabelClass(key: ClassKey("oak")!, name: "oak"))]
    }
    try a.label(7, "oak", by: "alice")
    try a.commit()
    try devices.git("push", "-q", "--no-verify", "origin", "main", at: a.directory.root)
    b = try devices.clone("b")
  }

  /// Commits and pushes changes of A's last commit with git.
  private func push(_ changes: [String: [UInt8]?]) throws {
    let head = try #require(try a.repository.head())
    let commit = try a.commitByGit(changes, on: head, at: 1_800_000_500)
    try devices.git("reset", "-q", "--hard", "\(commit)", at: a.directory.root)
    try devices.git("push", "-q", "--no-verify", "origin", "main", at: a.directory.root)
  }

  @Test(
    "restores a document or an image in whose place there is a directory",
    arguments: [photoPath, imagePath, "cairn.json", "classes/oak.json"])
  func directory(path: String) throws {
    let before = try #require(try b.repository.file(at: path, in: b.headTree()))
    // Between a file and a directory of one name, git sorts other names.
    let sibling = Pointer(id: photo.id, size: 1).bytes
    try push([path: nil, "\(path)/x": [10], "\(path)-old": sibling])
    try b.label(7, "oak", by: "bob")
    try exchangeWithoutImages([b, a, b])
    for device in [a, b] {
      #expect(try device.repository.file(at: path, in: device.headTree()) == before)
      #expect(try device.directory.read(path) == before)
      #expect(try devices.git("status", "--porcelain", at: device.directory.root) == "")
    }
    #expect(try devices.clone("c").headTree() == b.headTree())
  }

  @Test("the pointer to an image without a photo keeps its size, also beside a later clone")
  func sizeWithoutPhoto() throws {
    let image = DocumentPath.image(photoID(8), .png).description
    let pointer = Pointer(id: photoID(8), size: 1).bytes
    try push([image: pointer])
    try exchangeWithoutImages([b])
    try push([image: Pointer(id: photoID(8), size: 2).bytes])
    let c = try devices.clone("c")
    try exchangeWithoutImages([b, c, a])
    let head = try b.repository.head()
    try exchangeWithoutImages([a, b, c])
    for device in [a, b, c] {
      #expect(try device.repository.file(at: image, in: device.headTree()) == pointer)
      #expect(try device.repository.head() == head)
    }
  }

  @Test("a merge restores the pointer to a model from the history, whatever is on the disk")
  func model() throws {
    let id = try b.store([1, 2, 3]).id
    let path = DocumentPath.model(id)
    // Its size is wrong, which only the model shows.
    let pointer = Pointer(id: id, size: 9).bytes
    try push([path.description: pointer])
    try push([path.description: Pointer(id: photoID(8), size: 9).bytes])
    let c = try devices.clone("c")
    try exchangeWithoutImages([b, c, a, b])
    for device in [a, b, c] {
      #expect(try device.repository.file(at: path.description, in: device.headTree()) == pointer)
    }
    #expect(try a.repository.head() == b.repository.head())

    #expect(try b.isCommittedPointerWrong(at: path))
    #expect(try !c.isCommittedPointerWrong(at: path))
    let repaired = try b.fullyRepaired(try #require(try b.repository.head())).commit
    let tree = try b.repository.tree(ofCommit: repaired)
    #expect(
      try b.repository.file(at: path.description, in: tree) == Pointer(id: id, size: 3).bytes)
  }

  @Test(
    "a label that was removed first stays removed when a directory takes its place",
    arguments: [true, false])
  func directoryAfterRemoval(isPulledBetween: Bool) throws {
    let label = Document.label(try #require(try a.labels().first)).path.description
    try push([label: nil])
    if isPulledBetween { _ = try pull(b) }
    try push(["\(label)/x": [10]])
    _ = try pull(b)
    #expect(try b.labels().isEmpty)
    #expect(try devices.git("ls-files", "labels", at: b.directory.root) == "")
  }

  @Test("restores the manifest when a directory takes its place after it was removed")
  func directoryForRemovedManifest() throws {
    try push(["cairn.json": nil])
    try push(["cairn.json/x": [10]])
    try exchangeWithoutImages([b, a])
    for device in [a, b] {
      #expect(try device.repository.file(at: "cairn.json", in: device.headTree()) != nil)
    }
    #expect(try a.headTree() == b.headTree())
  }

  @Test("restores all images when there is a file in place of their directory")
  func fileForImages() throws {
    try push([DamageTests.imagePath: nil, "images": [10]])
    try exchangeWithoutImages([b, a])
    let pointer = try b.repository.file(at: DamageTests.imagePath, in: b.headTree())
    #expect(pointer == Pointer(id: photo.id, size: 1).bytes)
    #expect(try a.headTree() == b.headTree())
  }

  @Test("clones a dataset with a directory in place of .lfsconfig")
  func directoryForSettings() throws {
    try push([".lfsconfig/x": [10]])
    #expect(try devices.clone("c").repository.head() == a.repository.head())
  }

  @Test("restores the facts about a photo's image when a person edits them")
  func facts() throws {
    let edited = Photo(
      id: photo.id, image: ImageFacts(format: .png, width: 1, height: 1, bytes: 999), pin: nil,
      source: "x.png")
    try push([DamageTests.photoPath: edited.canonicalBytes])
    let report = try pull(b)
    #expect(report.merge.fixups == [Fixup(path: DamageTests.photoPath, reason: .facts)])
    guard case .photo(let found)? = try b.document(at: .photo(photo.id)) else {
      Issue.record("there is no photo")
      return
    }
    #expect(found.image.bytes == 1)
    // The fixup is no edit, whether or not the commit before it is read.
    let fixup = try #require(try b.repository.head())
    let pulled = try b.repository.commit(fixup).parents
    #expect(try b.fixups(of: fixup, excluding: pulled).documents.isEmpty)
    // A commit with cairn keeps them, too.
    try b.directory.write(edited.canonicalBytes, to: DamageTests.photoPath)
    try b.commit()
    let committed = try b.repository.file(at: DamageTests.photoPath, in: b.headTree())
    #expect(committed == photo.canonicalBytes)
  }

  @Test("keeps scripts and symbolic links when a commit removes everything")
  func emptied() throws {
    let writer = LooseObjectWriter(a.repository)
    let head = try #require(try a.repository.head())
    var commit = try a.repository.commit(head)
    let blob = try writer.write(.blob, Array("cairn.json".utf8))
    commit.tree = try a.repository.edit(
      commit.tree, [("script", TreeNode(.executable, blob)), ("link", TreeNode(.symlink, blob))],
      writer: writer)
    let tree = commit.tree
    commit.parents = [head]
    let known = try writer.write(commit)
    commit.tree = try writer.write(.tree, [])
    commit.parents = [known]
    let emptied = try writer.write(commit)
    let fixed = try a.commitWithFixups(emptied, excluding: [known]).commit
    #expect(try a.repository.commit(fixed).tree == tree)
  }

  private func pull(_ device: Replica) throws -> PullReport {
    var options = TransferOptions()
    (options.images, options.sendsImages) = (false, false)
    return try device.pull(options: options)
  }

  /// Syncs devices, in order, without images: there are only pointers.
  private func exchangeWithoutImages(_ order: [Replica]) throws {
    var options = TransferOptions()
    (options.images, options.sendsImages) = (false, false)
    for device in order { _ = try device.sync(options: options) }
  }
}
