import CairnDocument
import CairnFiles
import CairnGit
import CairnStore
import Crypto
import Foundation
import SystemPackage
import Testing

@testable import CairnSync

@Suite("Erasures between copies")
struct ErasureTests {
  private let devices: Devices
  private let a: Replica
  private let b: Replica
  private let image = [UInt8]("a photograph of somebody".utf8)
  private let photo: Photo
  private var path: DocumentPath { .erasure(photo.id) }

  /// A with a photo and its image, and B cloned from it.
  init() throws {
    let photo = Photo(
      id: PhotoID(digest: SHA256.hash(data: image)),
      image: ImageFacts(format: .png, width: 1, height: 1, bytes: image.count), pin: nil,
      source: "x.png")
    self.photo = photo
    devices = try Devices()
    (a, b) = try devices.pair { [image] a in
      try ErasureTests.add(photo, image, to: a)
    }
    #expect(try b.directory.blobs.size(of: photo.id) == image.count)
  }

  private static func add(_ photo: Photo, _ image: [UInt8], to replica: Replica) throws {
    try replica.editing("add") { session in
      try store(image, in: replica.directory.blobs)
      try session.placeBlob(at: .image(photo.id, .png))
      try session.write([.photo(photo)])
    }
  }

  private static func store(_ image: [UInt8], in blobs: BlobStore) throws {
    var rest: [UInt8]? = image
    let staged = try blobs.stage {
      defer { rest = nil }
      return rest
    }
    try blobs.install(staged)
  }

  @discardableResult
  private func erase(_ replica: Replica) throws -> ErasureReport {
    try replica.editing("erase") {
      try replica.erase([photo.id], reason: "a face", session: $0)
    }
  }

  private func hasErasure(_ commit: ObjectID?, _ replica: Replica) throws -> Bool {
    let tree = try replica.repository.tree(ofCommit: commit)
    return try replica.repository.hasFile(at: path.description, in: tree)
  }

