/// A cursor that finds files in a tree and reads each directory once when paths are requested in
/// order.
package final class TreeCursor {
  private let repository: Repository
  /// The directories on the way to the last path, starting at the root.
  private var levels: [(name: [UInt8], nodes: [FileName: TreeNode])]

  package init(_ repository: Repository, tree: ObjectID?) throws {
    self.repository = repository
    let top = try repository.tree(tree).nodes
    hasDirectories = top.values.contains(where: \.isDirectory)
    levels = [([], top)]
  }

  /// Whether the tree contains any directory.
  package let hasDirectories: Bool

  /// Returns the node at `path`; nil when it does not exist.
  package func node(at path: UnsafeBufferPointer<UInt8>) throws -> TreeNode? {
    var rest = path[...]
    var depth = 0
    while let slash = rest.firstIndex(of: UInt8(ascii: "/")) {
      let name = rest[..<slash]
      rest = rest[(slash + 1)...]
      depth += 1
      if depth < levels.count, levels[depth].name.elementsEqual(name) { continue }
      levels.removeSubrange(depth...)
      guard let node = self.node(name, in: depth - 1), node.isDirectory else { return nil }
      levels.append((Array(name), try repository.tree(node.id).nodes))
    }
    return self.node(rest, in: depth)
  }

  private func node(_ name: Slice<UnsafeBufferPointer<UInt8>>, in depth: Int) -> TreeNode? {
    let nodes = levels[depth].nodes
    return nodes.isEmpty ? nil : nodes[FileName(String(decoding: name, as: UTF8.self))]
  }
}
