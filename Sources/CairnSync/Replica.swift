internal import CairnBase
package import CairnDocument
internal import CairnFiles
package import CairnGit
package import CairnStore
internal import CairnTransport
package import SystemPackage

/// One copy of a dataset: its git repository and its directory, together.
package final class Replica {
  package let repository: Repository
  package let directory: DatasetDirectory
  /// The path of the `cairn` program that git runs; nil if there is none.
  package var command: FilePath?

  /// The number of files in the work tree from which commits check only files written by cairn.
  var largeCheckout = 50_000
  /// The number of directories of the work tree that were listed so far: a cost that tests limit.
  package internal(set) var directoriesListed = 0
  /// The resolution of the times of directories, in nanoseconds.
  var directoryTimeResolution = DirectoryCache.resolution
  /// The number of objects of an import after which another pack begins.
  var importPackLimit = PackWriter.packLimit

  /// Whether the commits of other tools could not be checked, because a shallow clone is offline.
  var hasSkippedFixups = false

  /// The directories of the sparse checkout; nil when all files are checked out.
  package internal(set) var sparseCone: SparseCone?

  /// The operation that edits belong to; nil if each is one of its own.
  package var operation: RecordedOperation?

  /// Whether edits are recorded, so that they can be undone.
  package var recordsOperations = true

  /// Called once when another process holds the write lock, with that process's description.
  package var onWait: (String?) -> Void = { _ in }

  /// Called after a clone made by git has been configured for images and documents.
  package var onConfigure: () -> Void = {}

  /// Called when a command has run maintenance, on this copy or on a remote.
  package var onMaintenance: (MaintenanceReport) -> Void = { _ in }

  /// The maximum rate of image transfers, in bytes per second; nil for the configured one
  /// (`cairn.bwlimit`), or none.
  package var bytesPerSecond: Int?

  /// Called with photos whose images are erased, before the images themselves are deleted, to delete
  /// what was derived from them.
  package var onErase: (Set<PhotoID>) throws -> Void = { _ in }

  /// The names and passwords that remotes have accepted.
  let credentials = CredentialCache()

  /// The trees of intermediate merges, keyed by the commits that they merge.
  var mergedTrees: [[ObjectID]: ObjectID] = [:]
  /// The trees of the history up to the most recently requested commit.
  var historyTrees: (tip: ObjectID, trees: [ObjectID], isComplete: Bool)?
  /// The fixups for the histories up to some commits since cairn last checked them.
  var checkedFixups: [ObjectID: CommitFixups] = [:]

  /// The erased images that were deleted here since a report took them, and files with their names
  /// that were kept.
  var deletedImages: (photos: Set<PhotoID>, changed: Set<String>) = ([], [])
  /// The photos of the erasures in a tree of erasures.
  var erasureTree: (id: ObjectID, photos: Set<PhotoID>)?

  /// The last versions of pruned photos that were looked for.
  var formerPhotos: [PhotoID: Photo] = [:]

  /// Called after the history was rewritten without erased facts, to close what is open of the files
  /// that were derived from the old one.
  package var onRewrite: () -> Void = {}

  /// The tree of erasures whose facts were noted last.
  var notedErasures: ObjectID?
  /// What commits become without the facts that are known to be erased.
  var historyRewrite: HistoryRewrite?
  /// How much of the history was rewritten here since a report took it.
  var rewrittenHistory = RedactionReport()

  /// A tree without files that cannot stay: one that was read as a whole, or will be.
  var acceptedTree: ObjectID?

  /// The fixups for the commits up to the last one, while git's conflicts with it are resolved.
  var headFixups: (head: ObjectID, fixups: CommitFixups)?

  package var environment: Environment { directory.environment }

  init(
    repository: Repository, root: FilePath, environment: Environment, completing: Bool = true
  ) throws {
    self.repository = repository
    if completing { repository.completion = environment.completion }
    directory = DatasetDirectory(
      root: root, gitDirectory: repository.gitDirectory,
      blobs: try repository.blobStore(environment),
      environment: environment)
    // Without an index git has checked nothing out, so no file can be missing.
    sparseCone = try repository.sparseCone() ?? (hasIndex ? nil : SparseCone(directories: []))
  }

  /// Opens the dataset that contains `path`: the nearest directory upwards that has a `.git`.
  ///
  /// - Parameter completing: Whether to fetch objects that a shallow or partial clone left out, with
  ///   the programs that its configuration names.
  /// - Throws: ``StoreError/notADataset(_:)`` when there is none or it has no manifest,
  ///   ``StoreError/invalidDocument(path:_:)`` when the manifest does not parse or has a later
  ///   format.
  package static func open(
    _ path: FilePath, environment: Environment, completing: Bool = true
  ) throws -> Replica {
    guard let start = environment.files.resolve(path) else { throw StoreError.notADataset(path) }
    var root = start
    while try !environment.files.exists(root.appending(".git")) {
      guard root.removeLastComponent() else { throw StoreError.notADataset(path) }
    }
    let repository = try Repository.open(root, files: environment.files)
    guard let workTree = repository.workTree else { throw StoreError.notADataset(path) }
    // Without the setting, a linked work tree may have been moved.
    if try repository.configuration("core.worktree") != nil,
      environment.files.resolve(workTree) != root
    {
      throw GitError(
        .unsupported,
        "the repository at \(root) has its files in another directory (core.worktree), which cairn "
          + "does not support",
        remedy: "git -C \(shellQuoted(root.string)) config --unset core.worktree")
    }
    let replica = try Replica(
      repository: repository, root: root, environment: environment, completing: completing)
    _ = try replica.manifest()
    return replica
  }

  /// Returns the dataset's manifest from the work tree or, if that does not parse, the last
  /// committed one that does.
  ///
  /// - Parameter forEditing: Whether a file that cannot be read is an error, since the edit would
  ///   replace it.
  package func manifest(forEditing: Bool = false) throws -> Manifest {
    let path = DocumentPath.manifest.description
    let head = try repository.head()
    var working: [UInt8]?
    do {
      working = try directory.readIfSmall(path)
    } catch let error as FileError where error.isOfOneFile {
      if forEditing { throw error }
    }
    let bytes = try working ?? repository.file(at: path, in: repository.tree(ofCommit: head))
    do throws(DocumentError) {
      return try Manifest(bytes: bytes ?? [])
    } catch {
      if error.kind != .newerFormat, let head, let valid = try lastManifest(upTo: head) {
        return try Manifest(bytes: valid)
      }
      if bytes == nil { throw StoreError.notADataset(directory.root) }
      throw StoreError.invalidDocument(path: path, error)
    }
  }

  /// Acquires the write lock, and finishes what a crash may have left half done.
  ///
  /// - Parameter command: The command's name, reported to processes that wait: `commit`.
  package func edit(
    _ command: String, timeout: Int64 = EditSession.timeout
  ) throws -> EditSession {
    let session = try EditSession(
      directory, holder: "cairn \(command) (process \(processID()))", timeout: timeout,
      onWait: onWait)
    sparseCone = try repository.sparseCone()
    try refreshConfiguration()
    try resumeSparseChange()
    try resumeCheckout(session)
    try checkOutAfterClone()
    if session.isAfterCrash {
      try repository.removeTemporaryFiles()
      try Repository.removeUnfinished(in: directory.root, files: environment.files)
      try discardHalfAddedImages()
    }
    if try hasUnfinishedImageURLChange, try interruptedOperation() == nil,
      try repository.headBranch() != nil
    {
      try finishImageURLChange(session)
    }
    do {
      try deleteErasedImages(session: session)
    } catch {
      environment.onMessage("erased images cannot be deleted here yet: \(error)")
    }
    rewriteHistoryIfPossible(session)
    recordEdits(of: session, command)
    return session
  }

  /// Runs `body` with the write lock held.
  package func editing<Value>(
    _ command: String, _ body: (EditSession) throws -> Value
  ) throws -> Value {
    // The lock lasts as long as the session, which must outlive its last use in `body`.
    try withExtendedLifetime(edit(command)) { try body($0) }
  }

  /// Returns the branch that is checked out: `refs/heads/main`.
  package func branch() throws -> String {
    guard let branch = try repository.headBranch() else {
      try checkNothingUnfinished()
      throw SyncError.detachedHead(previous: try repository.previousBranch())
    }
    return branch
  }
}

extension Environment {
  var git: GitProgram? { findProgram("git").map(GitProgram.init) }

  /// How a repository fetches the objects that a shallow or partial clone left out.
  var completion: Completion {
    Completion(git: git, report: onMessage, isCancelled: isCancelled)
  }
}

extension Repository {
  /// Returns the repository's blob store, at the path that is configured as `lfs.storage`.
  func blobStore(_ environment: Environment) throws -> BlobStore {
    let storage = try configuration("lfs.storage") ?? "lfs"
    var environment = environment
    environment.files = files
    return BlobStore(
      directory: commonDirectory.pushing(FilePath(storage)), environment: environment)
  }
}
