public import CairnStore
public import CairnSync
internal import Dispatch
internal import Synchronization
public import SystemPackage

/// A dataset that several tasks can use at once.
///
/// The queue runs operations one after the other, on a thread of its own: they never block the
/// threads that Swift's tasks share. An operation gets the ``Dataset`` itself, for as long as it
/// runs.
///
/// ```swift
/// let walk = try DatasetQueue(at: "/home/alice/walk")
/// let open = try await walk.run { try $0.find(PhotoQuery("is:unlabeled")) }
/// print("\(open.count) photos to label")
///
/// let sync = walk.start { try $0.sync() }
/// for await progress in sync.progress { print(progress) }
/// print(try await sync.value)
/// ```
///
/// An operation must not wait for another operation of the same queue: it would wait forever.
public final class DatasetQueue: Sendable {
  /// The top of the work tree.
  public let root: FilePath

  private let thread: OperationThread
  // Used only on the thread.
  private let dataset: Confined<Dataset>

  /// Opens the dataset that contains `path`.
  ///
  /// - Parameter author: The person who labels and commits; nil for the one in git's configuration.
  public convenience init(at path: FilePath, author: Author? = nil) throws(CairnError) {
    try self.init(at: path, environment: .machine(author))
  }

  /// - Parameters:
  ///   - command: The `cairn` program, for git to run.
  ///   - environment: Its cancellation and progress are replaced by those of the operations.
  package convenience init(
    at path: FilePath, command: FilePath? = nil, environment: Environment
  ) throws(CairnError) {
    let thread = OperationThread()
    let dataset = try Dataset(
      at: path, command: command, environment: environment.reporting(to: thread))
    self.init(dataset, on: thread)
  }

  /// Opens the dataset that contains `path`.
  public convenience init(at path: String, author: Author? = nil) throws(CairnError) {
    try self.init(at: FilePath(path), author: author)
  }

  private init(_ dataset: Dataset, on thread: OperationThread) {
    root = dataset.root
    (self.thread, self.dataset) = (thread, Confined(dataset))
  }

  /// Creates a dataset in a directory, which may already be a git repository.
  ///
  /// - Parameters:
  ///   - name: The display name; nil for the directory's name.
  ///   - author: The person who labels and commits; nil for the one in git's configuration.
  /// - Throws: ``CairnError/Kind/exists`` when the directory is already a dataset.
  public static func create(
    at path: FilePath, name: String? = nil, author: Author? = nil
  ) async throws -> DatasetQueue {
    try Task.checkCancellation()
    let thread = OperationThread()
    return try await thread.start {
      let environment = Environment.machine(author).reporting(to: thread)
      return DatasetQueue(
        try Dataset.create(at: path, name: name, environment: environment), on: thread)
    }.value
  }

  /// Starts to clone a dataset from a remote into a new directory, and returns immediately. A clone
  /// that is canceled leaves no files.
  ///
  /// ```swift
  /// let clone = DatasetQueue.startClone("https://example.org/walk.git", to: "/home/bob/walk")
  /// for await progress in clone.progress { print(progress) }
  /// let walk = try await clone.value.dataset
  /// ```
  ///
  /// - Parameters:
  ///   - address: A URL, or the path of a repository.
  ///   - author: The person who labels and commits; nil for the one in git's configuration.
  ///   - sparse: The documents to check out.
  public static func startClone(
    _ address: String, to path: FilePath, author: Author? = nil, sparse: SparseSelection = .all,
    options: TransferOptions = TransferOptions()
  ) -> DatasetOperation<ClonedDataset<DatasetQueue>> {
    let thread = OperationThread()
    return thread.start {
      let clone = try Dataset.clone(
        address, to: path, relativeTo: "/", sparse: sparse, options: options,
        environment: .machine(author).reporting(to: thread))
      return ClonedDataset(
        dataset: DatasetQueue(clone.dataset, on: thread), checkout: clone.checkout,
        images: clone.images, fixups: clone.fixups)
    }
  }

  /// Clones a dataset from a remote into a new directory. Canceling the task cancels the clone, which
  /// then leaves no files.
  ///
  /// - Parameters:
  ///   - address: A URL, or the path of a repository.
  ///   - author: The person who labels and commits; nil for the one in git's configuration.
  ///   - sparse: The documents to check out.
  /// - Throws: ``CairnError/Kind/exists`` when the directory is not empty,
  ///   ``CairnError/Kind/unreachable`` when the remote cannot be reached.
  public static func clone(
    _ address: String, to path: FilePath, author: Author? = nil, sparse: SparseSelection = .all,
    options: TransferOptions = TransferOptions()
  ) async throws -> ClonedDataset<DatasetQueue> {
    try Task.checkCancellation()
    return try await startClone(
      address, to: path, author: author, sparse: sparse, options: options
    ).value
  }

