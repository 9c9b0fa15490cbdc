internal import CairnDocument
internal import CairnFiles
internal import SystemPackage
package import CairnGit
package import CairnStore

/// The result of changing the sparse checkout.
public struct SparseReport: Equatable, Sendable {
  /// The number of files added to the work tree.
  public internal(set) var placed = 0
  /// The number of files removed from the work tree.
  public internal(set) var removed = 0
  /// Files that differ from the last commit, and stay until they are committed.
  public internal(set) var left: [String] = []
  /// Images that were checked out as pointers, since they are not on this disk.
  public internal(set) var imagesMissing = 0
}

extension Replica {
  /// Changes the sparse checkout, or checks out everything (nil). Files that are not checked out
  /// are still read, written, merged and committed.
  ///
  /// - Throws: ``SyncError/staged(_:)`` when git's index has changes that are not committed.
  package func checkOutSparse(
    _ cone: SparseCone?, session: EditSession
  ) throws -> SparseReport {
    try checkNothingUnfinished()
    let staged = try repository.stagedPaths(repository.readIndex(), since: headTree())
    if !staged.isEmpty { throw SyncError.staged(staged) }
    if cone?.directories.isEmpty != true { try leaveOutRefusedPaths(session) }
    return try setSparse(cone)
  }

  /// Adds files before it removes others, so that a crash never leaves a checked-out file missing.
  func setSparse(_ new: SparseCone?) throws -> SparseReport {
    let tree = try headTree()
    let index = try repository.readIndex()
    var report = SparseReport()
    try environment.files.create(sparseChangeFile, [])
    var entries: [IndexFile.Entry] = []
    for top in try repository.tree(tree).entries {
      try repository.forEachFile(in: tree, below: top.name, within: new) { path, node in
        if let entry = index[path], !entry.isSkipped { return entries.append(entry) }
        entries.append(try place(node, at: path, &report))
        if report.placed % 256 == 0 {
          environment.report("updating files", report.placed, of: 0)
        }
      }
    }
    if report.imagesMissing > 0 { try noteUnfetchedImages() }
    try repository.replaceIndex(entries, new, tree: tree, since: index)
    try repository.setSparseCone(new)
    sparseCone = new
    for entry in index.entries where !entry.node.isDirectory && !isCheckedOut(entry.path) {
      try removeFromWorkTree(entry.path, entry.node, index, &report)
      if report.removed % 256 == 0 {
        environment.report("updating files", report.placed + report.removed, of: 0)
      }
    }
    try environment.files.remove(sparseChangeFile)
    return report
  }

  /// The file that exists while the work tree changes from one sparse checkout to another.
  private var sparseChangeFile: FilePath { directory.privateDirectory.appending("sparse-change") }

  /// Applies the sparse checkout in git's configuration to the work tree and git's index, if a
  /// crash interrupted the change.
  func resumeSparseChange() throws {
    guard try environment.files.exists(sparseChangeFile) else { return }
    let (index, tree) = (try repository.readIndex(), try headTree())
    // Changes that were staged since come first.
    guard try repository.stagedPaths(index, since: tree).isEmpty else { return }
    var report = SparseReport()
    if sparseCone != nil {
      for top in try repository.tree(tree).entries where top.node.isDirectory {
        try forEachWorkFile(below: top.name) { path, _ in
          if !isCheckedOut(path), let node = try repository.node(at: path, in: tree) {
            try removeFromWorkTree(path, node, index, &report)
          }
        }
      }
    }
    _ = try setSparse(sparseCone)
  }

  /// Checks out the files after `git clone --no-checkout`: without an index and files, all of them
  /// would count as removed.
  func checkOutAfterClone() throws {
    if try !hasIndex { _ = try setSparse(sparseCone) }
  }

  /// Whether git has an index, or there is nothing that could be in it.
  var hasIndex: Bool {
    get throws {
      try environment.files.exists(repository.gitDirectory.appending("index"))
        || repository.head() == nil
    }
  }

  private func place(
    _ node: TreeNode, at path: String, _ report: inout SparseReport
  ) throws -> IndexFile.Entry {
    var entry = IndexFile.Entry(path: path, node: node, status: .unknown)
    guard let location = location(path, &report) else {
      entry.isSkipped = true
      return entry
    }
    // Uncommitted files stay; git checks them.
    if node.mode == .submodule { return entry }
    if try environment.files.exists(location) { return entry }
    var checkout = CheckoutReport()
    let status = try place(node, at: path, DocumentPath(path), report: &checkout)
    report.placed += 1
    report.imagesMissing += checkout.imagesMissing
    if let status { entry.status = IndexStatus(status) }
    return entry
  }

  private func removeFromWorkTree(
    _ path: String, _ node: TreeNode, _ index: IndexFile, _ report: inout SparseReport
  ) throws {
    guard let location = location(path, &report), try environment.files.exists(location) else {
      return
    }
    let committed = TreeDifference(path: path, old: node, new: nil)
    if try isClean(committed, at: location, index: index, known: []) {
      try directory.remove(path)
      report.removed += 1
    } else {
      report.left.append(path)
    }
  }

  /// Returns the path of a file on disk; nil, after recording it as left, for a path that cairn
  /// does not follow: git allows names and links that could lead out of the dataset.
  private func location(_ path: String, _ report: inout SparseReport) -> FilePath? {
    if let location = try? directory.location(path) { return location }
    report.left.append(path)
    return nil
  }
}
