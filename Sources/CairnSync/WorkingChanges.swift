public import CairnDocument
internal import CairnFiles
internal import CairnGit
internal import CairnStore
internal import SystemPackage

/// A difference between the work tree and the last commit.
public struct WorkingChange: Equatable, Sendable {
  public enum Kind: String, Sendable { case added, modified, removed }

  public let path: DocumentPath
  public let kind: Kind
  /// The blob that a commit would hold; nil when the path is removed.
  let blob: [UInt8]?
  /// The status of the file before it was read: an edit that comes later shows against it. Nil when
  /// git shall look at the file again.
  let status: IndexStatus?
}

/// Something in the work tree that a commit leaves out, and why.
public struct WorkingProblem: Equatable, Sendable {
  public enum Reason: Equatable, Sendable {
    case invalidDocument(DocumentError)
    /// The file is gone, though nobody told git to remove it.
    case missing
    /// The image's bytes are no longer those its name says.
    case changedImage
    /// Nothing that a dataset holds belongs there.
    case unknownFile
    /// git left both sides of a conflict in its index.
    case conflict
  }

  public let path: String
  public let reason: Reason
}

/// The work tree compared with the last commit.
public struct WorkingState: Sendable {
  public fileprivate(set) var changes: [WorkingChange] = []
  public fileprivate(set) var problems: [WorkingProblem] = []
  /// Files that are as committed, though git's index does not know it.
  fileprivate(set) var unindexed: [IndexFile.Entry] = []
  /// Files that are as committed and need not be in the work tree, of which a part is checked out.
  fileprivate(set) var strays: [(path: String, status: IndexStatus)] = []
}

extension Replica {
  /// Compares the work tree with the last commit, edits made by hand included.
  ///
  /// A file whose status is the one in git's index is not read. A document that is gone from the
  /// work tree is a removal only when git's index says so too (`git rm`); else it is missing.
  public func workingState() throws -> WorkingState {
    let head = try repository.tree(ofCommit: repository.head())
    var committed: [String: TreeNode] = [:]
    for name in DocumentPath.topLevel {
      try repository.forEachFile(in: head, below: name, within: part) { committed[$0] = $1 }
    }
    let index = try repository.readIndex()
    var indexed: [String: IndexFile.Entry] = [:]
    for entry in index.entries { indexed[entry.path] = entry }

    var state = WorkingState()
    for name in DocumentPath.topLevel {
      try forEachWorkFile(below: name) { path, status in
        let old =
          try isCheckedOut(path)
          ? committed.removeValue(forKey: path) : repository.node(at: path, in: head)
        let entry = indexed[path]
        if let entry, entry.stage != 0 {
          state.problems.append(WorkingProblem(path: path, reason: .conflict))
        } else if let entry, entry.node == old, index.isUnchanged(entry, status),
          status.kind == .regular
        {
          return
        } else {
          try compare(path, status, with: old, into: &state)
        }
      }
    }
    for (path, _) in committed.sorted(by: { $0.key < $1.key }) {
      // git may have less checked out than its configuration says.
      if index.isLeftOut(path) { continue }
      if indexed[path] == nil, let document = DocumentPath(path) {
        state.changes.append(WorkingChange(path: document, kind: .removed, blob: nil, status: nil))
      } else {
        state.problems.append(WorkingProblem(path: path, reason: .missing))
      }
    }
    return state
  }

  /// Compares only the files that cairn has written since the last commit.
  func journaledState() throws -> WorkingState {
    let head = try repository.tree(ofCommit: repository.head())
    var state = WorkingState()
    for path in try directory.journaledPaths().map(\.description) {
      let old = try repository.node(at: path, in: head)
      if let status = try world.files.status(try directory.location(path)) {
        try compare(path, status, with: old, into: &state)
      } else if old != nil, isCheckedOut(path) {
        state.problems.append(WorkingProblem(path: path, reason: .missing))
      }
    }
    return state
  }

