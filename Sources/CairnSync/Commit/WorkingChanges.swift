internal import CairnBase
public import CairnDocument
package import CairnFiles
internal import CairnGit
internal import CairnStore
internal import SystemPackage

/// A difference between the work tree and the last commit.
public struct WorkingChange: Equatable, Sendable {
  /// What happened to a file.
  public enum Kind: String, Sendable { case added, modified, removed }

  /// The path of the document or the image.
  public let path: DocumentPath
  /// What happened to the file.
  public let kind: Kind
  /// The blob that a commit would hold; nil when the path is removed.
  let blob: [UInt8]?
  /// The status of the file before it was read, to detect later edits. Nil to make git check the
  /// file again.
  let status: IndexStatus?
}

/// Something in the work tree that a commit leaves out, with the reason.
public struct WorkingProblem: Equatable, Sendable {
  package enum Reason: Error, Equatable {
    case invalidDocument(DocumentError)
    /// The file is gone, but was not removed with git.
    case missing
    /// git's index has the file under another name, which is no document's.
    case moved(to: String)
    /// The file of a committed document is empty; the committed version counts.
    case empty
    /// The image's bytes no longer match its name.
    case changedImage
    /// The photo has no document here, neither committed nor in the work tree.
    case imageOfNoPhoto
    /// No file of a dataset belongs there.
    case unknownFile
    /// cairn does not check the file out: its name is not safe on every system, or a symbolic link leads
    /// to it.
    case unsafePath
    /// The file or directory cannot be read.
    case unreadable(FileError)
    /// Another repository in the dataset, which cairn leaves to git.
    case submodule
    /// git left both sides of a conflict in its index.
    case conflict
    /// A file outside the sparse checkout that differs from every version found, while not all of
    /// the history could be searched: the version that it was edited from is unknown.
    case unknownBase
  }

  /// A kind of problem, named as in counts: `3 × missing file`.
  public enum Kind: String, Sendable {
    case invalidDocument = "invalid document"
    case missing = "missing file"
    case moved = "moved file"
    case empty = "empty file"
    case changedImage = "changed image"
    case imageOfNoPhoto = "image without a photo"
    case unknownFile = "unknown file"
    case unsafePath = "unsafe path"
    case unreadable = "unreadable file"
    case submodule
    case conflict
    case unknownBase = "edit of an unknown version"
  }

  /// The path of the file in the dataset.
  public let path: String
  package let reason: Reason

  /// What kind of problem it is; ``message`` has the details.
  public var kind: Kind {
    switch reason {
    case .invalidDocument: .invalidDocument
    case .missing: .missing
    case .moved: .moved
    case .empty: .empty
    case .changedImage: .changedImage
    case .imageOfNoPhoto: .imageOfNoPhoto
    case .unknownFile: .unknownFile
    case .unsafePath: .unsafePath
    case .unreadable: .unreadable
    case .submodule: .submodule
    case .conflict: .conflict
    case .unknownBase: .unknownBase
    }
  }
}

/// The work tree compared with the last commit.
public struct WorkingState: Sendable {
  /// The changes that a commit would contain.
  public fileprivate(set) var changes: [WorkingChange] = []
  /// Files that a commit would leave out, with the reasons.
  public internal(set) var problems: [WorkingProblem] = []
  /// Files that match the last commit but not git's index.
  fileprivate(set) var unindexed: [IndexFile.Entry] = []
  /// Files that match the last commit and are outside the sparse checkout.
  fileprivate(set) var strays: [(path: String, status: IndexStatus)] = []
}

extension Replica {
  /// Compares the work tree with the last commit, including unstamped edits.
  ///
  /// A file whose status matches git's index is not read. A document that is gone from the work
  /// tree counts as removed only if git's index lacks it too (`git rm`) and has it nowhere else;
  /// otherwise it is missing or moved.
  ///
  /// - Parameter usesDirectoryCache: Whether a directory need not be listed if its names are recorded
  ///   and its status is unchanged.
  package func workingState(usesDirectoryCache: Bool = true) throws -> WorkingState {
    let head = try repository.tree(ofCommit: repository.head())
    if let state = try quickState(since: head, usesCache: usesDirectoryCache) { return state }
    return try fullState(since: head)
  }

