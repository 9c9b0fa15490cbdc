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
    return repairs
  }

  /// Throws an error when git is in the middle of an operation that only git can finish.
  func checkNothingUnfinished(resolved: [String] = []) throws {
    if let operation = try interruptedOperation() {
      throw SyncError.unfinished(operation, resolved: resolved)
    }
  }

  // MARK: Merges

  private var mergeHead: FilePath { repository.gitDirectory.appending("MERGE_HEAD") }

  /// Finishes a merge that git stopped in: merges the documents in conflict, and also those that
  /// git merged as lines.
  private func finishMerge(_ session: EditSession, _ repairs: inout Repairs) throws {
    guard let bytes = try environment.files.read(mergeHead, limit: 1 << 16),
      let head = try repository.head(), try !hasOtherConflicts()
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
        merged, from: head, reason: "merge: finished", touchedBy: trees, session: session)
      repairs.finishedMerge = FinishedMerge(
        before: head, theirs: theirs, commit: merged, merge: report, checkout: checkout)
    }
    // In place of our version, git may have left theirs, or both with conflict markers.
    for other in others {
      _ = try updateWorkTree(
        from: other, to: merged, touchedBy: trees + [ourTree], session: session)
    }
    for name in ["MERGE_HEAD", "MERGE_MODE", "MERGE_MSG", "AUTO_MERGE"] {
      try environment.files.remove(repository.gitDirectory.appending(name))
    }
  }

  /// Whether a file that is neither a document nor an image is in conflict, which its owner has to
  /// resolve.
  private func hasOtherConflicts() throws -> Bool {
    try repository.readIndex().entries.contains {
      $0.stage != 0 && DocumentPath($0.path) == nil
    }
  }

  // MARK: Conflicts in the index

  /// Merges the documents that git left in conflict, as after a rebase, a cherry-pick, a revert or
  /// a stash, restores the images of their photos, and updates git's index.
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
      // git's rename detection may pair two different labels: write each to its own path.
      for (stage, bytes) in versions where stage > 1 {
        guard let other = try? Document(bytes: bytes), other.path != document else { continue }
        let there = try directory.read(other.path.description)
        let merged = there.map { Replica.merged($0, bytes, other.path.description) } ?? bytes
        resolved.append(try resolve(other.path, merged))
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
    for path in conflicts.keys {
      guard let document = DocumentPath(path), case .image = document else { continue }
      if let entry = try resolveImage(document) {
        resolved.append(entry)
      } else {
        try directory.remove(path)
        gone.append(path)
      }
    }
    try updateIndex(
      resolved, removing: gone, in: try repository.tree(ofCommit: repository.head()))
    return (resolved.map(\.path) + gone).sorted()
  }

  /// Writes the image that belongs at a path, or the pointer to it, and returns its entry for git's
  /// index; nil when its photo does not exist.
  private func resolveImage(_ path: DocumentPath) throws -> IndexFile.Entry? {
    guard let id = path.photo,
      let photo = try directory.read(DocumentPath.photo(id).description),
      let pointer = Replica.pointer(toImageAt: path, of: photo)
    else { return nil }
    let node = TreeNode(.file, try LooseObjectWriter(repository).write(.blob, pointer.bytes))
    var report = CheckoutReport()
    let status = try place(node, at: path.description, path, report: &report)
    if report.imagesMissing > 0 { try noteUnfetchedImages() }
    return IndexFile.Entry(
      path: path.description, node: node, status: status.map(IndexStatus.init) ?? .unknown)
  }

  /// Returns the merge of a document that git left in conflict; nil when it is not in conflict.
  func mergedConflict(at path: DocumentPath) throws -> Document? {
    let entries = try repository.readIndex().entries.filter {
      $0.stage != 0 && $0.path == path.description
    }
    let versions = try entries.map { (stage: $0.stage, bytes: try repository.blob($0.node.id)) }
    let bytes = versions.isEmpty ? nil : try resolution(of: versions, at: path)
    return bytes.flatMap { try? Document(bytes: $0, at: path) }
  }

  /// Writes the merged document to the work tree, and returns its entry for git's index.
  private func resolve(_ path: DocumentPath, _ bytes: [UInt8]) throws -> IndexFile.Entry {
    let status = try directory.write(bytes, to: path.description, durable: true)
    let blob = try LooseObjectWriter(repository).write(.blob, bytes)
    return IndexFile.Entry(
      path: path.description, node: TreeNode(.file, blob),
      status: status.map(IndexStatus.init) ?? .unknown)
  }

  /// Returns the merged document of a conflict: a person's own version, otherwise the merge of both
  /// sides, otherwise the only side that has it.
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
    guard let ours, let theirs else { return ours ?? theirs }
    let seconds = try replayTime()
    if try interruptedOperation()?.kind == .merge {
      return DocumentMerge(base: base, ours, theirs, madeAt: seconds, at: document).bytes
    }
    let there = try effectiveInHead(ours, at: document)
    let replayed = Replica.stampingContradictions(theirs, of: there, at: seconds)
    return DocumentMerge(base: base, there, replayed, madeAt: seconds, at: document).bytes
  }

  /// Returns the effective version of a document in the last commit: a plain git user may have
  /// edited it there, and git replays a change on it before cairn has stamped that edit.
  private func effectiveInHead(_ bytes: [UInt8], at path: DocumentPath) throws -> [UInt8] {
    guard let head = try repository.head() else { return bytes }
    let known = try checkedAncestor(of: head)
    let fixups = try fixups(of: head, excluding: known.map { [$0] } ?? [])
    return fixups.documents[path.description].flatMap(\.bytes) ?? bytes
  }

  /// Returns a version that git replays, with a new stamp on everything that has the stamp of the
  /// version that is already there, but another value: it was edited by hand.
  private static func stampingContradictions(
    _ replayed: [UInt8], of there: [UInt8], at seconds: Int64
  ) -> [UInt8] {
    guard let json = try? JSON(bytes: replayed), let known = try? JSON(bytes: there) else {
      return replayed
    }
    return json.stampingContradictions(of: [known]) { $0.successorByOtherTools(at: seconds) }
      .canonicalBytes
  }
}
