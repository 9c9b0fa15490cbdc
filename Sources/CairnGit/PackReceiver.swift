internal import CairnFiles
internal import CLibgit2
internal import LibC
internal import SystemPackage

/// Takes a pack as it comes from elsewhere, hashes every object in it, and gives it to the repository
/// when it is whole; until then the repository knows nothing of it.
///
/// Nobody need trust whoever sends it: an object is known by its hash alone, and a pack that is
/// damaged, cut short or larger than allowed is dropped.
public final class PackReceiver {
  /// The most bytes that a pack may have.
  public static let sizeLimit = 64 << 30

  private let repository: Repository
  private let directory: FilePath
  private let limit: Int
  private var indexer: OpaquePointer?
  private var stats = git_indexer_progress()
  private var header: [UInt8] = []
  private var length = 0

  private static let headerLength = 12

  public init(_ repository: Repository, limit: Int = sizeLimit) throws {
    self.repository = repository
    self.limit = limit
    // Not among the packs, where libgit2 gives files that grow names which git does not tidy up.
    directory = repository.temporaryFile("pack")
    try repository.files.createDirectory(directory)
    try check(
      git_indexer_new(&indexer, directory.string, 0o444, repository.objects, nil),
      "receive objects")
  }

  deinit {
    git_indexer_free(indexer)
    try? repository.files.removeTree(directory)
  }

  /// How many objects came, and how many there are; 0 until that is known.
  public var progress: (received: Int, total: Int) {
    (Int(stats.received_objects), Int(stats.total_objects))
  }

  public func append(_ bytes: UnsafeRawBufferPointer) throws {
    length += bytes.count
    guard length <= limit else {
      throw GitError(.other, "the objects that were sent have more than \(limit) bytes")
    }
    if header.count < PackReceiver.headerLength {
      header += bytes.prefix(PackReceiver.headerLength - header.count)
    }
    try check(
      git_indexer_append(indexer, bytes.baseAddress, bytes.count, &stats), "receive objects")
  }

  /// Checks that the pack is whole and gives it to the repository, for good.
  ///
  /// - Returns: How many objects it holds.
  public func finish() throws -> Int {
    guard header.count == PackReceiver.headerLength else {
      throw GitError(.corrupt, "the objects that were sent are cut short")
    }
    // libgit2 does not take a pack without objects for one.
    if header[8...].allSatisfy({ $0 == 0 }) { return 0 }
    try check(git_indexer_commit(indexer, &stats), "receive objects")
    let files = repository.files
    let names = Set(try files.list(directory) ?? [])
    guard let index = names.first(where: { $0.hasSuffix(".idx") }) else {
      throw GitError(.corrupt, "the objects that were sent are cut short")
    }
    // A pack is looked for by its index, so that comes last.
    for name in names.packFiles(of: String(index.dropLast(".idx".count))) {
      try files.rename(directory.appending(name), to: repository.packDirectory.appending(name))
    }
    try files.syncDirectory(repository.packDirectory)
    try repository.refreshObjects()
    repository.hasNewObjects = true
    return Int(stats.total_objects)
  }
}
