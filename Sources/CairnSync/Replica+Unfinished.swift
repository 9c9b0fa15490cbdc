internal import CairnDocument
internal import CairnFiles
public import CairnGit
internal import CairnMerge
internal import CairnStore
internal import SystemPackage

/// What was found half done or unstamped in this copy before a command began, and was seen to.
public struct LocalRepairs: Equatable, Sendable {
  /// The merge that git had begun and could not end, and that was concluded.
  public internal(set) var concluded: ConcludedMerge?
  /// Documents that git had left in conflict, and that were joined.
  public internal(set) var resolved: [String] = []
  /// What other tools had committed here without a stamp, or broken.
  public internal(set) var amended: [Amendment] = []

  public var isEmpty: Bool { self == LocalRepairs() }
}

/// A merge that git had begun and cairn ended.
public struct ConcludedMerge: Equatable, Sendable {
  /// The commit that was checked out, what was merged into it (the last, where it was several), and
  /// what came of it.
  public let before: ObjectID
  public let theirs: ObjectID
  public let commit: ObjectID
  public let merge: MergeReport
  /// Uncommitted edits that were joined with it, and files that were left as they are.
  public let checkout: CheckoutReport
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
    if let what = try unfinished() { throw SyncError.unfinished(what, resolved: resolved) }
  }

  /// Returns what git is in the middle of: “rebase”.
  func unfinished() throws -> String? {
    let traces = [
      ("MERGE_HEAD", "merge"), ("rebase-merge", "rebase"), ("rebase-apply", "rebase"),
      ("CHERRY_PICK_HEAD", "cherry-pick"), ("REVERT_HEAD", "revert"),
    ]
    return try traces.first { name, _ in
      try world.files.exists(repository.gitDirectory.appending(name))
    }?.1
  }

  // MARK: Merges

  private var mergeHead: FilePath { repository.gitDirectory.appending("MERGE_HEAD") }

  /// Concludes a merge that git stopped in: what it could not merge is joined, and so is what it
  /// merged as lines.
  private func finishMerge(_ session: EditSession, _ repairs: inout LocalRepairs) throws {
    guard let bytes = try world.files.read(mergeHead, limit: 1 << 16),
      let head = try repository.head(), try !hasForeignConflicts()
    else { return }
    let others = String(decoding: bytes, as: UTF8.self).split { $0.isNewline }
      .compactMap { ObjectID($0) }
    let trees = try others.map { try repository.commit($0).tree }
    let ourTree = try repository.commit(head).tree

    var merged = head
    var report = MergeReport()
    for other in others where try !repository.isAncestor(other, of: merged) {
      let writer = AdaptiveObjectWriter(repository)
      let (tree, decided) = try mergeTrees(merged, other, writer: writer)
      merged = try writer.write(mergeCommit(of: merged, other, tree: tree))
      try writer.finish()
      report.add(decided)
    }
    if merged != head, let theirs = others.last {
      let checkout = try checkOut(
        merged, from: head, because: "merge: concluded", touchedBy: trees, session: session)
      repairs.concluded = ConcludedMerge(
        before: head, theirs: theirs, commit: merged, merge: report, checkout: checkout)
    }
    // Where our side stands, git may have left theirs, or both with conflict markers.
    for other in others {
      _ = try updateWorkTree(
        from: other, to: merged, touchedBy: trees + [ourTree], session: session)
    }
    for name in ["MERGE_HEAD", "MERGE_MODE", "MERGE_MSG", "AUTO_MERGE"] {
      try world.files.remove(repository.gitDirectory.appending(name))
    }
  }

  /// Whether a file that is no document is in conflict, which its owner has to decide.
  private func hasForeignConflicts() throws -> Bool {
    try repository.readIndex().entries.contains {
      $0.stage != 0 && DocumentPath($0.path)?.kind == nil
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
    var gone: [String] = []
    for (path, entries) in conflicts {
      guard let document = DocumentPath(path), document.kind != nil else { continue }
      let versions = try entries.map { (stage: $0.stage, bytes: try repository.blob($0.node.id)) }
      // git takes one label for another that was renamed: each goes where it belongs.
      for (stage, bytes) in versions where stage > 1 {
        guard let other = try? Document(bytes: bytes), other.path != document else { continue }
        let there = try directory.read(other.path.description)
        let joined = there.map { Replica.joined($0, bytes, other.path.description) } ?? bytes
        resolved.append(try resolve(other.path, joined))
      }
      let own = versions.filter { stage, bytes in
        (try? Document(bytes: bytes)).map { $0.path == document } ?? true
      }
      if let bytes = try resolution(of: own, at: document) {
        resolved.append(try resolve(document, bytes))
      } else {
        try directory.remove(path)
        gone.append(path)
      }
    }
    try updateIndex(
      resolved, removing: gone, in: try repository.tree(ofCommit: repository.head()))
    return (resolved.map(\.path) + gone).sorted()
  }

  /// Puts the outcome of a conflict into the work tree, and returns its entry for git's index.
  private func resolve(_ path: DocumentPath, _ bytes: [UInt8]) throws -> IndexFile.Entry {
    let status = try directory.write(bytes, to: path.description, durable: true)
    let blob = try LooseObjectWriter(repository).write(.blob, bytes)
    return IndexFile.Entry(
      path: path.description, node: TreeNode(.file, blob),
      status: status.map(IndexStatus.init) ?? .unknown)
  }

  /// Returns what a conflict comes to: what a person made of it, else the join of both sides, else
  /// the side that has it.
  private func resolution(
    of versions: [(stage: UInt8, bytes: [UInt8])], at document: DocumentPath
  ) throws -> [UInt8]? {
    func version(_ stage: UInt8) -> [UInt8]? { versions.first { $0.stage == stage }?.bytes }
    let (base, ours, theirs) = (version(1), version(2), version(3))
    if let working = try directory.read(document.description), working != ours, working != theirs,
      (try? Document(bytes: working, at: document)) != nil
    {
      return working
    }
    if let ours, let theirs {
      return DocumentMerge(base: base, ours, theirs, madeAt: try replayTime(), at: document).bytes
    }
    return ours ?? theirs
  }
}
