public import CairnDocument
internal import CairnFiles
public import CairnGit
internal import CairnMerge
public import CairnStore

/// What a commit holds.
public struct CommitResult: Sendable {
  /// The new commit; nil when there was nothing to commit.
  public let commit: ObjectID?
  public let changes: [WorkingChange]
  /// What was left out, and why.
  public let problems: [WorkingProblem]
}

extension Replica {
  /// Commits all changes of the work tree, those made by hand included.
  ///
  /// Documents are committed in canonical form; a register changed by hand gets a stamp. What does
  /// not read is left out and told. Afterwards `git status` is clean but for that.
  /// - Parameter message: Nil for a summary of the changes.
  @discardableResult
  public func commit(message: String? = nil, session: EditSession) throws -> CommitResult {
    try checkNothingUnfinished()
    let state = try workingState()
    let parent = try repository.head()
    let oldTree = try repository.tree(ofCommit: parent)

    let changes = try state.changes.map { change in
      try normalised(change, since: oldTree, session: session)
    }
    let writer = AdaptiveObjectWriter(repository)
    var nodes = try changes.map { change -> Repository.TreeChange in
      let id = try change.blob.map { try writer.write(.blob, $0) }
      return (change.path.description, id.map { TreeNode(.file, $0) })
    }
    let attributes = Attributes.path
    if try repository.node(at: attributes, in: oldTree) == nil,
      let bytes = try directory.read(attributes)
    {
      nodes.append((attributes, TreeNode(.file, try writer.write(.blob, bytes))))
    }
    let tree = try repository.edit(oldTree, nodes, writer: writer)
    guard tree != oldTree else {
      try updateIndex(state.unindexed, removing: [])
      try directory.resetJournal(remaining: state.unread)
      return CommitResult(commit: nil, changes: [], problems: state.problems)
    }

    let summary = message ?? ChangeSummary(changes).text
    let commit = try writer.write(
      Commit(
        tree: tree, parents: parent.map { [$0] } ?? [], author: try author(),
        committer: try committer(), message: summary))
    try writer.finish()
    try repository.moveReference(
      try branch(), from: parent, to: commit,
      log: (try committer(), parent == nil ? "commit (initial): \(summary)" : "commit: \(summary)"))

    var added = state.unindexed
    for case (let path, let node?) in nodes { added[path] = node }
    try updateIndex(added, removing: nodes.filter { $0.node == nil }.map(\.path))
    try directory.resetJournal(remaining: state.unread)
    return CommitResult(commit: commit, changes: changes, problems: state.problems)
  }

  /// Returns the change with a stamp on what was edited by hand, in canonical bytes, and makes the
  /// work tree agree.
  private func normalised(
    _ change: WorkingChange, since tree: ObjectID?, session: EditSession
  ) throws -> WorkingChange {
    guard change.path.kind != nil, let blob = change.blob else { return change }
    var json = try JSON(bytes: blob)
    if let old = try repository.node(at: change.path.description, in: tree),
      let before = try? JSON(bytes: repository.blob(old.id))
    {
      json = json.stampingEdits(since: before) { session.stamp(replacing: $0) }
    }
    let bytes = json.canonicalBytes
    if bytes != blob { try directory.write(bytes, to: change.path.description) }
    return WorkingChange(path: change.path, kind: change.kind, blob: bytes)
  }

  /// Tells git's index that these files are in the work tree as given.
  func updateIndex(_ nodes: [String: TreeNode], removing removed: [String]) throws {
    var changes: [String: IndexFile.Entry?] = [:]
    for (path, node) in nodes {
      guard let status = try world.files.status(try directory.location(path)) else { continue }
      changes[path] = .some(
        IndexFile.Entry(path: path, node: node, status: IndexStatus(status)))
    }
    for path in removed { changes[path] = .some(nil) }
    if changes.isEmpty { return }
    try repository.updateIndex { $0.update(changes) }
  }
}

extension WorkingState {
  /// The documents that could not be committed.
  fileprivate var unread: [DocumentPath] {
    problems.compactMap { DocumentPath($0.path) }.filter { $0.kind != nil }
  }
}

/// What some changes amount to, in a line: “Add 2 photos, 5 labels; change 1 pin”.
public struct ChangeSummary: Equatable, Sendable {
  public private(set) var counts: [WorkingChange.Kind: [DocumentKind: Int]] = [:]

  public init(_ changes: some Sequence<WorkingChange>) {
    for change in changes {
      if let kind = change.path.kind { counts[change.kind, default: [:]][kind, default: 0] += 1 }
    }
  }

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
    return text.isEmpty ? "Update images" : text.prefix(1).uppercased() + text.dropFirst()
  }

  /// Returns “1 photo”, “2 photos”, “2 classes”.
  public static func count(_ count: Int, _ kind: DocumentKind) -> String {
    let name = kind == .dataset ? "manifest" : kind.rawValue
    return "\(count) \(name)" + (count == 1 ? "" : kind == .class ? "es" : "s")
  }
}
