extension Repository {
  /// The new content of the file at a path; nil removes the file.
  package typealias TreeChange = (path: String, node: TreeNode?)

  /// Returns `tree` with `changes` applied, rewriting only the directories that they affect.
  ///
  /// Empty directories are removed. A file replaces a directory of the same name and vice versa; if
  /// `changes` contain both, the directory wins.
  /// - Parameter changes: At most one change for each path, in any order.
  package func edit(
    _ tree: ObjectID?, _ changes: [TreeChange], writer: any ObjectWriter
  ) throws -> ObjectID {
    let changes =
      changes
      .map { (path: FileName.parts(of: $0.path), node: $0.node) }
      .sorted { $0.path.lexicographicallyPrecedes($1.path) }
    return try edit(tree, changes[...], depth: 0, writer: writer)
      ?? writer.write(.tree, [])
  }

  private func edit(
    _ id: ObjectID?, _ changes: ArraySlice<(path: [FileName], node: TreeNode?)>, depth: Int,
    writer: any ObjectWriter
  ) throws -> ObjectID? {
    var byName: [FileName: TreeNode?] = [:]
    let tree = try self.tree(id)
    // A directory may have thousands of entries of which few change: look those up by name, once.
    let old = tree.nodes
    var rest = changes
    while let first = rest.first {
      let name = first.path[depth]
      let group = rest.prefix { $0.path[depth] == name }
      rest = rest.dropFirst(group.count)
      let here = group.prefix { $0.path.count == depth + 1 }
      let below = group.dropFirst(here.count)
      // Removing a file does not remove a directory of the same name, and vice versa.
      let file = here.isEmpty ? old[name].flatMap(\.file) : here.last!.node
      var directory = file == nil ? old[name].flatMap(\.directory) : nil
      if !below.isEmpty {
        let path = below.first!.path
        let edited = try descend(into: path.map(\.text).joined(separator: "/"), depth: depth) {
          try edit(directory?.id, below, depth: depth + 1, writer: writer)
        }
        directory = edited.map { TreeNode(.directory, $0) }
      }
      byName[name] = .some(directory ?? file)
    }
    var entries: [Tree.Entry] = []
    entries.reserveCapacity(tree.entries.count + byName.count)
    // Another tool may have written a name several times: its other directories keep everything that is
    // not removed.
    var edited: Set<FileName> = []
    for entry in tree.entries.reversed() {
      let name = FileName(entry.name)
      if byName[name] == nil {
        entries.append(entry)
      } else if !edited.insert(name).inserted, let directory = entry.node.directory {
        let removals = changes.filter {
          $0.path[depth] == name && $0.path.count > depth + 1 && $0.node == nil
        }
        let rest = try edit(directory.id, removals[...], depth: depth + 1, writer: writer)
        if let rest {
          entries.append(Tree.Entry(name: entry.name, node: TreeNode(.directory, rest)))
        }
      }
    }
    for (name, node) in byName {
      if let node { entries.append(Tree.Entry(name: name.text, node: node)) }
    }
    if entries.isEmpty { return nil }
    entries.sort()
    return try writer.write(.tree, Tree(entries: entries).bytes)
  }
}
