internal import CairnBase
internal import Dispatch

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
    let queue = BatchQueue<Element>()
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

/// A bounded queue that carries elements between two threads in batches, and then the producer's
/// outcome.
private final class BatchQueue<Element>: @unchecked Sendable {
  private struct Stopped: Error {}

  private enum Message {
    case batch([Element])
    case end(Result<Void, any Error>)
  }

  private static var batchSize: Int { 512 }

  private let messages = BoundedQueue<Message>(capacity: 16)

  // Used only by the producing thread.
  private var batch: [Element] = []

  func put(_ element: Element) throws {
    batch.append(element)
    if batch.count == BatchQueue.batchSize { try flush() }
  }

  private func flush() throws {
    guard messages.put(.batch(batch)) else { throw Stopped() }
    batch.removeAll(keepingCapacity: true)
  }

  func end(_ outcome: Result<Void, any Error>) {
    if case .success = outcome { try? flush() }
    messages.put(.end(outcome))
  }

  /// Waits for the next batch; returns nil at the end.
  func next() throws -> [Element]? {
    switch messages.take() {
    case .batch(let batch): return batch
    case .end(let outcome):
      try outcome.get()
      return nil
    }
  }

  /// Stops the producing thread.
  func stop() { messages.stop() }
}
