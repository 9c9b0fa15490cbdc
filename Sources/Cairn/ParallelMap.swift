internal import Dispatch
internal import LibC
internal import Synchronization

/// Makes a value of each item on threads of their own, and uses the values on this one, in the order of
/// the items.
///
/// - Parameters:
///   - threads: How many make values; as many as there are processors.
///   - make: Called on those threads.
///   - use: Called with each value; when it throws, no more are made.
func mapInParallel<Item: Sendable, Value>(
  _ items: [Item], threads: Int = processorCount(), make: @Sendable (Item) -> Value,
  use: (Value) throws -> Void
) throws {
  try withoutActuallyEscaping(make) { make in
    let line = Line<Value>(count: items.count, waiting: 4 * threads)
    let making = DispatchGroup()
    let queue = DispatchQueue(label: "parallel map", attributes: .concurrent)
    for _ in 0..<min(threads, items.count) {
      queue.async(group: making) {
        while let index = line.next() { line.put(make(items[index]), at: index) }
      }
    }
    defer {
      line.stop()
      making.wait()
    }
    for index in items.indices { try use(line.take(index)) }
  }
}

/// How many processors this machine has.
func processorCount() -> Int { max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }

/// Hands out numbers, and keeps what was made of them until it is wanted.
private final class Line<Value>: @unchecked Sendable {
  // Used with the lock held.
  private let lock = Mutex(())
  private var started = 0
  private var isStopped = false
  private var values: [Int: Value] = [:]

  private let count: Int
  private let ready = DispatchSemaphore(value: 0)
  private let room = DispatchSemaphore(value: 0)

  /// - Parameter waiting: How many values there may be that were not taken.
  init(count: Int, waiting: Int) {
    self.count = count
    // A semaphore must not end below the number it began with.
    for _ in 0..<waiting { room.signal() }
  }

  /// Returns the next number, when there is room for its value; nil when no more are wanted.
  func next() -> Int? {
    room.wait()
    let index: Int? = lock.withLock { _ in
      guard !isStopped, started < count else { return nil }
      started += 1
      return started - 1
    }
    // Those that wait beside this one end, too.
    if index == nil { room.signal() }
    return index
  }

  func put(_ value: Value, at index: Int) {
    lock.withLock { _ in values[index] = value }
    ready.signal()
  }

  /// Waits for the value of a number.
  func take(_ index: Int) -> Value {
    while true {
      if let value = lock.withLock({ _ in values.removeValue(forKey: index) }) {
        room.signal()
        return value
      }
      ready.wait()
    }
  }

  func stop() {
    lock.withLock { _ in isStopped = true }
    room.signal()
  }
}
