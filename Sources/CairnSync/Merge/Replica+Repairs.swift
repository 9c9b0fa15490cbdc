internal import CairnDocument
internal import CairnFiles
public import CairnGit
internal import CairnMerge
internal import CairnStore
internal import SystemPackage

/// The repairs of unfinished merges, conflicts and unstamped edits, made before a command began.
public struct Repairs: Equatable, Sendable {
  /// The merge that git had begun and could not finish, and that cairn finished.
  public internal(set) var finishedMerge: FinishedMerge?
  /// The changes that git had stashed before that merge, and that cairn applied.
  public internal(set) var autostash: AppliedAutostash?
  /// Documents that git had left in conflict, and that were merged.
  public internal(set) var resolved: [String] = []
  /// Fixups for documents that other tools had committed here without a stamp, or broken.
  public internal(set) var fixups: [Fixup] = []
}

/// A merge that git began and cairn finished.
public struct FinishedMerge: Equatable, Sendable {
  /// The commit that was checked out before.
  package let before: ObjectID
  /// The commit that was merged; the last one of several.
  package let theirs: ObjectID
  /// The resulting commit.
  public let commit: ObjectID
  /// Files other than documents whose staged version was taken: somebody resolved their conflict.
  public let staged: [String]
  /// What was merged.
  public let merge: MergeReport
  /// Uncommitted edits that were merged with it, and files that were left unchanged.
  public let checkout: CheckoutReport
}

extension Replica {
  /// Finishes what git began and could not finish, and stamps what other tools have committed.
  ///
  /// - Throws: ``SyncError/unfinished(_:resolved:)`` when git itself has to continue first.
  func repairLocally(_ session: EditSession, everywhere: Bool = false) throws -> Repairs {
    var repairs = Repairs()
    try finishMerge(session, &repairs)
    repairs.resolved = try resolveConflicts()
    try checkNothingUnfinished(resolved: repairs.resolved)
    repairs.fixups = try fixUpOwnCommits(session, everywhere: everywhere)
    if everywhere { repairs.fixups += try restoreAttributes(session) }
    return repairs
  }

  /// Throws an error when git is in the middle of an operation that only git can finish.
  func checkNothingUnfinished(resolved: [String] = []) throws {
    if let operation = try interruptedOperation() {
      throw SyncError.unfinished(operation, resolved: resolved)
    }
  }

  // MARK: Merges

  /// The file with the commits that git is merging.
  var mergeHead: FilePath { repository.gitDirectory.appending("MERGE_HEAD") }

  /// Finishes a merge that git stopped in: merges the documents in conflict, and also those that
  /// git merged as lines. Without a branch, as during `git rebase --rebase-merges`, git continues.
  private func finishMerge(_ session: EditSession, _ repairs: inout Repairs) throws {
    guard let bytes = try environment.files.read(mergeHead, limit: 1 << 16),
      let head = try repository.head(), try repository.headBranch() != nil,
      try !hasOtherConflicts()
    else { return }
    // git writes the id of an annotated tag, not that of its commit.
    let others = try String(decoding: bytes, as: UTF8.self).split { $0.isNewline }
      .map { try repository.commit(named: String($0)) }
    let trees = try others.map { try repository.commit($0).tree }
    let ourTree = try repository.commit(head).tree

    // The other side may contain what was replaced here, with the same stamps.
    var (merged, fixups) = try commitReplacingSeen(head)
    var report = MergeReport()
    report.fixups = fixups
    for other in others where try !repository.isAncestor(other, of: merged) {
      let writer = AdaptiveObjectWriter(repository)
      let (tree, decided) = try mergeTrees(merged, other, writer: writer)
      merged = try writer.write(mergeCommit(of: merged, other, tree: tree))
      try writer.finish()
      report.add(decided)
    }
    if merged != head, let theirs = others.last {
      let (commit, staged) = try commitStagedFiles(over: merged)
      report.replaced.removeAll { staged.contains($0) }
      let checkout = try checkOut(
        commit, from: head, reason: "merge: finished", touchedBy: trees, session: session)
      repairs.finishedMerge = FinishedMerge(
        before: head, theirs: theirs, commit: commit, staged: staged, merge: report,
        checkout: checkout)
      merged = commit
    }
    // In place of our version, git may have left theirs, or both with conflict markers.
    for other in others {
      _ = try updateWorkTree(
        from: other, to: merged, touchedBy: trees + [ourTree], session: session)
    }
    repairs.autostash = try applyAutostash(session)
    for name in ["MERGE_HEAD", "MERGE_MODE", "MERGE_MSG", "AUTO_MERGE"] {
      try environment.files.remove(repository.gitDirectory.appending(name))
    }
  }

  /// Commits the staged versions of files that are not documents on top of a merge: git's own merge
  /// of them, or what a person made of it.
  ///
  /// - Returns: The commit, which is the merge itself if nothing differs, and the paths.
  private func commitStagedFiles(
    over merge: ObjectID
  ) throws -> (commit: ObjectID, paths: [String]) {
    let (tree, index) = (try repository.commit(merge).tree, try repository.readIndex())
    let changes = try repository.stagedPaths(index, since: tree).compactMap {
      path -> Repository.TreeChange? in
      if DocumentPath(path) != nil || index[path + "/"] != nil { return nil }
      return (path, index[path]?.node)
    }
    if changes.isEmpty { return (merge, []) }
    let paths = changes.map(\.0)
    let files = paths.count == 1 ? paths[0] : "\(paths.count) files"
    let writer = AdaptiveObjectWriter(repository)
    let commit = try writer.write(
      Commit(
        tree: try repository.edit(tree, changes, writer: writer), parents: [merge],
        author: try author(), committer: try committer(), message: "Resolve conflicts in \(files)"))
    try writer.finish()
    return (commit, paths)
  }

  /// Whether a file that is neither a document nor an image is in conflict, which its owner has to
  /// resolve.
  private func hasOtherConflicts() throws -> Bool {
    try repository.conflictedEntries().contains {
      DocumentPath($0.path) == nil
    }
  }
}
