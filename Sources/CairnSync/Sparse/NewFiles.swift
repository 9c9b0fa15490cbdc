internal import CairnBase
internal import CairnDocument
internal import CairnFiles
internal import CairnGit
internal import CairnStore

/// New documents and images of a commit that wait to be put into the work tree together, on several
/// threads.
struct NewFiles {
  struct Item: Sendable {
    let difference: TreeDifference
    let path: DocumentPath
    /// The bytes of the document, or the pointer of the image.
    let bytes: [UInt8]
  }

  /// The limits of what waits: enough for the threads, and little memory.
  private static let (countLimit, byteLimit) = (2048, 4 << 20)
  /// The number of files from which another thread pays off. More threads than processors would wait for
  /// each other: a file system creates files one by one.
  private static let filesOfThread = 512

  private(set) var items: [Item] = []
  private var byteCount = 0

  var isFull: Bool {
    items.count >= NewFiles.countLimit || byteCount >= NewFiles.byteLimit
  }

  mutating func append(_ item: Item) {
    items.append(item)
    byteCount += item.bytes.count
  }

  mutating func removeAll() {
    items.removeAll(keepingCapacity: true)
    byteCount = 0
  }

  /// Puts the files into the work tree.
  ///
  /// - Returns: What became of each.
  func place(in directory: DatasetDirectory) throws -> [FilePlacer.Outcome] {
    let items = items
    if items.isEmpty { return [] }
    let minimum = max(NewFiles.filesOfThread, items.count / processorCount())
    return try inParallel(items.count, minimum: minimum) { range in
      Result {
        let placer = try directory.filePlacer()
        return try items[range].map { item in
          let path = item.difference.path
          guard let id = item.path.blob else { return try placer.place(item.bytes, at: path) }
          return try placer.link(directory.blobs.path(of: id), at: path)
        }
      }
    }.flatMap { try $0.get() }
  }
}
