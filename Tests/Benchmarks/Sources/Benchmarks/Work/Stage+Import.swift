import Foundation

extension Stage {
  /// Imports all documents into a small dataset as one commit: into one without an index database,
  /// and into one whose index database is updated.
  func measureImport() throws {
    let seed = try seed.get()
    let (ours, indexed, theirs) = (
      place.appending(path: "import-cairn"), place.appending(path: "import-indexed"),
      place.appending(path: "import-git")
    )
    func fresh(_ target: URL) -> (Int) throws -> Void {
      { _ in _ = try self.copy(seed, as: target.lastPathComponent) }
    }
    defer { [ours, indexed, theirs].forEach { try? remove($0) } }
    compare(
      "bulk import", pace: .few,
      [
        Entry(
          contender: "cairn", way: "cairn import documents",
          prepare: fresh(ours),
          commands: { _ in [self.cairn.importDocuments(self.lines, at: ours)] }),
        Entry(
          contender: "cairn, with the index database", way: "cairn import documents; cairn find",
          prepare: { run in
            try fresh(indexed)(run)
            try self.output(self.cairn("photo", "list", at: indexed))
          },
          commands: { _ in
            [
              self.cairn.importDocuments(self.lines, at: indexed), self.cairn.find(at: indexed),
            ]
          }),
        Entry(
          contender: "git", way: "git fast-import", prepare: fresh(theirs),
          commands: { _ in
            [self.git("fast-import", "--quiet", at: theirs, input: self.stream)]
          }),
      ])
    guard report.figure("bulk import", documents, "cairn") != nil,
      report.figure("bulk import", documents, "git") != nil
    else { return }
    let objects = ".git/objects"
    addDisk("objects after the import", "cairn", try bytes(of: ours.appending(path: objects)))
    addDisk("objects after the import", "git", try bytes(of: theirs.appending(path: objects)))
    let trees = try [ours, theirs].map { try output(git("rev-parse", "HEAD^{tree}", at: $0)) }
    report.note(
      trees[0] == trees[1]
        ? "After the import both repositories have the same tree, \(trees[0].prefix(12))."
        : "After the import the trees differ: cairn \(trees[0]), git \(trees[1]).", documents)
  }
}
