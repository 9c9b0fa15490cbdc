internal import CairnFiles
internal import CLibgit2
internal import LibC
internal import SystemPackage

/// A receiver of a pack from another repository: it hashes every object and installs the pack when
/// it is complete; until then the pack is not visible in the repository.
///
/// The sender need not be trusted: an object is identified only by its hash, and a pack that is
/// damaged, truncated or larger than allowed is discarded.
package final class PackReceiver {
  /// The maximum size of a pack in bytes.
  package static let sizeLimit = 64 << 30

  /// The maximum size of a received commit in bytes: commits are read whole.
  package static let commitLimit = 16 << 20

  private let repository: Repository
  private let directory: FilePath
  private let limit: Int
  private var indexer: OpaquePointer?
  private var stats = git_indexer_progress()
  private var header: [UInt8] = []
  private var length = 0

  private static let headerLength = 12

  package init(_ repository: Repository, limit: Int = sizeLimit) throws {
    self.repository = repository
    self.limit = limit
    // Not in the pack directory: git does not clean up the names that libgit2 gives to growing
    // files.
    directory = repository.temporaryFile("pack")
    try repository.files.createDirectory(directory)
    try check(
      git_indexer_new(&indexer, directory.string, 0o444, repository.objects, nil),
      "receive objects")
  }

  deinit {
    git_indexer_free(indexer)
    repository.files.discardTree(directory)
  }

  /// The number of objects received and the total; 0 until known.
  package var progress: (received: Int, total: Int) {
    (Int(stats.received_objects), Int(stats.total_objects))
  }

  package func append(_ bytes: UnsafeRawBufferPointer) throws {
    length += bytes.count
    guard length <= limit else {
      throw GitError(.other, "the received pack is larger than \(limit) bytes")
    }
    if header.count < PackReceiver.headerLength {
      header += bytes.prefix(PackReceiver.headerLength - header.count)
    }
    try check(
      git_indexer_append(indexer, bytes.baseAddress, bytes.count, &stats), "receive objects")
  }

  /// Checks that the pack is complete and installs it durably in the repository.
  ///
  /// - Parameter tips: The commits that were requested: the pack is discarded if one of them, or of
  ///   their ancestors in the pack, is larger than ``commitLimit``.
  /// - Returns: The number of objects in the pack.
  package func finish(tips: [ObjectID] = []) throws -> Int {
    guard header.count == PackReceiver.headerLength else {
      throw GitError(.corrupt, "the received pack is incomplete")
    }
    // libgit2 rejects a pack without objects.
    if header[8...].allSatisfy({ $0 == 0 }) { return 0 }
    try check(git_indexer_commit(indexer, &stats), "receive objects")
    let files = repository.files
    let names = Set(try files.list(directory) ?? [])
    guard let index = names.first(where: { $0.hasSuffix(".idx") }) else {
      throw GitError(.corrupt, "the received pack is incomplete")
    }
    // A pack is found by its index, so the index comes last.
    let packFiles = names.packFiles(of: String(index.dropLast(".idx".count)))
    for name in packFiles {
      try files.rename(directory.appending(name), to: repository.packDirectory.appending(name))
    }
    try files.syncDirectory(repository.packDirectory)
    try repository.refreshObjects()
    do {
      try checkCommits(tips, index: repository.packDirectory.appending(index))
    } catch {
      for name in packFiles.reversed() {
        try? files.remove(repository.packDirectory.appending(name))
      }
      throw error
    }
    repository.hasNewObjects = true
    return Int(stats.total_objects)
  }

  private func checkCommits(_ tips: [ObjectID], index: FilePath) throws {
    var (open, seen) = (tips, Set(tips))
    try PackListing.withListing(index, files: repository.files) { isReceived in
      while let id = open.popLast() {
        guard isReceived(id) else { continue }
        guard try repository.size(of: id) <= PackReceiver.commitLimit else {
          throw GitError(
            .corrupt, "the commit \(id) is larger than \(PackReceiver.commitLimit) bytes")
        }
        open += try repository.commit(id).parents.filter { seen.insert($0).inserted }
      }
    }
  }
}
