/// A file that both sides of a merge changed in different ways.
package struct ConflictEntry: Equatable, Sendable {
  package let path: String
  package let base: TreeNode?
  package let ours: TreeNode?
  package let theirs: TreeNode?
}

extension Repository {
  /// Merges two trees from their common base and returns the merged tree.
  ///
  /// Changes made by only one side are taken; subtrees changed by only one side are taken without
  /// being read, so the cost is proportional to what both sides changed. `resolve` decides each
  /// file that both sides changed differently (nil removes it from the result). A directory wins
  /// over a file of the same name; `overridden` is called if a side had changed the file.
  package func merge(
    base: ObjectID?, ours: ObjectID, theirs: ObjectID, writer: any ObjectWriter,
    overridden: (_ path: String) throws -> Void = { _ in },
    resolve: (ConflictEntry) throws -> TreeNode?
  ) throws -> ObjectID {
    let merged = try merge(
      base.map { TreeNode(.directory, $0) }, TreeNode(.directory, ours),
      TreeNode(.directory, theirs), path: "", writer: writer, overridden: overridden,
      resolve: resolve)
    return try merged?.id ?? writer.write(.tree, [])
  }

  private func merge(
    _ base: TreeNode?, _ ours: TreeNode?, _ theirs: TreeNode?, path: String,
    writer: any ObjectWriter, overridden: (String) throws -> Void,
    resolve: (ConflictEntry) throws -> TreeNode?
  ) throws -> TreeNode? {
    if ours == theirs || base == theirs { return ours }
    if base == ours { return theirs }
    // A name can be a file on one side and a directory on the other; each is merged separately.
    if let directory = try mergeDirectories(
      base?.directory, ours?.directory, theirs?.directory, path: path, writer: writer,
      overridden: overridden, resolve: resolve)
    {
      if let file = ours?.file ?? theirs?.file, file != base?.file { try overridden(path) }
      return directory
    }
    let (base, ours, theirs) = (base?.file, ours?.file, theirs?.file)
    if ours == theirs || base == theirs { return ours }
    if base == ours { return theirs }
    return try resolve(ConflictEntry(path: path, base: base, ours: ours, theirs: theirs))
  }

  private func mergeDirectories(
    _ base: TreeNode?, _ ours: TreeNode?, _ theirs: TreeNode?, path: String,
    writer: any ObjectWriter, overridden: (String) throws -> Void,
    resolve: (ConflictEntry) throws -> TreeNode?
  ) throws -> TreeNode? {
    if ours == theirs || base == theirs { return ours }
    if base == ours { return theirs }
    return try descend(into: path) {
      try mergeEntries(
        base, ours, theirs, path: path, writer: writer, overridden: overridden, resolve: resolve)
    }
  }

  private func mergeEntries(
    _ base: TreeNode?, _ ours: TreeNode?, _ theirs: TreeNode?, path: String,
    writer: any ObjectWriter, overridden: (String) throws -> Void,
    resolve: (ConflictEntry) throws -> TreeNode?
  ) throws -> TreeNode? {
    let (ourTree, theirTree) = (try tree(ours?.id), try tree(theirs?.id))
    let baseNodes = try tree(base?.id).nodes
    var entries: [Tree.Entry] = []
    // A name that only the base has was removed on both sides.
    try zipByName(ourTree, theirTree) { name, ours, theirs in
      // A file and a directory of the same name may sort apart: they are merged at the file's
      // position.
      var (ours, theirs) = (ours, theirs)
      if ours == nil, let node = theirs {
        ours = ourTree.counterpart(of: Tree.Entry(name: name, node: node))
        if node.isDirectory, ours != nil { return }
      } else if theirs == nil, let node = ours {
        theirs = theirTree.counterpart(of: Tree.Entry(name: name, node: node))
        if node.isDirectory, theirs != nil { return }
      }
      let merged = try merge(
        baseNodes[FileName(name)], ours, theirs, path: path.isEmpty ? name : path + "/" + name,
        writer: writer, overridden: overridden, resolve: resolve)
      if let merged { entries.append(Tree.Entry(name: name, node: merged)) }
    }
    if entries.isEmpty { return nil }
    entries.sort()
    if entries == ourTree.entries { return ours }
    if entries == theirTree.entries { return theirs }
    return TreeNode(.directory, try writer.write(.tree, Tree(entries: entries).bytes))
  }

  /// Walks the entries of two trees in parallel, by name.
  private func zipByName(
    _ a: Tree, _ b: Tree, _ visit: (String, TreeNode?, TreeNode?) throws -> Void
  ) throws {
    var (i, j) = (0, 0)
    while i < a.entries.count || j < b.entries.count {
      let x = i < a.entries.count ? a.entries[i] : nil
      let y = j < b.entries.count ? b.entries[j] : nil
      if let x, let y, FileName(x.name) == FileName(y.name) {
        try visit(x.name, x.node, y.node)
        (i, j) = (i + 1, j + 1)
      } else if let x, y.map({ x < $0 }) ?? true {
        try visit(x.name, x.node, nil)
        i += 1
      } else if let y {
        try visit(y.name, nil, y.node)
        j += 1
      }
    }
  }
}

extension Tree {
  /// Returns the file with the name of the given directory, or the directory with the name of the
  /// given file.
  fileprivate func counterpart(of entry: Entry) -> TreeNode? {
    // The key only serves for ordering, in which a file and a directory of the same name differ.
    let mode: FileMode = entry.node.isDirectory ? .file : .directory
    let key = Entry(name: entry.name, node: TreeNode(mode, entry.node.id))
    var (low, high) = (0, entries.count)
    while low < high {
      let middle = (low + high) / 2
      if entries[middle] < key { low = middle + 1 } else { high = middle }
    }
    guard low < entries.count, !(key < entries[low]) else { return nil }
    return entries[low].node
  }
}
