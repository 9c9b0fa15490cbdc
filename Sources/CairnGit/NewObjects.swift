/// The objects that one history has and another lacks.
public struct NewObjects: Sendable {
  /// In an order in which trees follow what they came after; each once.
  public fileprivate(set) var ids: [ObjectID] = []
  /// Files among them, with the paths they were first met at.
  public fileprivate(set) var files: [(path: String, id: ObjectID)] = []

  public var isEmpty: Bool { ids.isEmpty }
}

extension Repository {
  /// Lists the objects that are reachable from `tip` and not from `known`, by comparing each
  /// commit's tree with its parents': the cost follows what the commits changed.
  ///
  /// - Parameters:
  ///   - known: Commits the other side has; those that are not here are passed over.
  ///   - directory: Only what lies in this directory at the top; nil for all.
  public func newObjects(
    from tip: ObjectID, excluding known: [ObjectID], below directory: String? = nil
  ) throws -> NewObjects {
    var new = NewObjects()
    var seen = Set<ObjectID>()
    try walk(from: [tip], excluding: known, oldestFirst: true) { id in
      let commit = try self.commit(id)
      let parents = try commit.parents.map { TreeNode(.directory, try self.commit($0).tree) }
      let tree = TreeNode(.directory, commit.tree)
      if let directory {
        let others = try parents.compactMap { try node(at: directory, in: $0.id) }
        guard let node = try node(at: directory, in: tree.id) else { return true }
        try collect(node, notIn: others, path: directory, into: &new, seen: &seen)
        return true
      }
      try collect(tree, notIn: parents, path: "", into: &new, seen: &seen)
      new.ids.append(id)
      return true
    }
    return new
  }

  private func collect(
    _ node: TreeNode, notIn others: [TreeNode], path: String, into new: inout NewObjects,
    seen: inout Set<ObjectID>
  ) throws {
    if node.mode == .submodule || others.contains(where: { $0.id == node.id }) { return }
    guard seen.insert(node.id).inserted else { return }
    if node.isDirectory {
      let otherTrees = try others.filter(\.isDirectory).map { try tree($0.id, at: path).nodes }
      for entry in try tree(node.id, at: path).entries {
        try collect(
          entry.node, notIn: otherTrees.compactMap { $0[FileName(entry.name)] },
          path: path.isEmpty ? entry.name : path + "/" + entry.name, into: &new, seen: &seen)
      }
    } else {
      new.files.append((path, node.id))
    }
    new.ids.append(node.id)
  }

  /// Copies objects of this repository to `other`, as one pack or a few files.
  public func copy(_ new: NewObjects, to other: Repository) throws {
    let writer = AdaptiveObjectWriter(other)
    for id in new.ids {
      try withObject(id) { kind, bytes in try writer.write(id, kind, Array(bytes)) }
    }
    try writer.finish()
  }
}
