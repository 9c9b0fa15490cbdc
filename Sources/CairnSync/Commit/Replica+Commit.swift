package import CairnDocument
internal import CairnFiles
public import CairnGit
internal import CairnMerge
package import CairnStore

/// The result of a commit.
public struct CommitResult: Sendable {
  /// The new commit; nil when there was nothing to commit.
  public fileprivate(set) var commit: ObjectID?
  /// The changes that were committed.
  public let changes: [WorkingChange]
  /// Files that were left out, with the reason.
  public let problems: [WorkingProblem]
  /// The repairs made before the commit.
  public let repairs: Repairs
  /// The number of files in a checkout so large that only those written by cairn were checked.
  public var uncheckedFiles = 0
}

extension Replica {
  /// Commits the changes in the work tree, including unstamped edits.
  ///
  /// In a very large checkout only the files that cairn has written are checked, so that the cost
  /// depends on what changes.
  ///
  /// Documents are committed in canonical form; a register that was edited without a stamp gets
  /// one. Files that do not parse are left out and reported. Afterwards `git status` is clean
  /// except for those.
  /// - Parameters:
  ///   - message: Nil for a summary of the changes.
  ///   - others: Files other than documents to commit, such as `.gitattributes`.
  ///   - everywhere: Whether to check every file, regardless of their number, and to repair
  ///     everything that is committed, regardless of its age.
  @discardableResult
  package func commit(
    message: String? = nil, others: [String] = [], everywhere: Bool = false, session: EditSession
  ) throws -> CommitResult {
    try commit(
      message: message, others: others, everywhere: everywhere, pending: nil, session: session)
  }

  /// What a commit on `head` would find.
  struct PendingState {
    let head: ObjectID?
    let state: WorkingState
  }

  /// Commits the changes in the work tree.
  ///
  /// - Parameter pending: Changes that were found in this edit session, which count if the last commit is
  ///   still the same.
  func commit(
    message: String? = nil, others: [String] = [], everywhere: Bool = false,
    pending: PendingState?, session: EditSession
  ) throws -> CommitResult {
    let files = try repository.indexEntryCount()
    let isLarge = files >= largeCheckout && !everywhere
    let repairs = try repairLocally(session, everywhere: everywhere)
    var result = try commit(message: message, others: others, repairs: repairs, session: session) {
      if let pending, try repository.head() == pending.head { return pending.state }
      return try isLarge ? journaledState() : workingState(usesDirectoryCache: !everywhere)
    }
    if isLarge { result.uncheckedFiles = files }
    // What other tools have written, or the commit's own author, may have erased facts.
    rewriteHistoryIfPossible(session)
    result.commit = result.commit.map(rewritten)
    return result
  }

  private func commit(
    message: String?, others: [String], repairs: Repairs, session: EditSession,
    readingState: () throws -> WorkingState
  ) throws -> CommitResult {
    let parent = try repository.head()
    let oldTree = try repository.tree(ofCommit: parent)

    var (state, changes) = (try readingState(), [WorkingChange]())
    var strays = state.strays
    for change in state.changes {
      let path = change.path.description
      switch try normalize(change, since: parent, oldTree, session: session) {
      case .change(let normalized): changes.append(normalized)
      case .committedBefore: if let status = change.status { strays.append((path, status)) }
      case .unknownBase: state.problems.append(WorkingProblem(path: path, reason: .unknownBase))
      }
    }
    let writer = AdaptiveObjectWriter(repository)
    changes += try restoreReferences(of: changes, in: oldTree, upTo: parent)
    var nodes = try changes.map { change -> Repository.TreeChange in
      let id = try change.blob.map { try writer.write(.blob, $0) }
      return (change.path.description, id.map { TreeNode(.file, $0) })
    }
    for path in others {
      if let bytes = try directory.read(path) {
        nodes.append((path, TreeNode(.file, try writer.write(.blob, bytes))))
      }
    }
    let refused = try checkClonedPaths(session, changing: nodes.map(\.path))
    if !refused.isEmpty {
      var repairs = repairs
      repairs.fixups += refused
      return try commit(
        message: message, others: others, repairs: repairs, session: session,
        readingState: readingState)
    }
    let tree = try repository.edit(oldTree, nodes, writer: writer)
    guard tree != oldTree else {
      try updateIndex(state.unindexed, in: oldTree, updatingCollapsed: !strays.isEmpty)
      try removeStrays(strays)
      try repository.closeIndex(in: oldTree)
      try directory.resetJournal(remaining: state.unread)
      return CommitResult(
        commit: nil, changes: [], problems: state.problems, repairs: repairs)
    }

    let summary = message ?? ChangeSummary(changes).text
    let commit = try writer.write(
      Commit(
        tree: tree, parents: parent.map { [$0] } ?? [], author: try author(),
        committer: try committer(), message: summary))
    try writer.finish()

    let statuses = Dictionary(
      uniqueKeysWithValues: changes.map { ($0.path.description, $0.status ?? .unknown) })
    let added = nodes.compactMap { path, node -> IndexFile.Entry? in
      guard let node else { return nil }
      var entry = IndexFile.Entry(path: path, node: node, status: statuses[path] ?? .unknown)
      entry.isSkipped = !isCheckedOut(path)
      return entry
    }
    try updateIndex(
      state.unindexed + added, removing: nodes.filter { $0.node == nil }.map(\.path), in: tree,
      updatingCollapsed: !strays.isEmpty
    ) {
      let log = parent == nil ? "commit (initial): \(summary)" : "commit: \(summary)"
      try repository.moveReference(
        try branch(), from: parent, to: commit, log: (try committer(), log))
    }
    try removeStrays(
      strays
        + changes.compactMap { change in
          change.status.map { (change.path.description, $0) }
        })
    try repository.closeIndex(in: tree)
    try directory.resetJournal(remaining: state.unread)
    if !hasSkippedFixups { try noteSeen(commit) }
    return CommitResult(
      commit: commit, changes: changes, problems: state.problems, repairs: repairs)
  }

