internal import Dispatch
internal import Synchronization

/// Makes elements on a thread of their own while those made before are used on this one.
///
/// - Parameters:
///   - make: Called once, with what takes each element; that throws when no more are wanted.
///   - use: Called with the elements, in their order.
package func pipelined<Element>(
  make: ((Element) throws -> Void) throws -> Void, use: (Element) throws -> Void
) throws {
  try withoutActuallyEscaping(make) { make in
    nonisolated(unsafe) let make = make
    let belt = Belt<Element>()
    let making = DispatchGroup()
    DispatchQueue(label: "pipeline").async(group: making) {
      let outcome = Result { try make(belt.put) }
      belt.end(outcome)
    }
    defer {
      belt.stop()
      making.wait()
    }
    while let batch = try belt.next() {
      for element in batch { try use(element) }
    }
  }
}

/// Carries elements from one thread to another, in batches. What waits takes memory, so that the one
/// who makes them waits while much does.
private final class Belt<Element>: @unchecked Sendable {
  private struct Stopped: Error {}

  private enum Message {
    case batch([Element])
    case end(Result<Void, any Error>)
  }

  private static var batchSize: Int { 512 }

  // Used by both, one at a time.
  private let lock = Mutex(())
  private var messages: [Message] = []

  private let waiting = DispatchSemaphore(value: 0)
  private let room = DispatchSemaphore(value: 0)
  private let isStopped = Atomic(false)

  // Used by the making thread alone.
  private var batch: [Element] = []

  init() {
    // A semaphore must not end below the number it began with.
    for _ in 0..<16 { room.signal() }
  }

  func put(_ element: Element) throws {
    batch.append(element)
    if batch.count == Belt.batchSize { try flush() }
  }

  private func flush() throws {
    room.wait()
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

  /// Waits for the next batch; nil at the end.
  func next() throws -> [Element]? {
    waiting.wait()
    switch lock.withLock({ _ in messages.removeFirst() }) {
    case .batch(let batch):
      room.signal()
      return batch
    case .end(let outcome):
      try outcome.get()
      return nil
    }
  }

  /// Lets the making thread end.
  func stop() {
    isStopped.store(true, ordering: .releasing)
    room.signal()
  }
}
