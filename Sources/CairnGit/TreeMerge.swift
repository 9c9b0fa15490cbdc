/// A file that both sides of a merge changed, each in its way.
public struct MergeCandidate: Equatable, Sendable {
  public let path: String
  public let base: TreeNode?
  public let ours: TreeNode?
  public let theirs: TreeNode?
}

extension Repository {
  /// Merges two trees from the tree they both come from, and returns the merged tree.
  ///
  /// What only one side changed is taken; subtrees that only one side changed are taken without
  /// being read, so the cost follows what both changed. `resolve` decides every file that both
  /// sides changed differently (nil: it is not in the result). A directory wins over a file of the
  /// same name.
  public func merge(
    base: ObjectID?, ours: ObjectID, theirs: ObjectID, writer: any ObjectWriter,
    resolve: (MergeCandidate) throws -> TreeNode?
  ) throws -> ObjectID {
    let merged = try merge(
      base.map { TreeNode(.directory, $0) }, TreeNode(.directory, ours),
      TreeNode(.directory, theirs), path: "", writer: writer, resolve: resolve)
    return try merged?.id ?? writer.write(.tree, [])
  }

  private func merge(
    _ base: TreeNode?, _ ours: TreeNode?, _ theirs: TreeNode?, path: String,
    writer: any ObjectWriter, resolve: (MergeCandidate) throws -> TreeNode?
  ) throws -> TreeNode? {
    if ours == theirs || base == theirs { return ours }
    if base == ours { return theirs }
    func directory(_ node: TreeNode?) -> ObjectID? { node.flatMap { $0.isDirectory ? $0.id : nil } }
    func file(_ node: TreeNode?) -> TreeNode? { node.flatMap { $0.isDirectory ? nil : $0 } }
    guard directory(ours) != nil || directory(theirs) != nil else {
      return try resolve(
        MergeCandidate(path: path, base: file(base), ours: ours, theirs: theirs))
    }

    let (ourTree, theirTree) = (try tree(directory(ours)), try tree(directory(theirs)))
    let baseTree = try tree(directory(base))
    let baseNodes = Dictionary(baseTree.entries.map { ($0.name, $0.node) }) { $1 }
    var entries: [Tree.Entry] = []
    // A name that only the base has is gone on both sides.
    try zipByName(ourTree, theirTree) { name, ours, theirs in
      let below = path.isEmpty ? name : path + "/" + name
      let merged = try merge(
        baseNodes[name], ours, theirs, path: below, writer: writer, resolve: resolve)
      if let merged { entries.append(Tree.Entry(name: name, node: merged)) }
    }
    if entries.isEmpty { return nil }
    // A file on one side and a directory of that name on the other come as two entries.
    let directories = Set(entries.lazy.filter(\.node.isDirectory).map(\.name))
    entries.removeAll { !$0.node.isDirectory && directories.contains($0.name) }
    entries.sort()
    if entries == ourTree.entries { return ours }
    if entries == theirTree.entries { return theirs }
    return TreeNode(.directory, try writer.write(.tree, Tree(entries: entries).bytes))
  }
}
