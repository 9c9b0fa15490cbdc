internal import CairnDocument
internal import CairnFiles
internal import CairnGit
public import CairnStore
internal import Dispatch
internal import LibC
public import SystemPackage

// An import is one pack and one commit, however many documents it has: they go from their lines
// straight to git's objects, and the work tree follows as it does for a pull. The pack grows beside
// the others without a name, so that until the commit is whole nothing of the import is there; from
// then on the intent to check it out is written down, and whoever edits next carries it out. A second
// run after a crash finds all of it or nothing, and either does it again or has nothing to do.

extension Replica {
  /// Imports documents, one a line in JSON, and commits them.
  ///
  /// What a line leaves out is filled in where that can be. A document that stands already is joined
  /// with it, so nothing is ever lost, and to import the same lines again changes nothing. What was
  /// not committed before is committed first.
  /// - Parameter input: A file or a pipe, read once from where it stands.
  public func importDocuments(
    _ input: FileDescriptor, options: ImportOptions = ImportOptions(), session: EditSession
  ) throws -> ImportReport {
    if !options.isRehearsal {
      // Without a branch to commit to, all the work would be in vain.
      _ = try branch()
      _ = try repairLocally(session)
    }
    // What a commit would commit: that is done first.
    let isLarge = try repository.indexEntryCount() >= largeCheckout
    let pending = try isLarge ? journaledState() : workingState()
    let overlay: [String: [UInt8]?] = Dictionary(
      uniqueKeysWithValues: pending.changes.filter { $0.path.kind != nil }
        .map { ($0.path.description, $0.blob) })
    // What was gathered is gone by the time that the files are: each of the two takes memory.
    let made = try commitDocuments(
      input, over: overlay, isClean: pending.changes.isEmpty, options, session: session)
    var report = made.report
    guard let (head, commit, message) = made.commit else { return report }
    options.progress("checking out", 0, 1)
    report.checkout = try checkOut(
      commit, from: head, because: "import: \(message)", isOwn: true, session: session)
    report.commit = commit
    return report
  }

  /// Makes the commit of an import, which no branch has yet; nil where there is nothing to commit, or
  /// not to be.
  private func commitDocuments(
    _ input: FileDescriptor, over overlay: [String: [UInt8]?], isClean: Bool,
    _ options: ImportOptions, session: EditSession
  ) throws -> (
    report: ImportReport, commit: (head: ObjectID?, id: ObjectID, message: String)?
  ) {
    let importer = try gather(input, over: overlay, options, session: session)
    var report = importer.report
    let isRefused = report.problemCount > 0 && !options.skipsInvalid
    if isRefused || options.isRehearsal || importer.edit.count == 0 { return (report, nil) }
    if !isClean { report.before = try commit(session: session) }
    let head = try repository.head()
    options.progress("writing trees", 0, 1)
    let message = options.message ?? report.summary
    let commit = try write(importer, on: head, message: message)
    report.isToldWhole = importer.report.isToldWhole
    return (report, (head, commit, message))
  }

  /// Packs the documents of an import and compares them with what stands.
  ///
  /// - Parameter overlay: What the work tree has otherwise than the last commit.
  func gather(
    _ input: FileDescriptor, over overlay: [String: [UInt8]?] = [:], _ options: ImportOptions,
    session: EditSession
  ) throws -> Importer {
    let importer = try Importer(
      self, overlay: overlay, onDocuments: options.onDocuments, session: session)
    try read(input, into: importer, options)
    try importer.settle()
    return importer
  }

  /// Writes the trees and the commit of an import, and makes its pack one of the repository's.
  func write(_ importer: Importer, on head: ObjectID?, message: String) throws -> ObjectID {
    let tree = try importer.finish(on: try repository.tree(ofCommit: head))
    let commit = try importer.writer.write(
      Commit(
        tree: tree, parents: head.map { [$0] } ?? [], author: try author(),
        committer: try committer(), message: message))
    try importer.writer.finish()
    try repository.refreshObjects()
    return commit
  }

  /// Reads all lines, a block at a time on all cores.
  private func read(
    _ input: FileDescriptor, into importer: Importer, _ options: ImportOptions
  ) throws {
    let size = Replica.size(of: input)
    let pieces = (0..<16).map { _ in ImportPiece(keepsDocuments: options.onDocuments != nil) }
    var blocks = LineBlocks(input)
    while let block = try blocks.next() {
      switch block {
      case .longLine: importer.takeLongLine()
      case .lines(let bytes):
        let shares = bytes.shares(pieces.count)
        let (rules, now) = (importer.rules, world.now())
        for start in stride(from: 0, to: shares.count, by: pieces.count) {
          nonisolated(unsafe) let filled = pieces
          nonisolated(unsafe) let texts = shares[start...].prefix(pieces.count)
          DispatchQueue.concurrentPerform(iterations: texts.count) { index in
            filled[index].fill(texts[start + index], rules, now: now)
          }
          try importer.take(pieces.prefix(texts.count))
        }
      }
      options.progress("importing", blocks.done, size)
    }
  }

  /// Returns the size of a file; 0 of a pipe.
  private static func size(of input: FileDescriptor) -> Int {
    var status = stat()
    guard fstat(input.rawValue, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return 0 }
    return Int(status.st_size)
  }
}

extension UnsafeBufferPointer<UInt8> {
  /// Cuts lines into shares of about the same size, none of them empty: as many, or more of 128 KiB.
  fileprivate func shares(_ count: Int) -> [UnsafeBufferPointer<UInt8>] {
    var shares: [UnsafeBufferPointer<UInt8>] = []
    var start = 0
    // Of a few lines one core makes short work; documents of many take ten times the memory.
    let size = Swift.min(Swift.max(self.count / count + 1, 16 << 10), 128 << 10)
    while start < self.count {
      let middle = Swift.min(start + size, self.count)
      let end = self[middle...].firstByte(0x0A).map { $0 + 1 } ?? self.count
      shares.append(UnsafeBufferPointer(rebasing: self[start..<end]))
      start = end
    }
    return shares
  }
}

extension ImportReport {
  /// What an import amounts to, in a line: “Import: add 2 photos, 5 labels”.
  fileprivate var summary: String {
    var added = added
    if !coined.isEmpty { added[.class, default: 0] += coined.count }
    let text = ChangeSummary(added: added, changed: changed).text
    return "Import: " + text.prefix(1).lowercased() + text.dropFirst()
  }
}
