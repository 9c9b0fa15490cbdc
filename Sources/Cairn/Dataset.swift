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
@_exported public import CairnImages
@_exported public import CairnSources
@_exported public import CairnSync
@_exported public import CairnTrust
public import SystemPackage

/// A dataset of labelled photos on this disk, and everything that can be done with it.
///
/// Every method that changes something takes the dataset's lock while it does, not while it waits for
/// a remote, and leaves the dataset whole if it is cut short. Every error it throws is a ``CairnError``.
public final class Dataset {
  let replica: Replica
  private var openIndex: DatasetIndex?

  /// Called once when another process holds the lock, with what that process says of itself.
  public var onWait: (String?) -> Void {
    get { replica.onWait }
    set { replica.onWait = newValue }
  }

  /// Called while the index follows what happened, with what is being done, how much of it is done,
  /// and how much there is.
  public var onProgress: (_ what: String, _ done: Int, _ total: Int) -> Void = { _, _, _ in }

  /// Called when objects were put together after a command, here or at a remote.
  public var onUpkeep: (UpkeepReport) -> Void {
    get { replica.onUpkeep }
    set { replica.onUpkeep = newValue }
  }

  var directory: DatasetDirectory { replica.directory }
  var world: World { replica.world }

  /// The top of the work tree.
  public var root: FilePath { directory.root }

  private init(_ replica: Replica) { self.replica = replica }

  /// Opens the dataset that `path` lies in.
  ///
  /// - Parameter command: The `cairn` program, for git to run.
  public convenience init(
    at path: FilePath, command: FilePath? = nil, world: World = .machine
  ) throws(CairnError) {
    self.init(try translating { try Replica.open(path, world: world) })
    replica.command = command
  }

  /// Starts a dataset in a directory, which may be a git repository already.
  ///
  /// - Parameter name: What people call it; nil for the directory's name.
  /// - Parameter command: The `cairn` program, for git to run where git-lfs is not installed.
  public static func create(
    at path: FilePath, name: String? = nil, command: FilePath? = nil, world: World = .machine
  ) throws(CairnError) -> Dataset {
    try translating {
      let directory = world.files.resolve(path) ?? path.lexicallyNormalized()
      let name = name ?? directory.lastComponent?.string ?? "dataset"
      return Dataset(try Replica.create(path, name: name, command: command, world: world))
    }
  }

  /// Copies a dataset from a remote into a new directory.
  ///
  /// - Parameter base: Where a relative address starts.
  /// - Parameter part: Which documents to check out.
  public static func clone(
    _ address: String, to path: FilePath, relativeTo base: FilePath, part: DatasetPart = .all,
    command: FilePath? = nil, options: TransferOptions = TransferOptions(), world: World = .machine
  ) throws(CairnError) -> (dataset: Dataset, checkout: CheckoutReport, images: ImageArrival) {
    try translating {
      let (replica, checkout, images) = try Replica.clone(
        address, to: path, relativeTo: base, part: { try part.cone(in: $1, of: $0) },
        command: command, options: options, world: world)
      return (Dataset(replica), checkout, images)
    }
  }

  /// Takes the right to write for the duration of `body`.
  func edit<Value>(
    _ command: String, _ body: (EditSession) throws -> Value
  ) throws(CairnError) -> Value {
    try keepingInShape { try replica.editing(command, body) }
  }

  /// Runs `body`, which takes the right to write itself where it must, and puts objects together
  /// afterwards where that pays.
  func keepingInShape<Value>(_ body: () throws -> Value) throws(CairnError) -> Value {
    try translating {
      let value = try body()
      replica.keepInShape()
      return value
    }
  }

  /// Answers a question from the index, after bringing it up to date.
  ///
  /// An index that is damaged, or that was made from objects that are gone, is made anew; where the
  /// disk cannot be written, in memory.
  ///
  /// - Parameter resolved: Whether the question is about what stands, too.
  func query<Value>(
    resolved: Bool = false, _ body: (IndexReader) throws -> Value
  ) throws -> Value {
    let path = directory.indexDatabase.string
    let ways: [() throws -> DatasetIndex] = [
      { try self.openIndex ?? DatasetIndex(path: path) },
      {
        DatasetIndex.delete(path: path)
        return try DatasetIndex(path: path)
      },
    ]
    for open in ways {
      do {
        return try answer(from: open(), resolved: resolved, body)
      } catch is IndexError {
        openIndex = nil
      }
    }
    return try answer(from: .inMemory(), resolved: resolved, body)
  }

  /// Returns the index as it was left; nil where it cannot be used.
  func unchangedIndex() -> DatasetIndex? {
    if let openIndex { return openIndex }
    openIndex = try? DatasetIndex(path: directory.indexDatabase.string)
    return openIndex
  }

  private func answer<Value>(
    from index: DatasetIndex, resolved: Bool, _ body: (IndexReader) throws -> Value
  ) throws -> Value {
    try update(index)
    if resolved { try resolve(index) }
    openIndex = index
    return try index.read(body)
  }

  /// The name of the dataset.
  public func name() throws(CairnError) -> String {
    try translating { try replica.manifest().name.value }
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
