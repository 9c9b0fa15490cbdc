internal import CairnBase
internal import CairnDocument
internal import CairnGit
internal import CairnIndex
internal import Dispatch

/// Adds the documents of an import to the index while the import runs, on a separate thread and in
/// one transaction. If that fails, the index catches up at the next query.
final class IndexLoader: @unchecked Sendable {
  private enum Message {
    case documents([Document])
    /// The loaded documents complete this tree.
    case commit(tree: String)
    /// Discard the loaded documents.
    case rollback
  }

  private struct Cancelled: Error {}

  // Used only by the writing thread once it has started.
  private let index: DatasetIndex
  private var isAtEnd = false

  /// The tree that the index contains when loading begins.
  let base: ObjectID?

  private let messages = BoundedQueue<Message>(capacity: 24)
  private let writing = DispatchGroup()

  // Used only by the importing thread.
  /// Documents that wait until there are enough to start loading.
  private var pending: [Document] = []
  private var isStarted = false
  private var isEnded = false

  /// Smaller imports are indexed by the next query.
  private static let minimum = 10_000

  init(_ index: DatasetIndex, over base: ObjectID?) { (self.index, self.base) = (index, base) }

  /// Queues documents, blocking while the queue is full.
  func take(_ documents: [Document]) {
    if documents.isEmpty { return }
    if isStarted {
      messages.put(.documents(documents))
      return
    }
    pending += documents
    if pending.count < IndexLoader.minimum { return }
    isStarted = true
    DispatchQueue(label: "index").async(group: writing) { [self] in write() }
    messages.put(.documents(pending))
    pending = []
  }

  /// Commits the loaded documents as those of `tree`.
  func finish(tree: String) { end(.commit(tree: tree)) }

  /// Rolls back the loaded documents, unless they were committed.
  func cancel() { end(.rollback) }

  private func end(_ message: Message) {
    if !isStarted || isEnded { return }
    isEnded = true
    messages.put(message)
    writing.wait()
  }

  private func next() -> Message {
    let message = messages.take()
    if case .documents = message { return message }
    isAtEnd = true
    return message
  }

  private func write() {
    do {
      try index.write(put)
    } catch {
      // The index catches up at the next query, so the import continues.
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
      case .commit(let tree): return try writer.setTree(tree)
      case .rollback: throw Cancelled()
      }
    }
  }
}
