public import CairnDocument
internal import CairnFiles
internal import SystemPackage

// The paths that were written since the last commit, one a line, so that nobody has to walk the
// tree to know them. A path is noted before its file is written: a crash in between leaves a path
// too many, never one too few.

extension DatasetDirectory {
  private var journal: FilePath { privateDirectory.appending("changes") }

  /// Returns the paths noted since the last commit, each once, in the order they were first noted.
  public func journaledPaths() throws -> [DocumentPath] {
    guard let bytes = try files.read(journal) else { return [] }
    var seen = Set<DocumentPath>()
    return bytes.split(separator: UInt8(ascii: "\n"))
      .compactMap { DocumentPath(String(decoding: $0, as: UTF8.self)) }
      .filter { seen.insert($0).inserted }
  }

  /// Notes paths that are about to be written.
  func note(_ paths: some Sequence<DocumentPath>) throws {
    // The line before may be torn: a line begun anew is whole whatever that one is.
    let text = "\n" + paths.map { "\($0)\n" }.joined()
    try files.append(Array(text.utf8), to: journal)
  }

  /// Forgets all paths but `remaining`, which still differ from the commit.
  public func resetJournal(remaining: [DocumentPath]) throws {
    if remaining.isEmpty { return try files.remove(journal) }
    let text = remaining.map { "\($0)\n" }.joined()
    try files.write(Array(text.utf8), to: journal, temporary: temporaryFile())
  }
}
