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
  /// - Throws: ``SyncError/staged(_:)`` when git was told of changes that are not committed.
  public func checkOutPart(
    _ part: SparseCone?, session: EditSession, progress: (Int) -> Void = { _ in }
  ) throws -> PartReport {
    try checkNothingUnfinished()
    let staged = try repository.stagedPaths(repository.readIndex(), since: headTree())
    if !staged.isEmpty { throw SyncError.staged(staged) }
    return try moveToPart(part, progress: progress)
  }

  /// Files come first and go last: whatever a crash leaves, nothing that is checked out is missing.
  func moveToPart(
    _ new: SparseCone?, progress: (Int) -> Void = { _ in }
  ) throws -> PartReport {
    let tree = try headTree()
    let index = try repository.readIndex()
    var report = PartReport()
    try world.files.create(moveFile, [])
    var entries: [IndexFile.Entry] = []
    for top in try repository.tree(tree).entries {
      try repository.forEachFile(in: tree, below: top.name, within: new) { path, node in
        if let entry = index[path], !entry.isSkipped { return entries.append(entry) }
        entries.append(try place(node, at: path, &report))
        if report.placed % 256 == 0 { progress(report.placed) }
      }
    }
    if report.imagesMissing > 0 { try noteImagesLeftBehind() }
    try repository.replaceIndex(entries, new, tree: tree, since: index)
    try repository.setSparseCone(new)
    part = new
    for entry in index.entries where !entry.node.isDirectory && !isCheckedOut(entry.path) {
      try withdraw(entry.path, entry.node, index, &report)
      if report.removed % 256 == 0 { progress(report.placed + report.removed) }
    }
    try world.files.remove(moveFile)
    return report
  }

  /// Is there while the work tree is on its way from one part to another.
  private var moveFile: FilePath { directory.privateDirectory.appending("part") }

  /// Makes the work tree and git's index those of the part that git's configuration names, where a
  /// crash came while they were moved.
  func resumeMove() throws {
    guard try world.files.exists(moveFile) else { return }
    let (index, tree) = (try repository.readIndex(), try headTree())
    // What somebody has staged since comes first.
    guard try repository.stagedPaths(index, since: tree).isEmpty else { return }
    var report = PartReport()
    if part != nil {
      for top in try repository.tree(tree).entries where top.node.isDirectory {
        try forEachWorkFile(below: top.name) { path, _ in
          if !isCheckedOut(path), let node = try repository.node(at: path, in: tree) {
            try withdraw(path, node, index, &report)
          }
        }
      }
    }
    _ = try moveToPart(part)
  }

  private func place(
    _ node: TreeNode, at path: String, _ report: inout PartReport
  ) throws -> IndexFile.Entry {
    var entry = IndexFile.Entry(path: path, node: node, status: .unknown)
    guard let location = location(path, &report) else {
      entry.isSkipped = true
      return entry
    }
    // What was written here and not committed stays; git looks at it.
    if node.mode == .submodule { return entry }
    if try world.files.exists(location) { return entry }
    var checkout = CheckoutReport()
    let status = try place(node, at: path, DocumentPath(path), report: &checkout)
    report.placed += 1
    report.imagesMissing += checkout.imagesMissing
    if let status { entry.status = IndexStatus(status) }
    return entry
  }

  private func withdraw(
    _ path: String, _ node: TreeNode, _ index: IndexFile, _ report: inout PartReport
  ) throws {
    guard let location = location(path, &report), try world.files.exists(location) else { return }
    let committed = TreeDifference(path: path, old: node, new: nil)
    if try isClean(committed, at: location, index: index, known: []) {
      try directory.remove(path)
      report.removed += 1
    } else {
      report.left.append(path)
    }
  }

  /// Returns where a file lies; nil, and takes note of it, where cairn does not go: git lets names
  /// and links be that could lead out of the dataset.
  private func location(_ path: String, _ report: inout PartReport) -> FilePath? {
    if let location = try? directory.location(path) { return location }
    report.left.append(path)
    return nil
  }
}