  /// Starts an operation, and returns immediately.
  ///
  /// - Parameter body: Runs on the queue's thread, after the operations started before it.
  public func start<Value: Sendable>(
    _ body: @escaping @Sendable (Dataset) throws -> Value
  ) -> DatasetOperation<Value> {
    thread.start { [dataset] in try body(dataset.value) }
  }

  /// Runs an operation and returns its result. Canceling the task cancels the operation.
  public func run<Value: Sendable>(
    _ body: @escaping @Sendable (Dataset) throws -> Value
  ) async throws -> Value {
    try await start(body).value
  }
}

/// An operation of a ``DatasetQueue``: its progress and its result.
public struct DatasetOperation<Value: Sendable>: Sendable {
  /// The progress, until the operation ends. Steps that nobody has read yet are replaced by the
  /// latest one.
  public let progress: AsyncStream<OperationProgress>

  fileprivate let state: OperationState<Value>

  fileprivate init() {
    let (stream, continuation) = AsyncStream.makeStream(
      of: OperationProgress.self, bufferingPolicy: .bufferingNewest(1))
    progress = stream
    state = OperationState(continuation)
  }

  /// The result, when the operation has ended. Canceling the task cancels the operation.
  ///
  /// - Throws: What the operation throws, ``CairnError`` for what a ``Dataset`` throws, and
  ///   `CancellationError` if the operation was canceled before it was finished, except where it
  ///   returns what it has done so far, such as the photos that were added.
  public var value: Value {
    get async throws {
      try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { state.wait($0) }
      } onCancel: {
        state.cancel()
      }
    }
  }

  /// Stops the operation as soon as it can leave the dataset consistent. What it has written so far
  /// is kept.
  public func cancel() { state.cancel() }
}

/// A value that is used on one dispatch queue only.
private struct Confined<Value>: @unchecked Sendable {
  let value: Value
  init(_ value: Value) { self.value = value }
}

/// The part of an operation's state that does not depend on its result.
private protocol AnyOperationState: AnyObject, Sendable {
  var isCancelled: Bool { get }
  func report(_ progress: OperationProgress)
}

/// The thread of a queue, and the operation that runs on it. The dataset's environment asks here,
/// from any thread.
private final class OperationThread: Sendable {
  private let queue = DispatchQueue(label: "cairn.dataset")
  private let current = Mutex<(any AnyOperationState)?>(nil)

  var isCancelled: Bool { current.withLock { $0 }?.isCancelled ?? false }

  func report(_ progress: OperationProgress) { current.withLock { $0 }?.report(progress) }

  func start<Value: Sendable>(
    _ body: @escaping @Sendable () throws -> Value
  ) -> DatasetOperation<Value> {
    let operation = DatasetOperation<Value>()
    queue.async { [self] in operation.state.finish(during(operation.state, body)) }
    return operation
  }

  private func during<Value>(
    _ state: some AnyOperationState, _ body: () throws -> Value
  ) -> Result<Value, any Error> {
    if state.isCancelled { return .failure(CancellationError()) }
    current.withLock { $0 = state }
    defer { current.withLock { $0 = nil } }
    return Result {
      do {
        return try body()
      } catch let error as CairnError where error.kind == .cancelled {
        throw CancellationError()
      }
    }
  }
}

extension Environment {
  /// Returns the environment with the progress and cancellation of a thread's operations.
  fileprivate func reporting(to thread: OperationThread) -> Environment {
    var environment = self
    environment.isCancelled = { thread.isCancelled }
    environment.onProgress = { thread.report($0) }
    return environment
  }
}

private final class OperationState<Value: Sendable>: AnyOperationState {
  private struct Fields {
    var result: Result<Value, any Error>?
    var waiting: [CheckedContinuation<Value, any Error>] = []
  }

  private let fields = Mutex(Fields())
  private let cancelled = Atomic(false)
  private let continuation: AsyncStream<OperationProgress>.Continuation

  init(_ continuation: AsyncStream<OperationProgress>.Continuation) {
    self.continuation = continuation
  }

  var isCancelled: Bool { cancelled.load(ordering: .relaxed) }

  func cancel() { cancelled.store(true, ordering: .relaxed) }

  func report(_ progress: OperationProgress) { continuation.yield(progress) }

  func finish(_ result: Result<Value, any Error>) {
    let waiting = fields.withLock { fields in
      fields.result = result
      defer { fields.waiting = [] }
      return fields.waiting
    }
    continuation.finish()
    for continuation in waiting { continuation.resume(with: result) }
  }

  func wait(_ continuation: CheckedContinuation<Value, any Error>) {
    let result = fields.withLock { fields in
      if fields.result == nil { fields.waiting.append(continuation) }
      return fields.result
    }
    if let result { continuation.resume(with: result) }
  }
}
