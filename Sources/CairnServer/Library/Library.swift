internal import Cairn
internal import Synchronization
internal import SystemPackage

/// The dataset: one writer, several readers, and workers for images, each on a thread of its own.
///
/// The writer brings the index up to date after each change, so that readers need not check.
final class Library: Sendable {
  private let writer: PersonQueue
  private let readers: [PersonQueue]
  private let workers: [PersonQueue]
  private let background: PersonQueue
  private let writing: Confined<WriterState>
  private let known = Mutex(Known())
  private let images = Mutex(ImageCount())

  private static let readerCount = 2
  private static let queueLimit = 256

  init(_ options: ServeOptions, workerCount: Int) throws {
    func queues(_ count: Int) throws -> [PersonQueue] {
      try (0..<count).map { _ in try PersonQueue(options, limit: Library.queueLimit) }
    }
    writer = try PersonQueue(options, limit: Library.queueLimit)
    readers = try queues(Library.readerCount)
    workers = try queues(workerCount)
    background = try PersonQueue(options, limit: Library.queueLimit)
    writing = Confined(WriterState())
  }

  /// Brings the index up to date before the threads are used.
  func start(_ dataset: Dataset) throws { try update(dataset) }

  var root: FilePath { writer.root }
  var workerCount: Int { workers.count }
  /// The number of operations that the writer runs or that wait for it.
  var waitingWrites: Int { writer.load }

  /// Reads the dataset as a person.
  func read<Value: Sendable>(
    as person: Person?, _ body: @escaping @Sendable (Dataset) throws -> Value
  ) async throws -> Value {
    let reader = readers.min { $0.load < $1.load } ?? writer
    return try await reader.run(as: person, body)
  }

  /// Decodes or reads images, or does other work that blocks.
  func work<Value: Sendable>(
    _ body: @escaping @Sendable (Dataset) throws -> Value
  ) async throws -> Value {
    let worker = workers.min { $0.load < $1.load } ?? writer
    return try await worker.run(as: nil, body)
  }

  /// Changes the dataset as a person. When it returns, the change is on the disk and in the index.
  func write<Value: Sendable>(
    as person: Person?, _ body: @escaping @Sendable (Dataset, WriterState) throws -> Value
  ) async throws -> Value {
    try await writer.run(as: person) { [self] dataset in
      // The update below also reads what other processes have changed.
      if try isStale(dataset) { known.withLock { $0.hasUnreported = true } }
      // A failed operation may have changed something, too. If the update itself fails, the
      // housekeeper repeats it.
      defer { try? update(dataset) }
      return try body(dataset, writing.value)
    }
  }

  /// Brings the index up to date, on the writer's thread.
  private func update(_ dataset: Dataset) throws {
    let mark = try dataset.changeMark()
    // An edit that has changed the mark may not have written its documents.
    let isComplete = try !dataset.isBeingEdited()
    try dataset.updateIndex()
    known.withLock { ($0.mark, $0.isComplete) = (mark, isComplete) }
  }

  /// Changes the dataset in an operation that takes long, and holds the lock only at times: edits
  /// of people do not wait for it.
  func runLong<Value: Sendable>(
    as person: Person?, for job: Job, _ body: @escaping @Sendable (Dataset) throws -> Value
  ) async throws -> Value {
    let result: Result<Value, any Error>
    do {
      result = .success(try await background.run(as: person, for: job, body))
    } catch {
      result = .failure(error)
    }
    // A failed operation may have changed something, too.
    try await refresh()
    return try result.get()
  }

  /// Brings the index up to date.
  func refresh() async throws { try await write(as: nil) { _, _ in } }

  /// Runs an operation that changes no document, but needs what the writer keeps.
  func inspect<Value: Sendable>(
    as person: Person?, _ body: @escaping @Sendable (Dataset, WriterState) throws -> Value
  ) async throws -> Value {
    try await writer.run(as: person) { [writing] in try body($0, writing.value) }
  }

  /// Returns the number of images, and how many of them are not on this disk.
  func imageCount(_ dataset: Dataset) throws -> ImageCount {
    try images.withLock { count in
      try dataset.update(&count)
      return count
    }
  }

  /// Brings the index up to date if another process has changed documents.
  ///
  /// - Returns: Whether it has, since the last call.
  func notice() async throws -> Bool {
    if try await read(as: nil, { [self] in try !isStale($0) }) { return false }
    return try await writer.run(as: nil) { [self] dataset in
      // The writer itself may have updated the index since.
      guard try isStale(dataset) else { return false }
      try update(dataset)
      known.withLock { $0.hasUnreported = false }
      return true
    }
  }

  /// Returns whether other processes have changed documents, or may have: those of an edit that had
  /// begun are there when it has ended.
  private func isStale(_ dataset: Dataset) throws -> Bool {
    let (mark, isEdited) = (try dataset.changeMark(), try dataset.isBeingEdited())
    return known.withLock { known in
      known.hasUnreported || known.mark != mark || !known.isComplete && !isEdited
    }
  }

  /// What the index has.
  private struct Known {
    /// The dataset's mark when it was last updated.
    var mark = ""
    /// Whether no edit was going on then.
    var isComplete = false
    /// Whether it has changes of other processes that ``notice()`` has not reported.
    var hasUnreported = false
  }
}

/// A value that is used on one thread only.
struct Confined<Value>: @unchecked Sendable {
  let value: Value
  init(_ value: Value) { self.value = value }
}
