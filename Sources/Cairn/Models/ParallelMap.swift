internal import CairnBase
internal import Dispatch
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
    let work = OrderedWork<Value>(count: items.count, waiting: 4 * threads)
    let workers = DispatchGroup()
    let threadPool = DispatchQueue(label: "parallel map", attributes: .concurrent)
    for _ in 0..<min(threads, items.count) {
      threadPool.async(group: workers) {
        while let (index, slot) = work.next() { slot.put(make(items[index])) }
      }
    }
    defer {
      work.stop()
      workers.wait()
    }
    for _ in items.indices { try use(work.take()) }
  }
}

/// Hands out the indices of items to workers, and their values in the order of the items.
private final class OrderedWork<Value>: Sendable {
  /// Holds the value of one item.
  typealias Slot = BoundedQueue<Value>

  private let count: Int
  /// The slots of the items whose values were not taken yet, in order.
  private let slots: BoundedQueue<Slot>
  /// The number of indices handed out.
  private let started = Mutex(0)

  /// - Parameter waiting: Maximum number of slots whose values wait to be taken.
  init(count: Int, waiting: Int) {
    self.count = count
    slots = BoundedQueue(capacity: waiting)
  }

  /// Returns the next index and the slot for its value, once there is space; nil when there are no
  /// more.
  func next() -> (index: Int, slot: Slot)? {
    // Other workers wait at the lock rather than in the queue, which keeps the slots in order.
    started.withLock { started in
      let slot = Slot(capacity: 1)
      guard started < count, slots.put(slot) else { return nil }
      started += 1
      return (started - 1, slot)
    }
  }

  /// Waits for the next value.
  func take() -> Value { slots.take().take() }

  func stop() { slots.stop() }
}
