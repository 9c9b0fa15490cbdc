package import CairnDocument
internal import CairnFiles
internal import SystemPackage

// A journal of the paths written since the last commit, one per line, so that finding them does not
// require walking the tree. A path is recorded before its file is written: a crash in between
// leaves one path too many, never one too few.

extension DatasetDirectory {
  private var journal: FilePath { privateDirectory.appending("changes") }

  /// Returns the paths recorded since the last commit, each once, in order of first appearance.
  package func journaledPaths() throws -> [DocumentPath] {
    guard let bytes = try files.read(journal) else { return [] }
    var seen = Set<DocumentPath>()
    return bytes.split(separator: UInt8(ascii: "\n"))
      .compactMap { DocumentPath(String(decoding: $0, as: UTF8.self)) }
      .filter { seen.insert($0).inserted }
  }

  /// Returns the size of the journal in bytes, which grows with each edit until a commit.
  package func journalSize() throws -> Int64 { try files.status(journal)?.size ?? 0 }

  /// Records paths that are about to be written.
  ///
  /// - Parameter durable: Whether the journal must be on the disk before the documents are: a disk
  ///   does not keep the order of writes.
  func note(_ paths: some Sequence<DocumentPath>, durable: Bool = false) throws {
    // The previous line may be incomplete after a crash: a leading newline keeps this one intact.
    let text = "\n" + paths.map { "\($0)\n" }.joined()
    try files.append(Array(text.utf8), to: journal, durable: durable)
  }

  /// Clears the journal except `remaining`, the paths that still differ from the commit.
  package func resetJournal(remaining: [DocumentPath]) throws {
    if remaining.isEmpty { return try files.remove(journal) }
    let text = remaining.map { "\($0)\n" }.joined()
    try files.write(Array(text.utf8), to: journal, temporary: temporaryFile())
  }
}
