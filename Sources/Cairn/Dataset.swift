@_exported public import CairnBase
@_exported public import CairnDocument
internal import CairnFiles
@_exported public import CairnFormats
@_exported public import CairnGit
@_exported public import CairnIndex
@_exported public import CairnLabelers
@_exported public import CairnMerge
@_exported public import CairnPhotos
@_exported public import CairnReview
@_exported public import CairnStore
@_exported public import CairnSources
@_exported public import CairnSync
@_exported public import CairnMetrics
@_exported public import struct SystemPackage.FileDescriptor
@_exported public import struct SystemPackage.FilePath

/// A dataset of labeled photos on this disk, and every operation on it.
///
/// Every method that changes something holds the dataset's lock while it writes, but not while it
/// waits for a remote, and leaves the dataset consistent if interrupted. Every error it throws is a
/// ``CairnError``.
public final class Dataset {
  let replica: Replica
  private var openIndex: DatasetIndex?
  /// Photos whose images could not be decoded to compute their hashes; they are not tried again.
  var undecodableImages: Set<PhotoID> = []

  /// Called once when another process holds the lock, with that process's description of itself.
  public var onWait: (String?) -> Void {
    get { replica.onWait }
    set { replica.onWait = newValue }
  }

  /// The person whose review history on this device is used, if it is not that of the device's own
  /// user: an annotator's tag. A server sets it for the people it was opened to.
  package var reviewer: String?

  /// Whether edits are recorded as operations, which ``undo(_:dryRun:)`` undoes.
  package var recordsOperations: Bool {
    get { replica.recordsOperations }
    set { replica.recordsOperations = newValue }
  }

  /// Whether edits of labels, classes, pins, runs, splits and the policy write nothing, and only
  /// return what they would change.
  public var isDryRun = false

  /// Called when a clone made by git has been configured. Until then, git treats images as ordinary
  /// files.
  public var onConfigure: () -> Void {
    get { replica.onConfigure }
    set { replica.onConfigure = newValue }
  }

  /// Called when maintenance has packed objects after a command, here or at a remote.
  public var onMaintenance: (MaintenanceReport) -> Void {
    get { replica.onMaintenance }
    set { replica.onMaintenance = newValue }
  }

  var directory: DatasetDirectory { replica.directory }
  /// The maximum rate of image transfers, in bytes per second; nil for the configured one
  /// (`cairn.bwlimit`), or none.
  public var bytesPerSecond: Int? {
    get { replica.bytesPerSecond }
    set { replica.bytesPerSecond = newValue }
  }

  var environment: Environment { replica.environment }

  /// The top of the work tree.
  public var root: FilePath { directory.root }

  private init(_ replica: Replica) {
    self.replica = replica
    let derived = DerivedData(
      directory: replica.directory.privateDirectory, files: replica.environment.files)
    replica.onErase = { try derived.erase($0) }
    replica.onRewrite = { [weak self] in self?.openIndex = nil }
  }

  /// Opens the dataset that contains `path`.
  ///
  /// - Parameters:
  ///   - author: The person who labels and commits; nil for the one in git's configuration.
  ///   - command: The `cairn` program, which git runs to merge and filter files, or another program
  ///     with the commands of ``GitCommands``; nil to leave git's configuration unchanged.
  ///   - onMessage: Called with a message for people before an operation that takes a while.
  ///   - onProgress: Called with the progress of every operation, by one thread at a time.
  ///   - isCancelled: Polled by every operation; true stops it as soon as it can leave the dataset
  ///     consistent.
  ///   - onMissingIdentity: Called when git's configuration does not name the person; returns the
  ///     person to record, or nil to fail with ``CairnError/Kind/noIdentity``.
  /// - Throws: ``CairnError/Kind/notADataset`` when no directory above `path` is a dataset,
  ///   ``CairnError/Kind/newerFormat`` when it needs a later version of cairn.
  public convenience init(
    at path: FilePath, author: Author? = nil, command: FilePath? = nil,
    onMessage: @escaping @Sendable (String) -> Void = { _ in },
    onProgress: @escaping @Sendable (OperationProgress) -> Void = { _ in },
    isCancelled: @escaping @Sendable () -> Bool = { false },
    onMissingIdentity: @escaping @Sendable () -> Author? = { nil }
  ) throws(CairnError) {
    try self.init(
      at: path, command: command,
      environment: .machine(author, onMessage, onProgress, isCancelled, onMissingIdentity))
  }

  /// Opens the dataset that contains `path`.
  public convenience init(at path: String, author: Author? = nil) throws(CairnError) {
    try self.init(at: FilePath(path), author: author)
  }

