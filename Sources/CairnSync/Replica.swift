public import CairnDocument
internal import CairnFiles
public import CairnGit
public import CairnStore
internal import CairnTransport
public import SystemPackage

/// One copy of a dataset: its git repository and its directory, together.
public final class Replica {
  public let repository: Repository
  public let directory: DatasetDirectory
  /// The `cairn` program, for git to run; nil where there is none.
  public var command: FilePath?

  /// The number of files in the work tree from which on commits look only at what cairn has written.
  var largeCheckout = 50_000

  /// The part that is checked out; nil when all is.
  public internal(set) var part: SparseCone?

  /// Called once when another process has the right to write, with what that process says of itself.
  public var onWait: (String?) -> Void = { _ in }

  /// Called when objects were put together along the way, here or at a remote.
  public var onUpkeep: (UpkeepReport) -> Void = { _ in }

  /// The names and passwords that remotes have accepted.
  let credentials = CredentialMemory()

  /// The trees of merges that were made on the way to others, by what they merge.
  var joinedTrees: [[ObjectID]: ObjectID] = [:]
  /// The trees of the history up to a commit, the last that was asked for.
  var pastTrees: (tip: ObjectID, trees: [ObjectID], isWhole: Bool)?

  public var world: World { directory.world }

  init(repository: Repository, root: FilePath, world: World) throws {
    self.repository = repository
    directory = DatasetDirectory(
      root: root, gitDirectory: repository.gitDirectory, blobs: try repository.blobStore(world),
      world: world)
    part = try repository.sparseCone()
  }

  /// Opens the dataset that `path` lies in: the nearest directory upwards that has a `.git`.
  ///
  /// - Throws: ``StoreError/notADataset(_:)`` when there is none or it has no manifest,
  ///   ``StoreError/invalidDocument(path:_:)`` when the manifest does not read or is of a later
  ///   format.
  public static func open(_ path: FilePath, world: World) throws -> Replica {
    guard let start = world.files.resolve(path) else { throw StoreError.notADataset(path) }
    var root = start
    while try !world.files.exists(root.appending(".git")) {
      guard root.removeLastComponent() else { throw StoreError.notADataset(path) }
    }
    let repository = try Repository.open(root, files: world.files)
    guard repository.workTree != nil else { throw StoreError.notADataset(path) }
    let replica = try Replica(repository: repository, root: root, world: world)
    _ = try replica.manifest()
    return replica
  }

  /// Returns the dataset's manifest as it is in the work tree, or as last committed.
  public func manifest() throws -> Manifest {
    let path = DocumentPath.manifest.description
    let committed = { [repository] in
      try repository.file(at: path, in: try repository.tree(ofCommit: repository.head()))
    }
    guard let bytes = try directory.read(path) ?? committed() else {
      throw StoreError.notADataset(directory.root)
    }
    do throws(DocumentError) {
      return try Manifest(bytes: bytes)
    } catch {
      throw StoreError.invalidDocument(path: path, error)
    }
  }

  /// Takes the right to write, after finishing what a crash may have left half done.
  ///
  /// - Parameter command: What is being done, for whoever has to wait: `commit`.
  public func edit(
    _ command: String, patience: Int64 = EditSession.patience
  ) throws -> EditSession {
    let session = try EditSession(
      directory, holder: "cairn \(command) (process \(processID()))", patience: patience,
      onWait: onWait)
    part = try repository.sparseCone()
    try resumeMove()
    try resumeCheckout(session)
    if session.isAfterCrash {
      try repository.removeTemporaryFiles()
      try discardHalfAddedImages()
    }
    return session
  }

  /// Runs `body` with the right to write.
  public func editing<Value>(
    _ command: String, _ body: (EditSession) throws -> Value
  ) throws -> Value {
    // The right lasts as long as the session, which must not end with its last use in `body`.
    try withExtendedLifetime(edit(command)) { try body($0) }
  }

  /// Returns the branch that is checked out: `refs/heads/main`.
  public func branch() throws -> String {
    guard let branch = try repository.headBranch() else { throw SyncError.detachedHead }
    return branch
  }
}

extension Repository {
  /// The blob store of the repository, where its configuration says (`lfs.storage`).
  func blobStore(_ world: World) throws -> BlobStore {
    let storage = try configuration("lfs.storage") ?? "lfs"
    return BlobStore(directory: commonDirectory.pushing(FilePath(storage)), world: world)
  }
}
