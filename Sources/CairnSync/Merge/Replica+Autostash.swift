internal import CairnDocument
internal import CairnFiles
internal import CairnGit
internal import CairnStore
internal import SystemPackage

/// Uncommitted changes that git had stashed before a merge (`merge.autoStash`), and that cairn
/// applied after it.
public struct AppliedAutostash: Equatable, Sendable {
  /// Files that have these changes again.
  public internal(set) var applied: [String] = []
  /// Files that were left unchanged, since the merge changed them, too. If there are any, all of
  /// the changes are in git's stash.
  public internal(set) var left: [String] = []
}

extension Replica {
  private var autostashFile: FilePath { repository.gitDirectory.appending("MERGE_AUTOSTASH") }

  /// Applies the changes that git stashed before the merge that is being finished, and stages those
  /// that add or remove a file, as they were.
  ///
  /// Documents are merged as uncommitted changes are in a pull. As in git, the stash is kept if any
  /// of its changes cannot be applied.
  /// - Returns: Nil if git stashed nothing.
  func applyAutostash(_ session: EditSession) throws -> AppliedAutostash? {
    guard let bytes = try environment.files.read(autostashFile, limit: 256),
      let id = ObjectID(String(decoding: bytes, as: UTF8.self).prefix(40)),
      repository.contains(id)
    else { return nil }
    let stash = try repository.commit(id)
    // The second parent holds git's index.
    let staged = try repository.tree(ofCommit: stash.parents.dropFirst().first)
    let index = try repository.readIndex()
    var result = AppliedAutostash()
    var changes = IndexFile.Changes()
    try repository.diff(repository.tree(ofCommit: stash.parents.first), stash.tree) { difference in
      let path = difference.path
      guard try applyStashed(difference, index, session) else { return result.left.append(path) }
      result.applied.append(path)
      let isStaged = try repository.node(at: path, in: staged) != nil
      if difference.new == nil, !isStaged {
        changes.removed.append(path)
      } else if difference.old == nil, isStaged, DocumentPath(path) == nil,
        let node = difference.new
      {
        changes.entries.append(IndexFile.Entry(path: path, node: node, status: .unknown))
      }
    }
    try repository.updateIndex(changes, in: headTree())
    if !result.left.isEmpty { try storeStash(id) }
    try environment.files.remove(autostashFile)
    return result
  }

  /// Applies the stashed change of one file to the work tree.
  ///
  /// - Returns: Whether it was possible.
  private func applyStashed(
    _ difference: TreeDifference, _ index: IndexFile, _ session: EditSession
  ) throws -> Bool {
    let path = difference.path
    guard let location = try? directory.location(path), isCheckedOut(path),
      difference.new?.mode != .submodule, difference.old?.mode != .submodule
    else { return false }
    let document = DocumentPath(path)
    if let document, document.kind != nil, let node = difference.new {
      let base = try difference.old.map { try repository.blob($0.id) }
      let stashed = try repository.blob(node.id)
      var merged: [UInt8]? = stashed
      if let current = try directory.read(path), current != base {
        merged = merging(stashed, since: base, with: current, at: document, session)
      }
      guard let merged else { return false }
      try session.note([document])
      try directory.write(merged, to: path, durable: true)
      return true
    }
    // Whether it is as before the merge, or the change is already there.
    guard try isClean(difference, at: location, index: index, known: []) else { return false }
    guard let node = difference.new else {
      try directory.remove(path)
      return true
    }
    if difference.old != nil, try !environment.files.exists(location) { return false }
    var report = CheckoutReport()
    _ = try place(node, at: path, document, report: &report)
    return true
  }

  /// Adds a commit to git's stash, as `git stash store` does.
  private func storeStash(_ id: ObjectID) throws {
    let (name, last) = ("refs/stash", try repository.reference("refs/stash"))
    if last == id { return }
    try repository.moveReference(name, from: last, to: id, log: (try committer(), "autostash"))
  }
}