  /// - Parameter command: The `cairn` program, for git to run.
  package convenience init(
    at path: FilePath, command: FilePath? = nil, environment: Environment
  ) throws(CairnError) {
    self.init(try translating { try Replica.open(path, environment: environment) })
    replica.command = command
  }

  /// Creates a dataset in a directory, which may already be a git repository.
  ///
  /// - Parameters:
  ///   - name: The display name; nil for the directory's name.
  ///   - author: The person who labels and commits; nil for the one in git's configuration.
  ///   - command: The `cairn` program, for git to run where git-lfs is not installed.
  ///   - onMessage: Called with a message for people before an operation that takes a while.
  ///   - onProgress: Called with the progress of every operation of the dataset.
  ///   - isCancelled: Polled by every operation of the dataset; true stops it.
  ///   - onMissingIdentity: Called when git's configuration does not name the person; returns the
  ///     person to record, or nil to fail with ``CairnError/Kind/noIdentity``.
  /// - Throws: ``CairnError/Kind/exists`` when the directory is already a dataset.
  public static func create(
    at path: FilePath, name: String? = nil, author: Author? = nil, command: FilePath? = nil,
    onMessage: @escaping @Sendable (String) -> Void = { _ in },
    onProgress: @escaping @Sendable (OperationProgress) -> Void = { _ in },
    isCancelled: @escaping @Sendable () -> Bool = { false },
    onMissingIdentity: @escaping @Sendable () -> Author? = { nil }
  ) throws(CairnError) -> Dataset {
    try create(
      at: path, name: name, command: command,
      environment: .machine(author, onMessage, onProgress, isCancelled, onMissingIdentity))
  }

  /// - Parameter command: The `cairn` program, for git to run where git-lfs is not installed.
  package static func create(
    at path: FilePath, name: String? = nil, command: FilePath? = nil, environment: Environment
  ) throws(CairnError) -> Dataset {
    try translating {
      let directory = environment.files.resolve(path) ?? path.lexicallyNormalized()
      let name = name ?? directory.lastComponent?.string ?? "dataset"
      return Dataset(
        try Replica.create(path, name: name, command: command, environment: environment))
    }
  }

  /// Clones a dataset from a remote into a new directory.
  ///
  /// - Parameters:
  ///   - address: A URL, or the path of a repository.
  ///   - author: The person who labels and commits; nil for the one in git's configuration.
  ///   - base: The directory that a relative address is resolved against.
  ///   - sparse: The documents to check out.
  ///   - command: The `cairn` program, for git to run.
  ///   - onMessage: Called with a message for people before an operation that takes a while.
  ///   - onProgress: Called with the progress of the clone, and of every operation of the dataset.
  ///   - isCancelled: Polled by the clone, and by every operation of the dataset; true stops it. A
  ///     clone that was stopped leaves no files.
  ///   - onMissingIdentity: Called when git's configuration does not name the person; returns the
  ///     person to record, or nil to fail with ``CairnError/Kind/noIdentity``.
  /// - Throws: ``CairnError/Kind/exists`` when the directory is not empty,
  ///   ``CairnError/Kind/unreachable`` when the remote cannot be reached.
  public static func clone(
    _ address: String, to path: FilePath, author: Author? = nil, relativeTo base: FilePath = "/",
    origin: String = "origin", sparse: SparseSelection = .all, command: FilePath? = nil,
    options: TransferOptions = TransferOptions(),
    onMessage: @escaping @Sendable (String) -> Void = { _ in },
    onProgress: @escaping @Sendable (OperationProgress) -> Void = { _ in },
    isCancelled: @escaping @Sendable () -> Bool = { false },
    onMissingIdentity: @escaping @Sendable () -> Author? = { nil }
  ) throws(CairnError) -> ClonedDataset<Dataset> {
    try clone(
      address, to: path, relativeTo: base, origin: origin, sparse: sparse, command: command,
      options: options,
      environment: .machine(author, onMessage, onProgress, isCancelled, onMissingIdentity))
  }

  /// - Parameters:
  ///   - base: The directory that a relative address is resolved against.
  ///   - sparse: The documents to check out.
  package static func clone(
    _ address: String, to path: FilePath, relativeTo base: FilePath, origin: String = "origin",
    sparse: SparseSelection = .all, command: FilePath? = nil,
    options: TransferOptions = TransferOptions(),
    environment: Environment
  ) throws(CairnError) -> ClonedDataset<Dataset> {
    try translating {
      let cloned = try Replica.clone(
        address, to: path, relativeTo: base, origin: origin,
        sparseCone: { try sparse.cone(in: $1, of: $0) }, command: command,
        options: options, environment: environment)
      return ClonedDataset(
        dataset: Dataset(cloned.replica), checkout: cloned.checkout, images: cloned.images,
        fixups: cloned.fixups)
    }
  }

