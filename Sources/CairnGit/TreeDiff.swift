/// A file that differs between two trees.
public struct TreeDifference: Equatable, Sendable {
  public let path: String
  /// What is there in the first tree; nil when nothing.
  public let old: TreeNode?
  public let new: TreeNode?
}

extension Repository {
  /// Calls `visit` for each file that differs between two trees, in the order of their names.
  ///
  /// Subtrees with equal ids are skipped, so the cost follows the differences.
  public func diff(
    _ old: ObjectID?, _ new: ObjectID?, _ visit: (TreeDifference) throws -> Void
  ) throws {
    if old == new { return }
    try diff(
      old.map { TreeNode(.directory, $0) }, new.map { TreeNode(.directory, $0) }, path: "",
      visit: visit)
  }

  /// Returns the files that differ between two trees.
  public func diff(_ old: ObjectID?, _ new: ObjectID?) throws -> [TreeDifference] {
    var differences: [TreeDifference] = []
    try diff(old, new) { differences.append($0) }
    return differences
  }

  private func diff(
    _ old: TreeNode?, _ new: TreeNode?, path: String, visit: (TreeDifference) throws -> Void
  ) throws {
    if old == new { return }
    let oldFile = old.flatMap { $0.isDirectory ? nil : $0 }
    let newFile = new.flatMap { $0.isDirectory ? nil : $0 }
    if oldFile != nil || newFile != nil {
      try visit(TreeDifference(path: path, old: oldFile, new: newFile))
    }
    let oldTree = try tree(old.flatMap { $0.isDirectory ? $0.id : nil })
    let newTree = try tree(new.flatMap { $0.isDirectory ? $0.id : nil })
    try zipByName(oldTree, newTree) { name, old, new in
      try diff(old, new, path: path.isEmpty ? name : path + "/" + name, visit: visit)
    }
  }

  /// Walks the entries of trees side by side, by name.
  func zipByName(
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
