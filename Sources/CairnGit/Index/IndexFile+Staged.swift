extension Repository {
  /// Returns the paths whose index entries differ from a tree: changes that are staged but not
  /// committed, including the files of a conflict.
  package func stagedPaths(_ index: IndexFile, since tree: ObjectID?) throws -> [String] {
    var isKnown = [Bool](repeating: false, count: index.entries.count)
    var staged: [String] = []
    func compare(_ node: TreeNode, _ path: String) throws {
      let (position, found) = index.position(of: node.isDirectory ? path + "/" : path)
      if found {
        let entry = index.entries[position]
        isKnown[position] = entry.stage == 0 && entry.node == node
        return
      }
      guard node.isDirectory else { return staged.append(path) }
      try descend(into: path) {
        for entry in try self.tree(node.id).entries {
          try compare(entry.node, path + "/" + entry.name)
        }
      }
    }
    for entry in try self.tree(tree).entries { try compare(entry.node, entry.name) }
    staged += zip(index.entries, isKnown).compactMap { entry, isKnown in
      isKnown ? nil : entry.collapsedDirectory ?? entry.path
    }
    return Set(staged).sorted()
  }
}
