/// The objects that one history has and another lacks.
package struct MissingObjects: Sendable {
  /// The ids without duplicates, with trees after the objects they contain.
  package fileprivate(set) var ids: [ObjectID] = []
  /// The files among them, each with the first path at which it was found.
  package fileprivate(set) var files: [(path: String, id: ObjectID)] = []

  package var isEmpty: Bool { ids.isEmpty }
}

/// An object that one history has and another lacks.
package enum NewObject: Sendable {
  case commit(ObjectID)
  /// A directory, with the first path at which it was found; empty for the root tree of a commit.
  case directory(String, ObjectID)
  case file(String, ObjectID)

  var id: ObjectID {
    switch self {
    case .commit(let id), .directory(_, let id), .file(_, let id): id
    }
  }
}

extension Repository {
  /// Returns the objects that are reachable from `tip` and not from `known`, by comparing each
  /// commit's tree with its parents' trees: the cost is proportional to what the commits changed.
  ///
  /// - Parameters:
  ///   - known: Commits that the other side has; commits that are not here are ignored.
  ///   - directory: The top-level directory to limit the result to; nil for all.
  package func newObjects(
    from tip: ObjectID, excluding known: [ObjectID], below directory: String? = nil
  ) throws -> MissingObjects {
    var new = MissingObjects()
    try forEachNewObject(from: tip, excluding: known, below: directory) { object in
      new.ids.append(object.id)
      if case .file(let path, let id) = object { new.files.append((path, id)) }
    }
    return new
  }

  /// Calls `visit` once for each object that is reachable from `tip` and not from `known`; visits
  /// trees after the objects they contain.
  ///
  /// - Parameters:
  ///   - directory: The top-level directory to limit the walk to; commits are not visited then.
  ///   - treeLimit: The maximum size of a tree in bytes, for trees from untrusted sources.
  package func forEachNewObject(
    from tip: ObjectID, excluding known: [ObjectID], below directory: String? = nil,
    treeLimit: Int? = nil, _ visit: (NewObject) throws -> Void
  ) throws {
    // A malicious tree may use one id for a file and for a directory; these count as two objects.
    var seen: [Set<ObjectID>] = [[], []]
    func collect(_ node: TreeNode, notIn others: [TreeNode], path: String) throws {
      func isKnown(_ other: TreeNode) -> Bool {
        other.id == node.id && other.isDirectory == node.isDirectory
      }
      if node.mode == .submodule || others.contains(where: isKnown) { return }
      guard seen[node.isDirectory ? 1 : 0].insert(node.id).inserted else { return }
      guard node.isDirectory else { return try visit(.file(path, node.id)) }
      if let treeLimit, try size(of: node.id) > treeLimit {
        throw GitError(.corrupt, "the tree \(node.id) is too large")
      }
      try descend(into: path) {
        let otherTrees = try others.filter(\.isDirectory).map { try tree($0.id).nodes }
        for entry in try tree(node.id).entries {
          try collect(
            entry.node, notIn: otherTrees.compactMap { $0[FileName(entry.name)] },
            path: path.isEmpty ? entry.name : path + "/" + entry.name)
        }
      }
      try visit(.directory(path, node.id))
    }
    try walk(from: [tip], excluding: known, oldestFirst: true) { id in
      let commit = try self.commit(id)
      let parents = try commit.parents.map { TreeNode(.directory, try self.commit($0).tree) }
      let tree = TreeNode(.directory, commit.tree)
      if let directory {
        let others = try parents.compactMap { try node(at: directory, in: $0.id) }
        guard let node = try node(at: directory, in: tree.id) else { return true }
        try collect(node, notIn: others, path: directory)
        return true
      }
      try collect(tree, notIn: parents, path: "")
      try visit(.commit(id))
      return true
    }
  }

  /// Copies objects of this repository to `other`, as one pack or as a few loose objects. Each is hashed
  /// while it is read.
  package func copy(_ new: MissingObjects, to other: Repository) throws {
    try copy(new.ids, to: other)
  }

  /// Copies objects that this program has checked before to a repository that trusts it: packs that have
  /// nothing but these as they are, and the others as one pack or as a few loose objects.
  package func copyPacks(of new: MissingObjects, to other: Repository) throws {
    let (packs, others) = try wholePacks(of: new.ids, missingIn: other)
    for pack in packs { try pack.copy(to: other) }
    if !packs.isEmpty { try other.refreshObjects() }
    try copy(others, to: other)
    other.hasNewObjects = true
  }

  private func copy(_ ids: [ObjectID], to other: Repository) throws {
    let writer = AdaptiveObjectWriter(other)
    for id in ids {
      try withObject(id) { kind, bytes in try writer.write(id, kind, Array(bytes)) }
    }
    try writer.finish()
  }
}
