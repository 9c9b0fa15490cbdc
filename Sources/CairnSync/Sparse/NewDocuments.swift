internal import CairnDocument
internal import CairnFiles
internal import CairnGit
internal import CairnStore

/// New documents of a commit that wait to be written to the work tree together, on several threads.
struct NewDocuments {
  struct Item: Sendable {
    let difference: TreeDifference
    let document: DocumentPath
    let bytes: [UInt8]
  }

  /// The limits of what waits: enough for the threads, and little memory.
  private static let (countLimit, byteLimit) = (2048, 4 << 20)
  /// The number of files from which another thread pays off.
  private static let filesOfThread = 512

  private(set) var items: [Item] = []
  private var byteCount = 0

  var isFull: Bool {
    items.count >= NewDocuments.countLimit || byteCount >= NewDocuments.byteLimit
  }

  mutating func append(_ item: Item) {
    items.append(item)
    byteCount += item.bytes.count
  }

  mutating func removeAll() {
    items.removeAll(keepingCapacity: true)
    byteCount = 0
  }

  /// Writes the documents.
  ///
  /// - Returns: What became of each.
  func place(in directory: DatasetDirectory) throws -> [FilePlacer.Outcome] {
    let items = items
    if items.isEmpty { return [] }
    return try inParallel(items.count, minimum: NewDocuments.filesOfThread) { range in
      Result {
        let placer = try directory.filePlacer()
        return try items[range].map { try placer.place($0.bytes, at: $0.difference.path) }
      }
    }.flatMap { try $0.get() }
  }
}