  /// Compares every file in the work tree with a tree, that of the last commit.
  func fullState(since head: ObjectID?) throws -> WorkingState {
    let index = try repository.readIndex()
    var committed: [String: TreeNode] = [:]
    var submodules: [String] = []
    for name in DocumentPath.topLevel {
      try repository.forEachFile(in: head, below: name, within: sparseCone, index: index) {
        path, node in
        if node.mode == .submodule { submodules.append(path) } else { committed[path] = node }
      }
    }
    var indexed: [String: IndexFile.Entry] = [:]
    for entry in index.entries { indexed[entry.path] = entry }

    var state = WorkingState()
    var unreadable: [String] = []
    for name in DocumentPath.topLevel {
      try forEachWorkFile(below: name) { path, error in
        state.problems.append(WorkingProblem(path: path, reason: .unreadable(error)))
        unreadable.append(path)
      } visit: { path, status in
        if submodules.contains(where: { path.hasPrefix($0 + "/") }) { return }
        let old =
          try isCheckedOut(path)
          ? committed.removeValue(forKey: path) : repository.node(at: path, in: head)
        let entry = indexed[path]
        if let entry, entry.stage != 0 {
          state.problems.append(WorkingProblem(path: path, reason: .conflict))
        } else if let entry, entry.node == old, index.isUnchanged(entry, status),
          status.kind == .regular || path.contains("/") && DocumentPath(path) == nil
        {
          return
        } else {
          try compare([WorkFile(path: path, status: status, committed: old)], into: &state)
        }
      }
    }
    guard try hasIndex else { return state }
    let removed = Set(committed.filter { indexed[$0.key] == nil }.values.map(\.id))
    var moved: [ObjectID: String] = [:]
    for entry in index.entries where removed.contains(entry.node.id) {
      // A copy that was committed before is no move.
      guard DocumentPath(entry.path) == nil,
        try repository.node(at: entry.path, in: head) != entry.node
      else { continue }
      moved[entry.node.id] = entry.path
    }
    for (path, node) in committed.sorted(by: { $0.key < $1.key }) {
      // git may have checked out less than its configuration includes; a name that is not UTF-8 cannot
      // be looked up.
      if index.isExcluded(path) || !DatasetDirectory.isSafe(path: path) { continue }
      if unreadable.contains(where: { path == $0 || path.hasPrefix($0 + "/") }) { continue }
      // An erasure cannot be removed.
      if indexed[path] == nil, let other = moved[node.id] {
        state.problems.append(WorkingProblem(path: path, reason: .moved(to: other)))
      } else if indexed[path] == nil, let document = DocumentPath(path),
        document.kind?.isPermanent != true
      {
        state.changes.append(WorkingChange(path: document, kind: .removed, blob: nil, status: nil))
      } else {
        state.problems.append(WorkingProblem(path: path, reason: .missing))
      }
    }
    return state
  }

  /// Returns what a commit would find: in a very large checkout, only changes of files that cairn has
  /// written.
  func pendingState() throws -> WorkingState {
    try repository.indexEntryCount() >= largeCheckout ? journaledState() : workingState()
  }

  /// Compares only the files that cairn has written since the last commit.
  package func journaledState() throws -> WorkingState {
    let head = try repository.tree(ofCommit: repository.head())
    var state = WorkingState()
    var files: [WorkFile] = []
    for path in try directory.journaledPaths().map(\.description) {
      let old = try repository.node(at: path, in: head)
      if let status = try environment.files.status(try directory.location(path)) {
        files.append(WorkFile(path: path, status: status, committed: old))
      } else if old != nil, isCheckedOut(path) {
        state.problems.append(WorkingProblem(path: path, reason: .missing))
      }
    }
    try compare(files, into: &state)
    return state
  }

  /// The number of files that are read before they are compared, and the number from which another
  /// thread pays off.
  private static let (filesAtOnce, filesOfThread) = (1024, 64)

  /// Compares files with the last commit, and records changes and problems, in the same order.
  func compare(_ files: [WorkFile], into state: inout WorkingState) throws {
    let directory = directory
    for start in stride(from: 0, to: files.count, by: Replica.filesAtOnce) {
      let files = files[start...].prefix(Replica.filesAtOnce)
      let minimum = max(Replica.filesOfThread, files.count / processorCount())
      let contents = try inParallel(files.count, minimum: minimum) { range in
        Result {
          try range.map { try directory.content(of: files[files.startIndex + $0]) }
        }
      }.flatMap { try $0.get() }
      for (file, content) in zip(files, contents) { try compare(file, content, into: &state) }
    }
  }

