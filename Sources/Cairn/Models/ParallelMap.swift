internal import Dispatch
internal import LibC
internal import Synchronization

/// Computes a value for each item on worker threads, and passes the values to `use` on this thread,
/// in the order of the items.
///
/// - Parameters:
///   - threads: Number of workers; by default the number of processors.
///   - make: Called on the workers.
///   - use: Called with each value; when it throws, no more are computed.
func mapInParallel<Item: Sendable, Value>(
  _ items: [Item], threads: Int = processorCount(), make: @Sendable (Item) -> Value,
  use: (Value) throws -> Void
) throws {
  try withoutActuallyEscaping(make) { make in
    let queue = BoundedQueue<Value>(count: items.count, waiting: 4 * threads)
    let workers = DispatchGroup()
    let threadPool = DispatchQueue(label: "parallel map", attributes: .concurrent)
    for _ in 0..<min(threads, items.count) {
      threadPool.async(group: workers) {
        while let index = queue.next() { queue.put(make(items[index]), at: index) }
      }
    }
    defer {
      queue.stop()
      workers.wait()
    }
    for index in items.indices { try use(queue.take(index)) }
  }
}

/// Returns the number of processors.
func processorCount() -> Int { max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }

/// A bounded queue that hands out indices and holds their values until they are taken.
private final class BoundedQueue<Value>: @unchecked Sendable {
  // Protected by the lock.
  private let lock = Mutex(())
  private var started = 0
  private var isStopped = false
  private var values: [Int: Value] = [:]

  private let count: Int
  private let ready = DispatchSemaphore(value: 0)
  private let space = DispatchSemaphore(value: 0)

  /// - Parameter waiting: Maximum number of values in the queue.
  init(count: Int, waiting: Int) {
    self.count = count
    // Start at 0: a semaphore must not be destroyed below its initial value.
    for _ in 0..<waiting { space.signal() }
  }

  /// Returns the next index once there is space for its value; nil when there are no more.
  func next() -> Int? {
    space.wait()
    let index: Int? = lock.withLock { _ in
      guard !isStopped, started < count else { return nil }
      started += 1
      return started - 1
    }
    // Wake the other waiting workers too.
    if index == nil { space.signal() }
    return index
  }

  func put(_ value: Value, at index: Int) {
    lock.withLock { _ in values[index] = value }
    ready.signal()
  }

  /// Waits for the value of an index.
  func take(_ index: Int) -> Value {
    while true {
      if let value = lock.withLock({ _ in values.removeValue(forKey: index) }) {
        space.signal()
        return value
      }
      ready.wait()
    }
  }

  func stop() {
    lock.withLock { _ in isStopped = true }
    space.signal()
  }
}
