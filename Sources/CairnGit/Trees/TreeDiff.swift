/// A file that differs between two trees.
package struct TreeDifference: Equatable, Sendable {
  package let path: String
  /// The node in the first tree; nil when the file does not exist there.
  package let old: TreeNode?
  package let new: TreeNode?

  package init(path: String, old: TreeNode?, new: TreeNode?) {
    (self.path, self.old, self.new) = (path, old, new)
  }
}

extension Repository {
  /// Calls `visit` for each file that differs between two trees, in the order of their names.
  ///
  /// Subtrees with equal ids are skipped, so the cost is proportional to the differences.
  /// - Parameter entering: Returns whether to descend into a directory that differs, given its path
  ///   and whether only the second tree has it.
  package func diff(
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
  package func diff(_ old: ObjectID?, _ new: ObjectID?) throws -> [TreeDifference] {
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
    try descend(into: path) {
      for (name, old, new) in try entries(before?.id, after?.id) {
        try diff(old, new, path: path.isEmpty ? name : path + "/" + name, entering, visit)
      }
    }
  }

  private typealias EntryDifference = (name: String, old: TreeNode?, new: TreeNode?)

  /// Returns the entries that differ between two trees; skips equal entries without copying them.
  private func entries(_ old: ObjectID?, _ new: ObjectID?) throws -> [EntryDifference] {
    try withTree(old) { old in
      try withTree(new) { new in try Repository.entries(old, new) }
    }
  }

  private static func entries(
    _ old: UnsafeRawBufferPointer, _ new: UnsafeRawBufferPointer
  ) throws(GitError) -> [EntryDifference] {
    var (olds, news) = (TreeReader(old), TreeReader(new))
    var (old, new) = (try olds.next(), try news.next())
    var differences: [EntryDifference] = []
    while old != nil || new != nil {
      if let x = old, let y = new, x.name.elementsEqual(y.name) {
        if x.node != y.node { differences.append((x.text, x.node, y.node)) }
        (old, new) = (try olds.next(), try news.next())
      } else if let x = old, new.map({ x.precedes($0) }) ?? true {
        differences.append((x.text, x.node, nil))
        old = try olds.next()
      } else if let y = new {
        differences.append((y.text, nil, y.node))
        new = try news.next()
      }
    }
    return differences
  }
}
