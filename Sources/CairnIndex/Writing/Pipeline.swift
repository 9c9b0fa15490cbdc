internal import Dispatch
internal import Synchronization

/// Makes elements on a separate thread while this one uses those made before.
///
/// - Parameters:
///   - make: Called once, with a function that takes each element and throws when no more are
///     wanted.
///   - use: Called with the elements, in order.
package func pipelined<Element>(
  make: ((Element) throws -> Void) throws -> Void, use: (Element) throws -> Void
) throws {
  try withoutActuallyEscaping(make) { make in
    nonisolated(unsafe) let make = make
    let queue = BoundedQueue<Element>()
    let making = DispatchGroup()
    DispatchQueue(label: "pipeline").async(group: making) {
      let outcome = Result { try make(queue.put) }
      queue.end(outcome)
    }
    defer {
      queue.stop()
      making.wait()
    }
    while let batch = try queue.next() {
      for element in batch { try use(element) }
    }
  }
}

/// A bounded queue that carries elements between two threads, in batches. The producer blocks while
/// the queue is full, which limits memory.
private final class BoundedQueue<Element>: @unchecked Sendable {
  private struct Stopped: Error {}

  private enum Message {
    case batch([Element])
    case end(Result<Void, any Error>)
  }

  private static var batchSize: Int { 512 }

  // Used by both threads, one at a time.
  private let lock = Mutex(())
  private var messages: [Message] = []

  private let waiting = DispatchSemaphore(value: 0)
  private let freeSlots = DispatchSemaphore(value: 0)
  private let isStopped = Atomic(false)

  // Used only by the producing thread.
  private var batch: [Element] = []

  init() {
    // A semaphore must not be destroyed with a lower value than its initial one.
    for _ in 0..<16 { freeSlots.signal() }
  }

  func put(_ element: Element) throws {
    batch.append(element)
    if batch.count == BoundedQueue.batchSize { try flush() }
  }

  private func flush() throws {
    freeSlots.wait()
    if isStopped.load(ordering: .acquiring) { throw Stopped() }
    send(.batch(batch))
    batch.removeAll(keepingCapacity: true)
  }

  func end(_ outcome: Result<Void, any Error>) {
    if case .success = outcome { try? flush() }
    send(.end(outcome))
  }

  private func send(_ message: Message) {
    lock.withLock { _ in messages.append(message) }
    waiting.signal()
  }

  /// Waits for the next batch; returns nil at the end.
  func next() throws -> [Element]? {
    waiting.wait()
    switch lock.withLock({ _ in messages.removeFirst() }) {
    case .batch(let batch):
      freeSlots.signal()
      return batch
    case .end(let outcome):
      try outcome.get()
      return nil
    }
  }

  /// Stops the producing thread.
  func stop() {
    isStopped.store(true, ordering: .releasing)
    freeSlots.signal()
  }
}
