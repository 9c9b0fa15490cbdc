internal import CairnDocument
internal import CairnFiles
internal import SystemPackage
public import CairnGit
public import CairnStore

/// What moving to another part of the dataset did.
public struct PartReport: Equatable, Sendable {
  /// How many files came into the work tree, and how many left it.
  public internal(set) var placed = 0
  public internal(set) var removed = 0
  /// Files that differ from the last commit, and stay until they are committed.
  public internal(set) var left: [String] = []
  /// Images that came as pointers, since they are not on this disk.
  public internal(set) var imagesMissing = 0
}

extension Replica {
  /// Checks out a part of the dataset, or all of it (nil). What is not checked out is read, written,
  /// merged and committed all the same.
  ///
  /// - Parameter progress: Called with the number of files moved so far.
  /// - Throws: ``SyncError/uncommittedRemovals(_:)`` when what git was told to remove is not committed.
  public func checkOutPart(
    _ part: SparseCone?, session: EditSession, progress: (Int) -> Void = { _ in }
  ) throws -> PartReport {
    try checkNothingUnfinished()
    let removals = try workingState().changes.filter { $0.kind == .removed }
    if !removals.isEmpty { throw SyncError.uncommittedRemovals(removals.count) }
    return try moveToPart(part, progress: progress)
  }

  /// Files come first and go last: whatever a crash leaves, nothing that is checked out is missing.
  func moveToPart(
    _ new: SparseCone?, progress: (Int) -> Void = { _ in }
  ) throws -> PartReport {
    let tree = try repository.tree(ofCommit: repository.head())
    let index = try repository.readIndex()
    var report = PartReport()
    var entries: [IndexFile.Entry] = []
    for top in try repository.tree(tree).entries {
      try repository.forEachFile(in: tree, below: top.name, within: new) { path, node in
        if let entry = index[path], !entry.isSkipped { return entries.append(entry) }
        let status = try place(node, at: path, &report).map(IndexStatus.init)
        entries.append(IndexFile.Entry(path: path, node: node, status: status ?? .unknown))
        if report.placed % 256 == 0 { progress(report.placed) }
      }
    }
    if report.imagesMissing > 0 { try noteImagesLeftBehind() }
    try world.files.create(moveFile, [])
    try repository.replaceIndex(entries, new, tree: tree)
    try repository.setSparseCone(new)
    part = new
    try world.files.remove(moveFile)
    for entry in index.entries where !entry.node.isDirectory && !isCheckedOut(entry.path) {
      try withdraw(entry, index, &report)
      if report.removed % 256 == 0 { progress(report.placed + report.removed) }
    }
    return report
  }

  /// Is there while git's index and the word for the part may not agree.
  private var moveFile: FilePath { directory.privateDirectory.appending("part") }

  /// Makes git's index that of the part again, where a crash came between them.
  func resumeMove() throws {
    guard try world.files.exists(moveFile) else { return }
    if let part {
      let entries = try repository.readIndex().entries.filter {
        !$0.node.isDirectory && isCheckedOut($0.path)
      }
      try repository.replaceIndex(
        entries, part, tree: try repository.tree(ofCommit: repository.head()))
    }
    try world.files.remove(moveFile)
  }

  private func place(
    _ node: TreeNode, at path: String, _ report: inout PartReport
  ) throws -> FileStatus? {
    // What was written here and not committed stays; git looks at it.
    if node.mode == .submodule { return nil }
    if try world.files.exists(directory.location(path)) { return nil }
    var checkout = CheckoutReport()
    let status = try place(node, at: path, DocumentPath(path), report: &checkout)
    report.placed += 1
    report.imagesMissing += checkout.imagesMissing
    return status
  }

  private func withdraw(
    _ entry: IndexFile.Entry, _ index: IndexFile, _ report: inout PartReport
  ) throws {
    let location = try directory.location(entry.path)
    guard try world.files.exists(location) else { return }
    let committed = TreeDifference(path: entry.path, old: entry.node, new: nil)
    if try isClean(committed, at: location, index: index, known: []) {
      try directory.remove(entry.path)
      report.removed += 1
    } else {
      report.left.append(entry.path)
    }
  }
}
