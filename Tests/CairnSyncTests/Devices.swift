import CairnDocument
import CairnFiles
import CairnGit
import CairnMerge
import CairnStore
import Foundation
import Synchronization
import SystemPackage
import TestSupport
import Testing

@testable import CairnSync

/// A directory with a remote and some devices on one test clock, each with its own directory;
/// removed at the end.
final class Devices {
  private let directory = TemporaryDirectory()
  let remote: FilePath
  private let clock = TestClock()

  init() throws {
    _ = TestIdentity.inUse
    remote = directory.path("remote.git")
    try Replica.createBare(remote, environment: environment())
  }

  var root: FilePath { directory.root }

  /// Returns an environment whose clock advances by a second at each reading.
  func environment(
    fault: (@Sendable (FileSystem.Step, FilePath) throws(FileError) -> Void)? = nil,
    readFault: (@Sendable (FilePath) throws(FileError) -> Void)? = nil
  ) -> Environment {
    Environment(
      now: { [clock] in clock.tick() }, random: { UInt64.random(in: 0 ... .max) },
      files: FileSystem(fault: fault, readFault: readFault))
  }

  /// Creates a dataset on device `name` and pushes it.
  func start(_ name: String) throws -> Replica {
    let replica = try Replica.create(
      root.appending(name), name: "test", command: nil, environment: environment())
    try replica.addRemote("origin", remote.string, creating: false, relativeTo: root)
    _ = try replica.push()
    return replica
  }

  /// Starts device A with what `prepare` writes, and clones B from it.
  func pair(
    sparseCone: SparseCone? = nil, _ prepare: (Replica) throws -> Void
  ) throws -> (a: Replica, b: Replica) {
    let a = try start("a")
    try prepare(a)
    try a.sync()
    return (a, try clone("b", sparseCone: sparseCone))
  }

  /// Starts device A with a pin called “old” and a label of Alice, and clones B from it.
  func pairWithPin() throws -> (a: Replica, b: Replica) {
    try pair { a in
      try a.write { [pinDocument("old", $0.stamp())] }
      try a.label(1, "oak", by: "alice")
    }
  }

  func clone(_ name: String, sparseCone: SparseCone? = nil) throws -> Replica {
    try Replica.clone(
      remote.string, to: root.appending(name), relativeTo: root,
      sparseCone: { _, _ in sparseCone },
      command: nil, environment: environment()
    ).replica
  }

  /// Reopens a device, as another process would.
  func reopen(
    _ replica: Replica,
    fault: (@Sendable (FileSystem.Step, FilePath) throws(FileError) -> Void)? = nil,
    isCancelled: @escaping @Sendable () -> Bool = { false },
    onProgress: @escaping @Sendable (OperationProgress) -> Void = { _ in }
  ) throws -> Replica {
    var environment = environment(fault: fault)
    (environment.isCancelled, environment.onProgress) = (isCancelled, onProgress)
    return try Replica.open(replica.directory.root, environment: environment)
  }

