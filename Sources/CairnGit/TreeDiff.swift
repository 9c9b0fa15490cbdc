/// A file that differs between two trees.
public struct TreeDifference: Equatable, Sendable {
  public let path: String
  /// What is there in the first tree; nil when nothing.
  public let old: TreeNode?
  public let new: TreeNode?

  public init(path: String, old: TreeNode?, new: TreeNode?) {
    (self.path, self.old, self.new) = (path, old, new)
  }
}

extension Repository {
  /// Calls `visit` for each file that differs between two trees, in the order of their names.
  ///
  /// Subtrees with equal ids are skipped, so the cost follows the differences.
  /// - Parameter entering: Whether to look into a directory that differs: its path, and whether only
  ///   the second tree has it.
  public func diff(
    _ old: ObjectID?, _ new: ObjectID?,
    entering: (_ path: String, _ isNew: Bool) throws -> Bool = { _, _ in true },
    _ visit: (TreeDifference) throws -> Void
  ) throws {
    if old == new { return }
    try diff(
      old.map { TreeNode(.directory, $0) }, new.map { TreeNode(.directory, $0) }, path: "",
      entering, visit)
  }

  /// Returns the files that differ between two trees.
  public func diff(_ old: ObjectID?, _ new: ObjectID?) throws -> [TreeDifference] {
    var differences: [TreeDifference] = []
    try diff(old, new) { differences.append($0) }
    return differences
  }

  private func diff(
    _ old: TreeNode?, _ new: TreeNode?, path: String,
    _ entering: (String, Bool) throws -> Bool, _ visit: (TreeDifference) throws -> Void
  ) throws {
    if old == new { return }
    if old?.file != nil || new?.file != nil {
      try visit(TreeDifference(path: path, old: old?.file, new: new?.file))
    }
    let (before, after) = (old?.directory, new?.directory)
    guard before != nil || after != nil, try path.isEmpty || entering(path, before == nil) else {
      return
    }
    try zipByName(try tree(before?.id, at: path), try tree(after?.id, at: path)) { name, old, new in
      try diff(old, new, path: path.isEmpty ? name : path + "/" + name, entering, visit)
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
