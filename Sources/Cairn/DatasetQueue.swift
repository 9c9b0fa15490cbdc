public import CairnStore
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

  private let queue = DispatchQueue(label: "cairn.dataset")
  private let running: RunningOperation
  // Used only on the queue.
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
  package init(
    at path: FilePath, command: FilePath? = nil, environment: Environment
  ) throws(CairnError) {
    let running = RunningOperation()
    var environment = environment
    environment.isCancelled = { running.isCancelled }
    environment.progress = { running.report(OperationProgress(step: $0, completed: $1, total: $2)) }
    let dataset = try Dataset(at: path, command: command, environment: environment)
    root = dataset.root
    (self.running, self.dataset) = (running, Confined(dataset))
  }

  /// Opens the dataset that contains `path`.
  public convenience init(at path: String, author: Author? = nil) throws(CairnError) {
    try self.init(at: FilePath(path), author: author)
  }

  /// Starts an operation, and returns immediately.
  ///
  /// - Parameter body: Runs on the queue's thread, after the operations started before it.
  public func start<Value: Sendable>(
    _ body: @escaping @Sendable (Dataset) throws -> Value
  ) -> DatasetOperation<Value> {
    let operation = DatasetOperation<Value>()
    queue.async { [running, dataset] in
      operation.state.finish(running.during(operation.state) { try body(dataset.value) })
    }
    return operation
  }

  /// Runs an operation and returns its result. Cancelling the task cancels the operation.
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

  /// The result, when the operation has ended. Cancelling the task cancels the operation.
  ///
  /// - Throws: What the operation throws, ``CairnError`` for what a ``Dataset`` throws, and
  ///   `CancellationError` if the operation was cancelled before it was finished.
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

/// The progress of an operation.
public struct OperationProgress: Equatable, Sendable, CustomStringConvertible {
  /// What is being done: “sending objects”.
  public let step: String
  /// The number of items that are done.
  public let completed: Int
  /// Zero if it is unknown.
  public let total: Int

  /// The progress as text: “sending objects 12 of 40”.
  public var description: String {
    total > 0 ? "\(step) \(completed) of \(total)" : "\(step) \(completed)"
  }
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

/// The operation that runs on a queue. Its environment asks here, from any thread.
private final class RunningOperation: Sendable {
  private let current = Mutex<(any AnyOperationState)?>(nil)

  var isCancelled: Bool { current.withLock { $0 }?.isCancelled ?? false }

  func report(_ progress: OperationProgress) { current.withLock { $0 }?.report(progress) }

  func during<Value>(
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