  /// Reports how far a step of the current operation is.
  func report(_ step: String, _ completed: Int, of total: Int) {
    environment.report(step, completed, of: total)
  }

  /// Holds the write lock while `body` runs.
  ///
  /// - Parameter needsPerson: Whether `body` records the current user, who is asked for before.
  func edit<Value>(
    _ command: String, needsPerson: Bool = false, _ body: (EditSession) throws -> Value
  ) throws(CairnError) -> Value {
    if needsPerson { replica.askForPerson() }
    return try runningMaintenance {
      try replica.editing(command) { session in
        session.isDryRun = isDryRun
        return try body(session)
      }
    }
  }

  /// Runs `body`, which takes the write lock itself where it needs to, then runs maintenance where
  /// that pays off.
  func runningMaintenance<Value>(_ body: () throws -> Value) throws(CairnError) -> Value {
    try translating {
      let value = try body()
      if !isDryRun { replica.runMaintenance() }
      return value
    }
  }

  /// Runs a query on the index, after bringing it up to date.
  ///
  /// An index that is damaged, or that was built from objects that no longer exist, is rebuilt; in
  /// memory if the disk is not writable.
  ///
  /// - Parameter resolved: Whether the query also needs resolutions.
  func query<Value>(
    resolved: Bool = false, _ body: (IndexReader) throws -> Value
  ) throws -> Value {
    let path = directory.indexDatabase.string
    let attempts: [() throws -> DatasetIndex] = [
      {
        if let open = self.openIndex, !open.isDeleted { return open }
        return try DatasetIndex(path: path)
      },
      {
        DatasetIndex.delete(path: path)
        return try DatasetIndex(path: path)
      },
    ]
    for open in attempts {
      do {
        return try run(body, on: open(), resolved: resolved)
      } catch is IndexError {
        openIndex = nil
      }
    }
    return try run(body, on: .inMemory(), resolved: resolved)
  }

  /// Runs a query on the index as the last query left it, without looking for changes since; with
  /// resolutions if the last query needed them.
  func queryAgain<Value>(_ body: (IndexReader) throws -> Value) throws -> Value {
    if let openIndex {
      do { return try openIndex.read(body) } catch is IndexError {}
    }
    return try query(resolved: true, body)
  }

  /// Returns the index without updating it; nil if it is unusable.
  func unchangedIndex() -> DatasetIndex? {
    if let openIndex, !openIndex.isDeleted { return openIndex }
    // As long as no other program has built the next one, a deleted index is still the best.
    let path = directory.indexDatabase
    if openIndex != nil, (try? environment.files.exists(path)) != true { return openIndex }
    guard let next = try? DatasetIndex(path: path.string) else { return openIndex }
    let tree = try? next.read { try $0.tree() }
    if openIndex == nil || tree != nil { openIndex = next }
    return openIndex
  }

  private func run<Value>(
    _ body: (IndexReader) throws -> Value, on index: DatasetIndex, resolved: Bool
  ) throws -> Value {
    try update(index)
    if resolved { try resolve(index) }
    openIndex = index
    return try index.read(body)
  }

  /// Returns the name of the dataset.
  public func name() throws(CairnError) -> String {
    try translating { try replica.manifest().name.value }
  }
}

/// A new clone, and what was checked out and fetched.
///
/// `Opened` is a ``Dataset`` or a ``DatasetQueue``.
public struct ClonedDataset<Opened> {
  /// The clone, ready to use.
  public let dataset: Opened
  /// The documents that were checked out.
  public let checkout: CheckoutReport
  /// The images that were fetched, and those that are missing.
  public let images: ImageFetchReport
  /// The fixups for what other tools had committed last.
  public let fixups: [Fixup]
}

extension ClonedDataset: Sendable where Opened: Sendable {}

extension Environment {
  /// The environment of this machine, with an author of its own if one is given.
  static func machine(
    _ author: Author?, _ onMessage: @escaping @Sendable (String) -> Void = { _ in },
    _ onProgress: @escaping @Sendable (OperationProgress) -> Void = { _ in },
    _ isCancelled: @escaping @Sendable () -> Bool = { false },
    _ onMissingIdentity: @escaping @Sendable () -> Author? = { nil }
  ) -> Environment {
    var environment = machine
    environment.author = author
    (environment.onMessage, environment.onProgress) = (onMessage, onProgress)
    (environment.isCancelled, environment.onMissingIdentity) = (isCancelled, onMissingIdentity)
    return environment
  }
}

/// Runs `body` and translates what it throws.
func translating<Value>(_ body: () throws -> Value) throws(CairnError) -> Value {
  do {
    return try body()
  } catch {
    throw CairnError(error)
  }
}