  private func compare(
    _ path: String, _ status: FileStatus, with old: TreeNode?,
    into state: inout WorkingState
  ) throws {
    func problem(_ reason: WorkingProblem.Reason) {
      state.problems.append(WorkingProblem(path: path, reason: reason))
    }
    guard let document = DocumentPath(path), status.kind == .regular else {
      return problem(.unknownFile)
    }
    let blob: [UInt8]
    do {
      switch document {
      case .image(let id, _):
        guard let bytes = try pointerBytes(of: id, at: path, status)
        else { return problem(.changedImage) }
        blob = bytes
      default:
        guard let bytes = try directory.read(path) else { return problem(.missing) }
        blob = bytes
      }
    } catch StoreError.invalidDocument(_, let error) {
      return problem(.invalidDocument(error))
    }
    if let old, old.id == ObjectID(hashing: .blob, blob) {
      guard isCheckedOut(path) else { return state.strays.append((path, IndexStatus(status))) }
      state.unindexed.append(
        IndexFile.Entry(path: path, node: old, status: IndexStatus(status)))
      return
    }
    // A photo's image never changes: other bytes would be another photo.
    if case .image = document, old != nil { return problem(.changedImage) }
    if document.kind != nil {
      do throws(DocumentError) {
        _ = try Document(bytes: blob, at: document)
      } catch {
        return problem(.invalidDocument(error))
      }
    }
    state.changes.append(
      WorkingChange(
        path: document, kind: old == nil ? .added : .modified, blob: blob,
        status: IndexStatus(status)))
  }

  /// Returns the pointer of the image at `path`; nil when its bytes are not the ones its name says.
  private func pointerBytes(
    of id: PhotoID, at path: String, _ status: FileStatus
  ) throws -> [UInt8]? {
    let size = Int(status.size)
    if size < Pointer.sizeLimit, let bytes = try directory.read(path),
      let pointer = Pointer(bytes: bytes)
    {
      return pointer.id == id ? bytes : nil
    }
    let hash = try BlobStore.hash(try directory.location(path), files: world.files)
    return hash == id ? Pointer(id: id, size: size).bytes : nil
  }

  /// Returns the paths of all files in the dataset's own directories as it is now.
  public func workingFiles() throws -> [String] {
    var paths: [String] = []
    for name in DocumentPath.topLevel {
      try forEachWorkFile(below: name) { path, _ in paths.append(path) }
    }
    guard part != nil else { return paths }
    let present = Set(paths)
    let head = try repository.tree(ofCommit: repository.head())
    for name in DocumentPath.topLevel {
      try repository.forEachFile(in: head, below: name) { path, _ in
        if !isCheckedOut(path), !present.contains(path) { paths.append(path) }
      }
    }
    return paths
  }

  func forEachWorkFile(
    below path: String, _ visit: (String, FileStatus) throws -> Void
  ) throws {
    let location = directory.root.pushing(FilePath(path))
    guard let status = try world.files.status(location) else { return }
    guard status.kind == .directory else { return try visit(path, status) }
    for name in try world.files.list(location)?.sorted() ?? [] {
      try forEachWorkFile(below: path + "/" + name, visit)
    }
  }
}

extension Repository {
  /// Calls `visit` for each file at or below `path` in a tree, sorted.
  ///
  /// - Parameter part: Only the files of this part; nil for all.
  func forEachFile(
    in tree: ObjectID?, below path: String, within part: SparseCone? = nil,
    _ visit: (String, TreeNode) throws -> Void
  ) throws {
    guard let node = try node(at: path, in: tree) else { return }
    try forEachFile(node, path, part, visit)
  }

  private func forEachFile(
    _ node: TreeNode, _ path: String, _ part: SparseCone?,
    _ visit: (String, TreeNode) throws -> Void
  ) throws {
    guard node.isDirectory else { return try visit(path, node) }
    if let part, part.collapsedDirectory(of: path + "/") != nil { return }
    for entry in try tree(node.id, at: path).entries {
      try forEachFile(entry.node, path + "/" + entry.name, part, visit)
    }
  }
}
