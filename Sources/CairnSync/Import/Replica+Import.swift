package import CairnDocument
internal import CairnFiles
internal import CairnGit
package import CairnStore
internal import Dispatch
internal import LibC
package import SystemPackage

// An import is one commit and one pack, or several packs if it is very large: lines are written
// directly as git objects, and the work tree is updated as for a pull. Packs are written under
// temporary names, so that nothing of the import is visible until the commit is complete; then the
// intent to check it out is recorded, and the next edit session carries it out. What must wait until
// all lines are read, the paths and ids of objects, waits in temporary files. A second run after a crash
// finds all of it or nothing, and either repeats it or has nothing to do.

extension Replica {
  /// Imports documents, one JSON object per line, and commits them.
  ///
  /// Missing fields are filled in where possible. A line is merged with an existing document, so
  /// nothing is ever lost, and importing the same lines again changes nothing. Uncommitted changes
  /// are committed first.
  /// - Parameters:
  ///   - input: A file or a pipe, read once from its current position.
  ///   - onDocuments: Called with documents in their new version, and again when a later line changes
  ///     one.
  package func importDocuments(
    _ input: FileDescriptor, options: ImportOptions = ImportOptions(), session: EditSession,
    onDocuments: (([Document]) -> Void)? = nil
  ) throws -> ImportReport {
    if !options.isDryRun {
      // Fail early: without a branch to commit to, all the work would be wasted.
      _ = try branch()
      _ = try repairLocally(session)
      try leaveOutRefusedPaths(session)
    }
    // The pending changes, which are committed first.
    let pending = try PendingState(head: repository.head(), state: pendingState())
    let overlay: [String: [UInt8]?] = Dictionary(
      uniqueKeysWithValues: pending.state.changes.filter { $0.path.kind != nil }
        .map { ($0.path.description, $0.blob) })
    // The collected documents are freed before the checkout: each of the two takes memory.
    let made = try commitDocuments(
      input, over: overlay, pending, options, session: session, onDocuments)
    var report = made.report
    guard let (head, commit, message) = made.commit else { return report }
    environment.report("checking out", 0, of: 1)
    // Before the checkout, which a crash may leave to the next session.
    try recordCommit(commit, on: head, "import documents")
    report.checkout = try checkOut(
      commit, from: head, reason: "import: \(message)", isOwn: true, session: session)
    // The author, or what was imported, may have erased facts.
    rewriteHistoryIfPossible(session)
    report.commit = rewritten(commit)
    return report
  }

  /// Writes the commit of an import, which no branch names yet; nil when there is nothing to
  /// commit, after an invalid line, or in a dry run.
  private func commitDocuments(
    _ input: FileDescriptor, over overlay: [String: [UInt8]?], _ pending: PendingState,
    _ options: ImportOptions, session: EditSession, _ onDocuments: (([Document]) -> Void)?
  ) throws -> (
    report: ImportReport, commit: (head: ObjectID?, id: ObjectID, message: String)?
  ) {
    let importer = try prepareImport(
      input, over: overlay, options, session: session, onDocuments)
    var report = importer.report
    let isRefused = report.problemCount > 0 && !options.skipsInvalid
    if isRefused || options.isDryRun || importer.edit.count == 0 { return (report, nil) }
    if !pending.state.changes.isEmpty {
      report.before = try commit(pending: pending, session: session)
    }
    let head = try repository.head()
    environment.report("writing trees", 0, of: 1)
    let message = options.message ?? report.summary
    let commit = try write(importer, on: head, message: message)
    report.reportedAllDocuments = importer.report.reportedAllDocuments
    return (report, (head, commit, message))
  }

  /// Packs the documents of an import and compares them with the existing ones.
  ///
  /// - Parameter overlay: The uncommitted changes in the work tree.
  func prepareImport(
    _ input: FileDescriptor, over overlay: [String: [UInt8]?] = [:], _ options: ImportOptions,
    session: EditSession, _ onDocuments: (([Document]) -> Void)? = nil
  ) throws -> Importer {
    let importer = try Importer(
      self, overlay: overlay, options, session: session, onDocuments: onDocuments)
    try read(input, into: importer)
    try importer.consolidate()
    return importer
  }

  /// Writes the trees and the commit of an import, and adds its pack to the repository.
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

  /// Reads all lines, one block at a time on all cores.
  private func read(_ input: FileDescriptor, into importer: Importer) throws {
    let size = Replica.size(of: input)
    let batches = (0..<16).map { _ in ImportBatch(keepsDocuments: importer.onDocuments != nil) }
    var blocks = LineReader(input)
    while let block = try blocks.next() {
      switch block {
      case .longLine: importer.takeLongLine()
      case .lines(let bytes):
        let chunks = bytes.chunks(batches.count)
        let (rules, now) = (importer.rules, environment.now())
        for start in stride(from: 0, to: chunks.count, by: batches.count) {
          nonisolated(unsafe) let filled = batches
          nonisolated(unsafe) let texts = chunks[start...].prefix(batches.count)
          DispatchQueue.concurrentPerform(iterations: texts.count) { index in
            filled[index].fill(texts[start + index], rules, now: now)
          }
          try importer.take(batches.prefix(texts.count))
        }
      }
      try environment.checkCancellation()
      environment.report("importing", blocks.done, of: size)
    }
  }

  /// Returns the size of a file; 0 for a pipe.
  private static func size(of input: FileDescriptor) -> Int {
    var status = stat()
    guard fstat(input.rawValue, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return 0 }
    return Int(status.st_size)
  }
}

extension UnsafeBufferPointer<UInt8> {
  /// Splits lines into nonempty blocks of about equal size: `count` blocks, or more of 128 KiB.
  fileprivate func chunks(_ count: Int) -> [UnsafeBufferPointer<UInt8>] {
    var chunks: [UnsafeBufferPointer<UInt8>] = []
    var start = 0
    // One core is enough for a few lines; the documents of many lines take ten times the memory.
    let size = Swift.min(Swift.max(self.count / count + 1, 16 << 10), 128 << 10)
    while start < self.count {
      let middle = Swift.min(start + size, self.count)
      let end = self[middle...].firstByte(0x0A).map { $0 + 1 } ?? self.count
      chunks.append(UnsafeBufferPointer(rebasing: self[start..<end]))
      start = end
    }
    return chunks
  }
}

extension ImportReport {
  /// A one-line summary of an import: “Import: add 2 photos, 5 labels”.
  fileprivate var summary: String {
    var added = added
    if !created.isEmpty { added[.class, default: 0] += created.count }
    let text = ChangeSummary(added: added, changed: changed).text
    return "Import: " + text.prefix(1).lowercased() + text.dropFirst()
  }
}