  /// Runs git with the devices' clock and returns its output; fails the test if git exits with
  /// another status.
  @discardableResult
  func git(_ arguments: String..., at directory: FilePath, status: Int32 = 0) throws -> String {
    let date = "@\(clock.tick() / 1000) +0000"
    var command = Command("git", arguments, in: directory.string)
    command.environment = ProcessInfo.processInfo.environment.merging(
      // There are no images with which git-lfs could replace the pointers.
      ["GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date, "GIT_LFS_SKIP_SMUDGE": "1"]) { $1 }
    let output = try command.run()
    try #require(output.status == status, "git \(arguments): \(output.all)")
    return output.all
  }
}

/// A clock that advances by a second at each reading.
private final class TestClock: Sendable {
  private let milliseconds = Atomic<Int64>(1_800_000_000_000)

  func tick() -> Int64 { milliseconds.add(1000, ordering: .relaxed).newValue }
}

extension Replica {
  /// Writes a commit as another tool does: some changes to the tree of its first parent.
  func commitByGit(
    _ changes: [String: [UInt8]?], on parents: ObjectID..., at seconds: Int64 = 1_900_000_000
  ) throws -> ObjectID {
    let writer = LooseObjectWriter(repository)
    let tree = try repository.edit(
      try repository.commit(parents[0]).tree,
      try changes.map { ($0, try $1.map { TreeNode(.file, try writer.write(.blob, $0)) }) },
      writer: writer)
    let gil = Signature(name: "Gil", email: "gil@example.org", time: seconds)
    return try writer.write(
      Commit(tree: tree, parents: parents, author: gil, committer: gil, message: "By hand"))
  }

  /// Writes a label of `person` on the photo with id `photoID(seed)`.
  func label(_ seed: Int, _ classKey: String, by person: String, _ verdict: Verdict = .present)
    throws
  {
    let session = try edit("label")
    try withExtendedLifetime(session) {
      let annotator = Annotator("human:\(person)@example.org")!
      let label = Label(
        photo: photoID(seed), classKey: ClassKey(classKey)!, annotator: annotator,
        verdict: verdict, stamp: session.stamp())
      try session.write([.label(label)])
    }
  }

  /// Writes a label of `person` on each of many photos.
  func label(_ seeds: Range<Int>, _ classKey: String, by person: String) throws {
    try write { session in
      seeds.map { seed in
        .label(
          Label(
            photo: photoID(seed), classKey: ClassKey(classKey)!,
            annotator: Annotator("human:\(person)@example.org")!, verdict: .present,
            stamp: session.stamp()))
      }
    }
  }

  func write(_ documents: (EditSession) -> [Document]) throws {
    let session = try edit("write")
    try withExtendedLifetime(session) { try session.write(documents(session), durable: false) }
  }

  @discardableResult
  func commit() throws -> CommitResult { try commit(session: edit("commit")) }

  @discardableResult
  func pull() throws -> PullReport { try pull(nil) }

  @discardableResult
  func pull(allowUnrelatedHistories: Bool) throws -> PullReport {
    var options = TransferOptions()
    options.allowUnrelatedHistories = allowUnrelatedHistories
    return try pull(options: options)
  }

  @discardableResult
  func sync() throws -> SyncReport { try sync(nil) }

  func headTree() throws -> ObjectID? { try repository.tree(ofCommit: repository.head()) }

  /// Returns the working documents' labels.
  func labels() throws -> [Label] {
    try workingFiles().compactMap { path in
      guard path.hasPrefix("labels/"), let document = DocumentPath(path),
        case .label(let label) = try self.document(at: document)
      else { return nil }
      return label
    }
  }
}

let pinID = PinID(unchecked: "0123456789abcdef0123")

/// Returns the document of the pin with ``pinID``.
func pinDocument(_ name: String, _ stamp: Stamp) -> Document {
  .pin(Pin(id: pinID, at: Coordinate(latitude: 1, longitude: 2)!, name: name, stamp: stamp))
}

/// Returns a photo id derived from a number.
func photoID(_ seed: Int) -> PhotoID {
  var generator = UInt64(truncatingIfNeeded: seed) &* 0x9E37_79B9_7F4A_7C15 | 1
  return PhotoID(
    digest: (0..<32).map { _ in
      generator = generator &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return UInt8(truncatingIfNeeded: generator >> 56)
    })
}

/// Returns a photo with the id `photoID(seed)`, whose image would be one byte.
func photoDocument(_ seed: Int) -> Photo {
  Photo(
    id: photoID(seed), image: ImageFacts(format: .png, width: 1, height: 1, bytes: 1), pin: nil,
    source: "x.png")
}

extension Replica {
  /// Puts a blob into the store.
  func store(_ bytes: [UInt8]) throws -> BlobStore.Staged {
    var rest: [UInt8]? = bytes
    let staged = try directory.blobs.stage {
      defer { rest = nil }
      return rest
    }
    try directory.blobs.install(staged)
    return staged
  }

  /// Adds a photo whose image is in the blob store.
  func addPhoto(_ image: BlobStore.Staged) throws {
    try editing("add") { session in
      try session.placeBlob(at: .image(image.id, .png))
      let facts = ImageFacts(format: .png, width: 1, height: 1, bytes: image.size)
      try session.write([
        .photo(Photo(id: image.id, image: facts, pin: nil, source: "", stamp: session.stamp()))
      ])
    }
  }
}
