internal import Cairn
internal import Synchronization
internal import SystemPackage

/// A dataset on a thread of its own, used by one person after the other.
final class PersonQueue: Sendable {
  private let queue: DatasetQueue
  private let author: CurrentAuthor
  private let waiting = Atomic(0)
  private let limit: Int

  /// - Parameter limit: Maximum number of operations that wait.
  init(_ options: ServeOptions, limit: Int) throws {
    let author = CurrentAuthor()
    var environment = options.environment
    environment.currentAuthor = { author.value }
    queue = try DatasetQueue(
      at: options.directory, command: options.command, environment: environment)
    (self.author, self.limit) = (author, limit)
  }

  var root: FilePath { queue.root }
  var load: Int { waiting.load(ordering: .relaxed) }

  /// Runs an operation as a person.
  ///
  /// - Parameter job: Receives the progress, and can cancel the operation.
  /// - Throws: ``ServeError/busy`` when too many operations wait.
  func run<Value: Sendable>(
    as person: Person?, for job: Job? = nil, _ body: @escaping @Sendable (Dataset) throws -> Value
  ) async throws -> Value {
    guard waiting.add(1, ordering: .relaxed).newValue <= limit else {
      waiting.subtract(1, ordering: .relaxed)
      throw ServeError.busy
    }
    defer { waiting.subtract(1, ordering: .relaxed) }
    let operation = queue.start { [author] dataset in
      author.set(person?.author)
      dataset.reviewer = person?.reviewer
      dataset.beginOperation(job.map { "serve: \($0.text)" } ?? "serve")
      return try body(dataset)
    }
    guard let job else { return try await operation.value }
    job.onCancel { operation.cancel() }
    return try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        for await step in operation.progress { job.report(step.step, step.completed, step.total) }
      }
      let value = try await operation.value
      // The last progress, too.
      try await group.waitForAll()
      return value
    }
  }
}

/// The author of the changes that the queue's current operation makes.
private final class CurrentAuthor: Sendable {
  private let author = Mutex<Author?>(nil)

  var value: Author? { author.withLock { $0 } }

  func set(_ author: Author?) { self.author.withLock { $0 = author } }
}
