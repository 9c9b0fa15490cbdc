extension Repository {
  /// A new content for the file at a path; nil removes it.
  public typealias TreeChange = (path: String, node: TreeNode?)

  /// Returns the tree that has `changes` made to it, rewriting only the directories they lie in.
  ///
  /// Directories left empty vanish. A file gives way to a directory of the same name and the other
  /// way round.
  /// - Parameter changes: At most one for each path, in any order.
  public func edit(
    _ tree: ObjectID?, _ changes: [TreeChange], writer: any ObjectWriter
  ) throws -> ObjectID {
    let changes =
      changes
      .map { (path: $0.path.split(separator: "/").map(String.init), node: $0.node) }
      .sorted {
        $0.path.lexicographicallyPrecedes($1.path) { $0.utf8.lexicographicallyPrecedes($1.utf8) }
      }
    return try edit(tree, changes[...], depth: 0, writer: writer)
      ?? writer.write(.tree, [])
  }

  private func edit(
    _ id: ObjectID?, _ changes: ArraySlice<(path: [String], node: TreeNode?)>, depth: Int,
    writer: any ObjectWriter
  ) throws -> ObjectID? {
    var byName: [String: TreeNode?] = [:]
    let tree = try self.tree(id)
    // Of a directory with thousands of entries few change: look them up by name, once.
    let old = Dictionary(tree.entries.map { ($0.name, $0.node) }) { $1 }
    var rest = changes
    while let first = rest.first {
      let name = first.path[depth]
      let group = rest.prefix { $0.path[depth] == name }
      rest = rest.dropFirst(group.count)
      if first.path.count == depth + 1, group.count == 1 {
        byName[name] = .some(first.node)
      } else {
        let below = group.drop { $0.path.count == depth + 1 }
        let child = old[name].flatMap { $0.isDirectory ? $0.id : nil }
        byName[name] = .some(
          try edit(child, below, depth: depth + 1, writer: writer).map { TreeNode(.directory, $0) })
      }
    }
    var entries: [Tree.Entry] = []
    entries.reserveCapacity(tree.entries.count + byName.count)
    for entry in tree.entries {
      guard let change = byName.removeValue(forKey: entry.name) else {
        entries.append(entry)
        continue
      }
      if let node = change { entries.append(Tree.Entry(name: entry.name, node: node)) }
    }
    for (name, node) in byName {
      if let node { entries.append(Tree.Entry(name: name, node: node)) }
    }
    if entries.isEmpty { return nil }
    entries.sort()
    return try writer.write(.tree, Tree(entries: entries).bytes)
  }
}