  private func compare(
    _ file: WorkFile, _ content: Result<WorkFileContent, WorkingProblem.Reason>,
    into state: inout WorkingState
  ) throws {
    let (path, status) = (file.path, file.status)
    func problem(_ reason: WorkingProblem.Reason) {
      state.problems.append(WorkingProblem(path: path, reason: reason))
    }
    let found: WorkFileContent
    switch content {
    case .failure(let reason): return problem(reason)
    case .success(let content): found = content
    }
    let document = found.path
    if let old = file.committed, found.isCommitted {
      let isStray = !isCheckedOut(path)
      if isStray { state.strays.append((path, IndexStatus(status))) }
      // A process that was killed may have committed it without updating git's index.
      var entry = IndexFile.Entry(
        path: path, node: old, status: isStray ? .unknown : IndexStatus(status))
      entry.isSkipped = isStray
      state.unindexed.append(entry)
      return
    }
    // A photo's image never changes: other bytes would be another photo, or another model.
    if document.blob != nil, file.committed != nil { return problem(.changedImage) }
    if case .image(let id, _) = document, try !hasPhoto(id, in: headTree()) {
      return problem(.imageOfNoPhoto)
    }
    if document.kind != nil, found.blob.isEmpty, file.committed != nil { return problem(.empty) }
    if let error = found.error { return problem(.invalidDocument(error)) }
    state.changes.append(
      WorkingChange(
        path: document, kind: file.committed == nil ? .added : .modified, blob: found.blob,
        status: IndexStatus(status)))
  }

  /// Returns the current paths of all files in the dataset's own directories.
  package func workingFiles() throws -> [String] {
    var paths: [String] = []
    for name in DocumentPath.topLevel {
      try forEachWorkFile(below: name, unreadable: { _, _ in }) { path, _ in paths.append(path) }
    }
    guard sparseCone != nil else { return paths }
    let present = Set(paths)
    let head = try repository.tree(ofCommit: repository.head())
    for name in DocumentPath.topLevel {
      try repository.forEachFile(in: head, below: name) { path, _ in
        if !isCheckedOut(path), !present.contains(path) { paths.append(path) }
      }
    }
    return paths
  }

  /// Calls `visit` for each file at or below `path`, sorted.
  ///
  /// - Parameter isDirectory: Whether `path` is known to be a directory.
  /// - Parameter unreadable: Called with a file or directory that cannot be read.
  func forEachWorkFile(
    below path: String, isDirectory: Bool = false,
    unreadable: (String, FileError) throws -> Void = { throw $1 },
    visit: (String, FileStatus) throws -> Void
  ) throws {
    let location = "\(directory.root.string)/\(path)"
    var status: FileStatus?
    var entries: [DirectoryEntry]?
    do throws(FileError) {
      if !isDirectory { status = try environment.files.status(location) }
      if isDirectory || status?.kind == .directory {
        directoriesListed += 1
        entries = try environment.files.entries(of: location)
      }
    } catch {
      guard error.isOfOneFile else { throw error }
      return try unreadable(path, error)
    }
    if let status, status.kind != .directory { return try visit(path, status) }
    for entry in entries?.sorted(by: { $0.name < $1.name }) ?? [] {
      try forEachWorkFile(
        below: path + "/" + entry.name, isDirectory: entry.isKnownDirectory,
        unreadable: unreadable, visit: visit)
    }
  }
}

extension Repository {
  /// Calls `visit` for each file at or below `path` in a tree, sorted.
  ///
  /// - Parameter cone: The sparse checkout to list; nil for all files.
  /// - Parameter index: git's index. Directories whose files are the same there are not read.
  func forEachFile(
    in tree: ObjectID?, below path: String, within cone: SparseCone? = nil,
    index: IndexFile? = nil, _ visit: (String, TreeNode) throws -> Void
  ) throws {
    guard let node = try node(at: path, in: tree) else { return }
    try forEachFile(node, path, cone, index, visit)
  }

  private func forEachFile(
    _ node: TreeNode, _ path: String, _ cone: SparseCone?, _ index: IndexFile?,
    _ visit: (String, TreeNode) throws -> Void
  ) throws {
    guard node.isDirectory else { return try visit(path, node) }
    if let cone, cone.collapsedDirectory(of: path + "/") != nil { return }
    // In a sparse checkout, the index has entries for directories.
    if cone == nil, let entries = index?.entries(below: path, matching: node.id) {
      for entry in entries { try visit(entry.path, entry.node) }
      return
    }
    try descend(into: path) {
      for entry in try tree(node.id).entries {
        try forEachFile(entry.node, path + "/" + entry.name, cone, index, visit)
      }
    }
  }
}
