internal import CairnDocument
internal import CairnFiles
internal import CairnGit
internal import CairnMerge
internal import CairnStore
internal import SystemPackage

/// What was found half done or unstamped in this copy before a command began, and was seen to.
public struct LocalRepairs: Equatable, Sendable {
  /// The merge that git had begun and could not end, and that was concluded.
  public internal(set) var finishedMerge: MergeReport?
  /// Uncommitted edits that were joined with it, and files that were left as they are.
  public internal(set) var checkout = CheckoutReport()
  /// Documents that git had left in conflict, and that were joined.
  public internal(set) var resolved: [String] = []
  /// What other tools had committed here without a stamp, or broken.
  public internal(set) var amended: [Amendment] = []

  public var isEmpty: Bool { self == LocalRepairs() }
}

extension Replica {
  /// Ends what git began and could not end, and stamps what other tools have committed.
  ///
  /// - Throws: ``SyncError/unfinished(_:resolved:)`` where git itself has to go on first.
  func repairLocally(_ session: EditSession) throws -> LocalRepairs {
    try refreshConfiguration()
    var repairs = LocalRepairs()
    try finishMerge(session, &repairs)
    repairs.resolved = try resolveConflicts()
    try checkNothingUnfinished(resolved: repairs.resolved)
    repairs.amended = try amendOwnCommits(session)
    return repairs
  }

  /// Stops when git is in the middle of something that only it can end.
  func checkNothingUnfinished(resolved: [String] = []) throws {
    let traces = [
      ("MERGE_HEAD", "merge"), ("rebase-merge", "rebase"), ("rebase-apply", "rebase"),
      ("CHERRY_PICK_HEAD", "cherry-pick"), ("REVERT_HEAD", "revert"),
    ]
    for (name, what) in traces
    where try world.files.exists(repository.gitDirectory.appending(name)) {
      throw SyncError.unfinished(what, resolved: resolved)
    }
  }

  // MARK: Merges

  private var mergeHead: FilePath { repository.gitDirectory.appending("MERGE_HEAD") }

  /// Concludes a merge that git stopped in: what it could not merge is joined, and so is what it
  /// merged as lines.
  private func finishMerge(_ session: EditSession, _ repairs: inout LocalRepairs) throws {
    guard let bytes = try world.files.read(mergeHead, limit: 1 << 16),
      let head = try repository.head()
    else { return }
    let others = String(decoding: bytes, as: UTF8.self).split { $0.isNewline }
      .compactMap { ObjectID($0) }
    let trees = try others.map { try repository.commit($0).tree }
    let ourTree = try repository.commit(head).tree

    var merged = head
    for other in others where try !repository.isAncestor(other, of: merged) {
      let writer = AdaptiveObjectWriter(repository)
      let (tree, report) = try mergeTrees(merged, other, writer: writer)
      merged = try writer.write(mergeCommit(of: merged, other, tree: tree))
      try writer.finish()
      repairs.finishedMerge = report
    }
    if merged != head {
      repairs.checkout = try checkOut(
        merged, from: head, because: "merge: concluded", touchedBy: trees, session: session)
    }
    // Where our side stands, git may have left theirs, or both with conflict markers.
    let tree = try repository.commit(merged).tree
    for other in trees {
      _ = try updateWorkTree(
        from: other, to: tree, touchedBy: trees + [ourTree], session: session)
    }
    for name in ["MERGE_HEAD", "MERGE_MODE", "MERGE_MSG", "AUTO_MERGE"] {
      try world.files.remove(repository.gitDirectory.appending(name))
    }
  }

  // MARK: Conflicts in the index

  /// Joins the documents that git left in conflict, as a rebase, a cherry-pick, a revert or a stash
  /// does, and tells git's index so.
  ///
  /// - Returns: Their paths.
  private func resolveConflicts() throws -> [String] {
    let conflicts = Dictionary(
      grouping: try repository.readIndex().entries.filter { $0.stage != 0 }, by: \.path)
    var resolved: [IndexFile.Entry] = []
    for (path, entries) in conflicts {
      guard let document = DocumentPath(path), document.kind != nil,
        let bytes = try resolution(of: entries, at: document)
      else { continue }
      let status = try directory.write(bytes, to: path, durable: true)
      let blob = try LooseObjectWriter(repository).write(.blob, bytes)
      resolved.append(
        IndexFile.Entry(
          path: path, node: TreeNode(.file, blob), status: status.map(IndexStatus.init) ?? .unknown)
      )
    }
    try updateIndex(resolved)
    return resolved.map(\.path).sorted()
  }

  /// Returns what a conflict comes to: what a person made of it, else the join of both sides, else
  /// the side that has it.
  private func resolution(
    of entries: [IndexFile.Entry], at document: DocumentPath
  ) throws -> [UInt8]? {
    func version(_ stage: Int) throws -> [UInt8]? {
      try entries.first { $0.stage == stage }.map { try repository.blob($0.node.id) }
    }
    let (base, ours, theirs) = (try version(1), try version(2), try version(3))
    if let working = try directory.read(document.description), working != ours, working != theirs,
      (try? Document(bytes: working, at: document)) != nil
    {
      return working
    }
    if let ours, let theirs { return DocumentMerge(base: base, ours, theirs, at: document).bytes }
    return ours ?? theirs
  }
}