  @Test("delete the image in every copy, and keep it out, and labels of offline copies stay")
  func reachesOthers() throws {
    try b.editing("label") { session in
      try session.write([
        .label(
          Label(
            photo: photo.id, classKey: ClassKey("oak")!,
            annotator: Annotator("human:bob@example.org")!, verdict: .present,
            stamp: session.stamp()))
      ])
    }
    let report = try erase(a)
    #expect(report.photos == [photo.id] && report.recorded == [photo.id])
    #expect(try a.directory.blobs.size(of: photo.id) == nil)
    try a.sync()
    #expect(try !a.environment.files.exists(remoteBlobs.path(of: photo.id)))

    let synced = try b.sync()
    #expect(synced.failure == nil && synced.pulls[0].erasures.photos == [photo.id])
    #expect(synced.push?.imagesLeft == 0)
    #expect(try b.directory.blobs.size(of: photo.id) == nil)
    let pointer = Pointer(id: photo.id, size: image.count).bytes
    #expect(try b.directory.read("\(DocumentPath.image(photo.id, .png))") == pointer)
    try a.sync()
    #expect(try a.headTree() == b.headTree() && a.labels().count == 1)
    #expect(try a.workingState().changes.isEmpty && b.workingState().changes.isEmpty)

    for replica in [a, b] {
      #expect(throws: StoreError.erasedBlob(photo.id)) {
        try ErasureTests.store(image, in: replica.directory.blobs)
      }
    }
    let erasure = try #require(try b.erasure(of: photo.id))
    #expect(erasure.erased.value.reason == "a face" && erasure.bytes == image.count)
    #expect(erasure.stores.values.map(\.value) == [.erased])
    // A new clone does not look for it.
    let c = try devices.clone("c")
    #expect(try c.imageInventory().elsewhere == 0 && c.imageInventory().erased == 1)
    #expect(try c.fetchImages(of: nil).left == 0)
  }

  private var remoteBlobs: BlobStore {
    BlobStore(directory: devices.remote.appending("lfs"), environment: a.environment)
  }

  @Test("record what a store did on the pushed branch, also if another one is checked out")
  func otherBranch() throws {
    try erase(a)
    try devices.git("switch", "-c", "topic", at: a.directory.root)
    let before = try a.repository.head()
    let push = try a.push(branch: "refs/heads/main")
    #expect(push.erasures.map(\.erased) == [[photo.id]])
    #expect(try a.repository.head() == before)
    #expect(try a.workingState().changes.isEmpty)
    #expect(try a.erasure(of: photo.id)?.stores.isEmpty == true)
    #expect(try a.repository.reference("refs/heads/main") == push.commit)
    #expect(push.commit != before)
    try devices.git("switch", "main", at: a.directory.root)
    #expect(try a.erasure(of: photo.id)?.stores.values.map(\.value) == [.erased])
    // It has answered.
    #expect(try a.push().erasures.isEmpty)
  }

  @Test("are merged when two copies erase the same photo, and end up equal")
  func twice() throws {
    try erase(a)
    try erase(b)
    try a.sync()
    try b.sync()
    try a.sync()
    try b.sync()
    #expect(try a.headTree() == b.headTree())
    #expect(try a.erasure(of: photo.id) == b.erasure(of: photo.id))
  }

  @Test("come back when git removes them", arguments: [true, false])
  func removedByGit(isFastForward: Bool) throws {
    try erase(a)
    try a.sync()
    try b.sync()
    let head = try #require(try b.repository.head())
    let removed = try b.commitByGit([path.description: nil], on: head)
    #expect(try !hasErasure(removed, b))
    try devices.git("update-ref", "refs/heads/main", "\(removed)", at: b.directory.root)
    try devices.git("push", "-q", "--no-verify", "origin", "main", at: b.directory.root)
    if !isFastForward { try a.label(1, "oak", by: "alice") }
    try a.sync()
    #expect(try hasErasure(a.repository.head(), a))
    // The copy in which git removed it never forgot it.
    #expect(throws: StoreError.erasedBlob(photo.id)) {
      try ErasureTests.store(image, in: b.directory.blobs)
    }
    try b.commit()
    #expect(try hasErasure(b.repository.head(), b))
  }

  @Test("are not removed by a commit of cairn")
  func removedFromIndex() throws {
    try erase(a)
    try devices.git("rm", "-q", path.description, at: a.directory.root)
    try a.commit()
    #expect(try hasErasure(a.repository.head(), a))
  }

  @Test("are finished by the next command when deleting fails")
  func interrupted() throws {
    let blob = a.directory.blobs.path(of: photo.id)
    let broken = try devices.reopen(a) { step, path throws(FileError) in
      if step == .remove, path == blob { throw FileError("remove", path, .ioError) }
    }
    #expect(throws: FileError.self) { try erase(broken) }
    #expect(try a.directory.blobs.size(of: photo.id) != nil)
    let again = try devices.reopen(a)
    try again.label(1, "oak", by: "alice")
    #expect(try again.directory.blobs.size(of: photo.id) == nil)
  }

  @Test("keep a copy from fetching the image before it merges them")
  func fetchedFirst() throws {
    try erase(a)
    _ = try a.push(nil)
    // Somebody else has sent the image again.
    try a.environment.files.remove(devices.remote.appending("lfs").appending("erased"))
    try ErasureTests.store(image, in: remoteBlobs)
    try b.directory.blobs.remove(photo.id)
    try b.environment.files.create(
      b.directory.privateDirectory.appending("images-unfetched"), [])
    let fetched = try b.fetch()
    #expect(fetched.images.transferred == 0 && fetched.images.left == 0)
    #expect(try b.directory.blobs.size(of: photo.id) == nil)
  }

  @Test("delete what other tools restore")
  func broughtBack() throws {
    try erase(a)
    let blob = a.directory.blobs.path(of: photo.id)
    try a.environment.files.createDirectory(blob.removingLastComponent())
    try a.environment.files.create(blob, image)
    try a.label(1, "oak", by: "alice")
    #expect(try a.directory.blobs.size(of: photo.id) == nil)
  }
}
