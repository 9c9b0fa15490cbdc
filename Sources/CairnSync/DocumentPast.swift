internal import CairnDocument
internal import CairnGit
internal import CairnMerge

/// The versions that a document had in the history up to a commit.
struct DocumentPast {
  var versions: [[UInt8]] = []
  /// Whether the history was looked through to its beginning.
  var isWhole = true

  /// Whether a version was among them, or may have been.
  func mayHold(_ version: [UInt8]) -> Bool { !isWhole || versions.contains(version) }

  /// Returns a document with a new stamp on every register that says something else than one of the
  /// versions under the very same stamp: who changed it by hand may have started from any of them.
  func stampingContradictions(
    in document: JSON, _ stamp: (Stamp) throws -> Stamp
  ) rethrows -> JSON {
    try document.stampingContradictions(of: versions.compactMap { try? JSON(bytes: $0) }, stamp)
  }
}

extension Replica {
  /// How many commits are looked through.
  private static let pastLimit = 5000

  func past(of path: DocumentPath, upTo commit: ObjectID) throws -> DocumentPast {
    let (trees, isWhole) = try pastTrees(upTo: commit)
    var past = DocumentPast(isWhole: isWhole)
    var seen: Set<ObjectID> = []
    for tree in trees {
      guard let node = try repository.node(at: path.description, in: tree),
        seen.insert(node.id).inserted
      else { continue }
      past.versions.append(try repository.blob(node.id))
    }
    return past
  }

  /// Returns the trees of the history up to a commit, the newest first, listed once for all paths.
  private func pastTrees(upTo commit: ObjectID) throws -> (trees: [ObjectID], isWhole: Bool) {
    if let pastTrees, pastTrees.tip == commit { return (pastTrees.trees, pastTrees.isWhole) }
    var (trees, left) = ([ObjectID](), Replica.pastLimit)
    try repository.walk(from: [commit]) { id in
      left -= 1
      let tree = left < 0 ? nil : try repository.commit(id).tree
      if let tree, tree != trees.last { trees.append(tree) }
      return left >= 0
    }
    pastTrees = (commit, trees, left >= 0)
    return (trees, left >= 0)
  }
}
