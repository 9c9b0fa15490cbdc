internal import CairnDocument
internal import CairnGit
internal import CairnMerge
internal import CairnStore

/// The versions that a document had in the history up to a commit.
struct DocumentHistory {
  var versions: [[UInt8]] = []
  /// Whether the history was searched to its beginning.
  var isComplete = true

  /// Whether a version was among them, or may have been.
  func mayContain(_ version: [UInt8]) -> Bool { !isComplete || versions.contains(version) }

  /// Returns a document with a new stamp on every register that differs from one of the versions
  /// under the same stamp: an unstamped edit may have started from any of them.
  func stampingContradictions(
    in document: JSON, _ stamp: (Stamp) throws -> Stamp
  ) rethrows -> JSON {
    try document.stampingContradictions(of: versions.compactMap { try? JSON(bytes: $0) }, stamp)
  }
}

extension Replica {
  /// The maximum number of commits that are searched.
  private static let historyLimit = 5000

  func history(of path: DocumentPath, upTo commit: ObjectID) throws -> DocumentHistory {
    let (trees, isComplete) = try historyTrees(upTo: commit)
    var history = DocumentHistory(isComplete: isComplete)
    try forEachVersion(of: path, in: trees) { version in
      if try isDocumentSize(of: version) { history.versions.append(try repository.blob(version)) }
      return true
    }
    return history
  }

  /// Returns the newest manifest that parses in the history up to a commit.
  func lastManifest(upTo commit: ObjectID) throws -> [UInt8]? {
    var valid: [UInt8]?
    try forEachVersion(of: .manifest, in: historyTrees(upTo: commit).trees) { version in
      guard try isDocumentSize(of: version) else { return true }
      let bytes = try repository.blob(version)
      if Replica.manifestError(bytes) == nil { valid = bytes }
      return valid == nil
    }
    return valid
  }

  /// Whether a blob is not too large for a document.
  private func isDocumentSize(of blob: ObjectID) throws -> Bool {
    try repository.size(of: blob) <= DocumentLimit.size
  }

  /// Returns the last version of a document that a commit lacks: the merge of the effective versions
  /// from which its removals started; nil if there is none.
  ///
  /// A commit that still has the document may be newer than an edit and a removal elsewhere.
  func lastVersion(of path: DocumentPath, upTo tip: ObjectID) throws -> [UInt8]? {
    try lastVersion(of: path, before: [tip])
  }

  /// Returns the last version of a document before those of `tips` that lack it; nil if there is
  /// none.
  func lastVersion(of path: DocumentPath, in tips: [ObjectID]) throws -> [UInt8]? {
    try lastVersion(
      of: path,
      before: try tips.filter {
        try !repository.hasFile(at: path.description, in: repository.commit($0).tree)
      })
  }

  /// Returns the last version of a document that a commit lacks and that another document refers to.
  ///
  /// git may have taken it out of this history, but not what refers to it, as `git switch` and
  /// `git reset` do with uncommitted documents, and `git cherry-pick` with commits: another branch has
  /// it, or a commit that was checked out here before.
  func referencedVersion(of path: DocumentPath, upTo tip: ObjectID) throws -> [UInt8]? {
    if let last = try lastVersion(of: path, upTo: tip) { return last }
    let others =
      try Array(repository.references().values)
      + repository.earlierValues(of: "HEAD").prefix(Replica.historyLimit)
    // Another branch may be damaged or incomplete, which must not prevent commits on this one.
    var tips = Set(others).filter { other in
      guard repository.contains(other), let tree = try? repository.tree(ofCommit: other)
      else { return false }
      return (try? repository.hasFile(at: path.description, in: tree)) ?? false
    }
    do {
      // The version of a commit includes those of its ancestors.
      if tips.count > 1 {
        try repository.walk(from: tips.sorted()) { id in
          tips.subtract(try repository.commit(id).parents)
          return tips.count > 1
        }
      }
      return try lastVersion(of: path, before: tips.sorted())
    } catch let error as GitError where error.code != .cancelled {
      return nil
    }
  }

  private func lastVersion(of path: DocumentPath, before tips: [ObjectID]) throws -> [UInt8]? {
    if tips.isEmpty { return nil }
    var last: [UInt8]?
    var open = Set(tips)
    var left = Replica.historyLimit
    do {
      try repository.walk(from: tips) { id in
        left -= 1
        guard open.remove(id) != nil else { return left > 0 }
        let commit = try repository.commit(id)
        if let version = try effectiveVersion(of: path, in: commit, id) {
          last = last.map { Replica.merged($0, version, path.description) } ?? version
        } else {
          open.formUnion(commit.parents)
        }
        return !open.isEmpty && left > 0
      }
    } catch let error as GitError where error.code == .incomplete {
      // A shallow clone that is offline.
    }
    return last
  }

  /// Returns the valid version of a document or image pointer that a commit means; nil if there is
  /// none.
  private func effectiveVersion(
    of path: DocumentPath, in commit: Commit, _ id: ObjectID
  ) throws -> [UInt8]? {
    guard let node = try repository.node(at: path.description, in: commit.tree)?.file,
      node.mode != .submodule
    else { return nil }
    let bytes = try isDocumentSize(of: node.id) ? repository.blob(node.id) : []
    if let blob = path.blob { return Pointer(bytes: bytes)?.id == blob ? bytes : nil }
    var version: [UInt8]? = bytes
    if let fixup = try checkedFixups(upTo: id).documents[path.description] { version = fixup.bytes }
    guard let version else { return nil }
    return (try? Document(bytes: version, at: path)) == nil ? nil : version
  }

  /// Calls `body` with each distinct version of a document in some trees, until it returns false. A
  /// directory that is unchanged in the next tree is not read again.
  private func forEachVersion(
    of path: DocumentPath, in trees: [ObjectID], _ body: (ObjectID) throws -> Bool
  ) throws {
    let parts = path.description.split(separator: "/", maxSplits: 1).map(String.init)
    var seen: Set<ObjectID> = []
    var last: TreeNode?
    for tree in trees {
      let top = try repository.node(at: parts[0], in: tree)
      if top == last { continue }
      last = top
      let directory = top.flatMap { $0.isDirectory ? $0.id : nil }
      let node = parts.count == 1 ? top : try repository.node(at: parts[1], in: directory)
      guard let node, !node.isDirectory, node.mode != .submodule, seen.insert(node.id).inserted
      else { continue }
      if try !body(node.id) { return }
    }
  }

  /// Returns the trees of the history up to a commit, newest first, listed once for all paths.
  private func historyTrees(upTo commit: ObjectID) throws -> (trees: [ObjectID], isComplete: Bool) {
    if let historyTrees, historyTrees.tip == commit {
      return (historyTrees.trees, historyTrees.isComplete)
    }
    var (trees, left) = ([ObjectID](), Replica.historyLimit)
    do {
      try repository.walk(from: [commit]) { id in
        left -= 1
        let tree = left < 0 ? nil : try repository.commit(id).tree
        if let tree, tree != trees.last { trees.append(tree) }
        return left >= 0
      }
    } catch let error as GitError where error.code == .incomplete {
      // A shallow clone that is offline.
      left = -1
    }
    historyTrees = (commit, trees, left >= 0)
    return (trees, left >= 0)
  }
}