  private enum NormalizedChange {
    case change(WorkingChange)
    /// The change adds nothing to the last commit.
    case committedBefore
    /// See ``WorkingProblem/Reason/unknownBase``.
    case unknownBase
  }

  /// Returns the change in canonical form with stamps on its unstamped edits, and updates the work
  /// tree to match.
  private func normalize(
    _ change: WorkingChange, since head: ObjectID?, _ tree: ObjectID?, session: EditSession
  ) throws -> NormalizedChange {
    guard change.path.kind != nil, let blob = change.blob else { return .change(change) }
    var json = try JSON(bytes: blob)
    if let head, let old = try repository.node(at: change.path.description, in: tree)?.file,
      let before = try self.json(of: old)
    {
      if isCheckedOut(change.path.description) {
        json = json.stampingEdits(since: before) { session.stamp(replacing: $0) }
      } else {
        // Outside the sparse checkout, git moves the branch under a file, and editors hold versions
        // committed long ago: this is not necessarily an edit of the last one.
        let edited = json.stampingContradictions(of: [before]) { session.stamp(replacing: $0) }
        json = edited.joined(with: before)
        if json != edited {
          let history = try history(of: change.path, upTo: head)
          if !history.isComplete, !history.versions.contains(blob) { return .unknownBase }
          json = history.stampingContradictions(in: edited) { session.stamp(replacing: $0) }
            .joined(with: before)
        }
        if json == before { return .committedBefore }
      }
    }
    let bytes = json.canonicalBytes
    if bytes == blob { return .change(change) }
    // An edit made since the file was read is left to the next commit.
    let path = change.path.description
    let now = try environment.files.status(try directory.location(path)).map(IndexStatus.init)
    let placed = now == change.status ? try directory.write(bytes, to: path) : nil
    return .change(
      WorkingChange(
        path: change.path, kind: change.kind, blob: bytes, status: placed.map(IndexStatus.init)))
  }

  /// Removes committed files from the work tree that do not belong there, unless they have changed
  /// since they were read: outside the sparse checkout, documents are read from the commit.
  private func removeStrays(_ committed: [(path: String, status: IndexStatus)]) throws {
    for (path, status) in committed where !isCheckedOut(path) {
      let now = try environment.files.status(try directory.location(path)).map(IndexStatus.init)
      if now == status { try directory.remove(path) }
    }
  }

  /// Adds entries to git's index and removes paths from it.
  ///
  /// - Parameter tree: The tree of the last commit.
  func updateIndex(
    _ entries: [IndexFile.Entry], removing removed: [String] = [], in tree: ObjectID?,
    updatingCollapsed: Bool = false, moving move: () throws -> Void = {}
  ) throws {
    var changes: [String: IndexFile.Entry?] = [:]
    for entry in entries { changes[entry.path] = .some(entry) }
    for path in removed { changes[path] = .some(nil) }
    try repository.updateIndex(
      IndexFile.Changes(changes), in: tree, updatingCollapsed: updatingCollapsed, moving: move)
  }
}

extension WorkingState {
  /// The documents that could not be committed.
  fileprivate var unread: [DocumentPath] {
    problems.compactMap { DocumentPath($0.path) }.filter { $0.kind != nil }
  }
}

/// A one-line summary of changes: “Add 2 photos, 5 labels; change 1 pin”.
public struct ChangeSummary: Equatable, Sendable {
  package private(set) var counts: [WorkingChange.Kind: [DocumentKind: Int]] = [:]

  /// Creates a summary of changes; changed images do not count.
  public init(_ changes: some Sequence<WorkingChange>) {
    for change in changes {
      if let kind = change.path.kind { counts[change.kind, default: [:]][kind, default: 0] += 1 }
    }
  }

  /// Creates a summary from the numbers of documents of each kind that were added and changed.
  init(added: [DocumentKind: Int], changed: [DocumentKind: Int]) {
    counts = [.added: added, .modified: changed]
  }

  /// The summary.
  public var text: String {
    let verbs: [(WorkingChange.Kind, String)] = [
      (.added, "add"), (.modified, "change"), (.removed, "remove"),
    ]
    let parts = verbs.compactMap { kind, verb -> String? in
      guard let counts = counts[kind], !counts.isEmpty else { return nil }
      let things = DocumentKind.allCases.compactMap { kind in
        counts[kind].map { ChangeSummary.count($0, kind) }
      }
      return "\(verb) \(things.joined(separator: ", "))"
    }
    let text = parts.joined(separator: "; ")
    return text.isEmpty
      ? "Update images and models" : text.prefix(1).uppercased() + text.dropFirst()
  }

  /// Returns “1 photo”, “2 photos”, “2 classes”.
  package static func count(_ count: Int, _ kind: DocumentKind) -> String {
    let name = kind == .dataset ? "manifest" : kind.rawValue
    return "\(count) \(name)" + (count == 1 ? "" : kind == .class ? "es" : "s")
  }
}
