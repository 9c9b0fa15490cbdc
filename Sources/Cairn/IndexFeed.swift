internal import CairnDocument
internal import CairnGit
internal import CairnIndex
internal import Dispatch
internal import Synchronization

/// Puts the documents of an import into the index while it goes on, on a thread of its own, in one
/// transaction. An index that could not be fed catches up when it is next asked.
final class IndexFeed: @unchecked Sendable {
  private enum Message {
    case documents([Document])
    /// What was fed is all of this tree.
    case keep(tree: String)
    case forget
  }

  private struct Forgotten: Error {}

  // Used by the writing thread alone, from its start on.
  private let index: DatasetIndex
  private var isAtEnd = false

  /// The tree that the index knows when the feed begins.
  let base: ObjectID?

  private let messages = Mutex([Message]())
  private let waiting = DispatchSemaphore(value: 0)
  /// What waits takes memory.
  private let room = DispatchSemaphore(value: 24)
  private let writing = DispatchGroup()

  // Used by the importing thread alone.
  private var held: [Document] = []
  private var isStarted = false
  private var isEnded = false

  /// Of an import that is smaller the index learns when it is next asked.
  private static let minimum = 10_000

  init(_ index: DatasetIndex, over base: ObjectID?) { (self.index, self.base) = (index, base) }

  /// Takes documents, waiting while too many wait.
  func take(_ documents: [Document]) {
    if documents.isEmpty { return }
    if isStarted { return send(.documents(documents)) }
    held += documents
    if held.count < IndexFeed.minimum { return }
    isStarted = true
    DispatchQueue(label: "index").async(group: writing) { [self] in write() }
    send(.documents(held))
    held = []
  }

  /// Keeps what was fed: it is what `tree` holds.
  func finish(tree: String) { end(.keep(tree: tree)) }

  /// Forgets what was fed, unless that was kept.
  func cancel() { end(.forget) }

  private func end(_ message: Message) {
    if !isStarted || isEnded { return }
    isEnded = true
    send(message)
    writing.wait()
  }

  private func send(_ message: Message) {
    room.wait()
    messages.withLock { $0.append(message) }
    waiting.signal()
  }

  private func next() -> Message {
    waiting.wait()
    let message = messages.withLock { $0.removeFirst() }
    room.signal()
    if case .documents = message { return message }
    isAtEnd = true
    return message
  }

  private func write() {
    do {
      try index.write(put)
    } catch {
      // It is derived, and reads later what it lacks: the import goes on.
      while !isAtEnd { _ = next() }
    }
  }

  private func put(_ writer: IndexWriter) throws {
    var count = 0
    while true {
      switch next() {
      case .documents(let documents):
        count += documents.count
        if count >= IndexWriter.bulkCount { try writer.deferIndexes() }
        for document in documents { try writer.put(document) }
      case .keep(let tree): return try writer.setTree(tree)
      case .forget: throw Forgotten()
      }
    }
  }
}
