package import CairnFiles
internal import SystemPackage

/// The file status that git's index stores, to detect unchanged files without reading them. Every
/// field is truncated to 32 bits, as in git.
package struct IndexStatus: Equatable, Sendable {
  var changed: (seconds: UInt32, nanoseconds: UInt32) = (0, 0)
  var modified: (seconds: UInt32, nanoseconds: UInt32) = (0, 0)
  var device: UInt32 = 0
  var inode: UInt32 = 0
  var user: UInt32 = 0
  var group: UInt32 = 0
  package internal(set) var size: UInt32 = 0

  init() {}

  /// A status that makes git examine the file again.
  package static let unknown = IndexStatus()

  package init(_ status: FileStatus) {
    func split(_ time: Int64) -> (UInt32, UInt32) {
      (
        UInt32(truncatingIfNeeded: time / 1_000_000_000),
        UInt32(truncatingIfNeeded: time % 1_000_000_000)
      )
    }
    changed = split(status.changed)
    modified = split(status.modified)
    device = UInt32(truncatingIfNeeded: status.device)
    inode = UInt32(truncatingIfNeeded: status.inode)
    user = status.user
    group = status.group
    size = UInt32(truncatingIfNeeded: status.size)
  }

  /// Compares the fields that reveal a changed file. It ignores the time of the last status change:
  /// a new hard link to an image's inode, in another image store, changes it.
  package static func == (a: IndexStatus, b: IndexStatus) -> Bool {
    a.modified == b.modified && a.inode == b.inode && a.size == b.size && a.user == b.user
      && a.group == b.group
  }
}

/// The git index: the files of the work tree as git tracks them.
///
/// Source: git's Documentation/gitformat-index.txt, versions 2 to 4, and
/// technical/sparse-index.txt. Optional extensions (cached trees, untracked files) are not written;
/// git recreates them.
package struct IndexFile: Sendable {
  package struct Entry: Equatable, Sendable {
    package var path: String
    package var node: TreeNode
    package var status: IndexStatus
    /// 0, or the side of a conflict that git left in the index: 1 base, 2 ours, 3 theirs.
    package var stage: UInt8 = 0
    /// Set by `git update-index --assume-unchanged`.
    var isAssumedUnchanged = false
    /// Flags of a version 3 entry: skip-worktree and intent-to-add.
    var extendedFlags: UInt16 = 0

    package init(path: String, node: TreeNode, status: IndexStatus) {
      (self.path, self.node, self.status) = (path, node, status)
    }

    /// Creates an entry that represents all files of a directory that is not in the work tree.
    init(collapsed directory: String, _ tree: ObjectID) {
      self.init(path: directory + "/", node: TreeNode(.directory, tree), status: .unknown)
      isSkipped = true
    }

    private static let skipWorkTree: UInt16 = 0x4000

    /// Whether a sparse checkout excludes the file from the work tree.
    package var isSkipped: Bool {
      get { extendedFlags & Entry.skipWorkTree != 0 }
      set {
        extendedFlags =
          newValue ? extendedFlags | Entry.skipWorkTree : extendedFlags & ~Entry.skipWorkTree
      }
    }

    /// The directory that this entry represents; nil for the entry of a file.
    var collapsedDirectory: String? { node.isDirectory ? String(path.dropLast()) : nil }
  }

  /// The entries, sorted by path and stage.
  package var entries: [Entry] = []
  /// The time at which the file was written, in nanoseconds since 1970; files modified at that time
  /// or later may have changed undetected.
  package internal(set) var modified: Int64 = 0

  package init() {}

  /// Returns the index of the entry for `path`, or the index at which to insert it.
  func position(of path: String) -> (index: Int, found: Bool) {
    var low = 0
    var high = entries.count
    while low < high {
      let middle = (low + high) / 2
      if FileName(entries[middle].path) < FileName(path) {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return (low, low < entries.count && FileName(entries[low].path) == FileName(path))
  }

  package subscript(path: String) -> Entry? {
    let (index, found) = position(of: path)
    return found ? entries[index] : nil
  }

  /// Returns the collapsed directory that represents, or should represent, the file at `path`; nil
  /// when the file has its own entry.
  func collapsedDirectory(of path: String, _ cone: SparseCone?) -> String? {
    for directory in SparseCone.ancestors(of: path).dropFirst()
    where position(of: directory + "/").found { return directory }
    guard let directory = cone?.collapsedDirectory(of: path) else { return nil }
    return hasFiles(below: directory) ? nil : directory
  }

  /// Returns whether the file at `path` has, or should have, its own entry: it is checked out, or
  /// git has expanded the directory that represented it, as `git add --sparse` does.
  package func hasOwnEntry(at path: String, _ cone: SparseCone?) -> Bool {
    collapsedDirectory(of: path, cone) == nil
  }

  /// Returns whether files below a directory have, or should have, their own entries.
  package func hasOwnEntries(below directory: String, _ cone: SparseCone?) -> Bool {
    hasOwnEntry(at: directory + "/", cone)
  }

  /// Returns whether git excludes the file at `path` from the work tree.
  package func isExcluded(_ path: String) -> Bool {
    self[path]?.isSkipped ?? (collapsedDirectory(of: path, nil) != nil)
  }

  /// Returns whether files below a directory have their own entries.
  func hasFiles(below directory: String) -> Bool { !entries(below: directory).isEmpty }

  /// Returns the entries below a directory.
  func entries(below directory: String) -> ArraySlice<Entry> {
    let prefix = directory + "/"
    let (index, found) = position(of: prefix)
    return entries[(found ? index + 1 : index)...].prefix {
      $0.path.utf8.starts(with: prefix.utf8)
    }
  }

  /// Returns whether the file is unchanged since the entry was made, by its status alone.
  package func isUnchanged(_ entry: Entry, _ status: FileStatus) -> Bool {
    entry.stage == 0 && entry.status == IndexStatus(status) && status.modified < modified
  }
}

extension Repository {
  private var indexPath: FilePath { gitDirectory.appending("index") }

  /// Reads the index; returns an empty one when the file does not exist.
  package func readIndex() throws -> IndexFile {
    guard let status = try files.status(indexPath), let bytes = try files.read(indexPath) else {
      return IndexFile()
    }
    return try IndexFile(bytes: bytes, modified: status.modified)
  }

  /// Returns the number of entries in the index without reading them.
  package func indexEntryCount() throws -> Int {
    guard try files.exists(indexPath) else { return 0 }
    return try files.withMapping(of: indexPath) { bytes in
      bytes.prefix(12).dropFirst(8).reduce(0) { $0 << 8 | Int($1) }
    }
  }

  /// Adds or replaces index entries and removes paths. For a file in a directory that is not
  /// checked out, the index contains only that directory, whose entry becomes the one in `tree`.
  ///
  /// - Parameter updatingCollapsed: Whether to update all directories that are not checked out to those in
  ///   `tree`, not only those that contain `changes`.
  package func updateIndex(
    _ changes: IndexFile.Changes, in tree: ObjectID?, updatingCollapsed: Bool = false
  ) throws {
    let cone = try sparseCone()
    if changes.isEmpty, cone == nil || !updatingCollapsed { return }
    try updateIndex { index in
      var collapsed: Set<String> = []
      func collect(at path: String) {
        if let directory = index.collapsedDirectory(of: path, cone) { collapsed.insert(directory) }
      }
      for entry in changes.entries { collect(at: entry.path) }
      changes.removed.forEach(collect)
      if collapsed.isEmpty {
        index.update(changes)
      } else {
        func isOwn(_ path: String) -> Bool { index.collapsedDirectory(of: path, cone) == nil }
        var own = IndexFile.Changes()
        own.entries = changes.entries.filter { isOwn($0.path) }
        own.removed = changes.removed.filter(isOwn)
        for directory in collapsed {
          if let entry = try collapsedEntry(directory, in: tree) {
            own.entries.append(entry)
          } else {
            own.removed.append(directory + "/")
          }
        }
        index.update(own)
      }
      if updatingCollapsed, let cone { try updateCollapsedDirectories(&index, cone, with: tree) }
    }
  }

  /// Replaces the index with that of a sparse checkout of a tree.
  ///
  /// - Parameter entries: The files in the work tree.
  /// - Parameter known: The index that the entries were derived from.
  /// - Throws: ``GitError`` when another program has changed the index meanwhile.
  package func replaceIndex(
    _ entries: [IndexFile.Entry], _ cone: SparseCone?, tree: ObjectID?, since known: IndexFile
  ) throws {
    try updateIndex { index in
      let isSame = index.entries.elementsEqual(known.entries) {
        ($0.path, $0.node, $0.stage) == ($1.path, $1.node, $1.stage)
      }
      if !isSame { throw GitError(.locked, "another program has changed git's index meanwhile") }
      index.entries = entries
      if let cone {
        try forEachCollapsedDirectory(cone, in: tree) { directory, id in
          index.entries.append(IndexFile.Entry(collapsed: directory, id))
        }
      }
      index.entries = index.entries.sortedByPath()
    }
  }

  /// Updates all directories that are not checked out to those of `tree`, regardless of the
  /// previous index.
  private func updateCollapsedDirectories(
    _ index: inout IndexFile, _ cone: SparseCone, with tree: ObjectID?
  ) throws {
    var changes: [String: IndexFile.Entry?] = [:]
    for entry in index.entries where entry.node.isDirectory {
      changes[entry.path] = .some(try collapsedEntry(String(entry.path.dropLast()), in: tree))
    }
    try forEachCollapsedDirectory(cone, in: tree) { directory, id in
      // git may have expanded it for a file that is in the work tree anyway.
      let isOpen = index.hasFiles(below: directory)
      if !isOpen { changes[directory + "/"] = IndexFile.Entry(collapsed: directory, id) }
    }
    index.update(changes)
  }

  /// Collapses each directory that git has expanded for a file outside the sparse checkout and that
  /// no longer contains such a file.
  package func closeIndex(in tree: ObjectID?) throws {
    guard let cone = try sparseCone() else { return }
    func closing(_ index: IndexFile) throws -> [String: IndexFile.Entry?] {
      var changes: [String: IndexFile.Entry?] = [:]
      try forEachCollapsedDirectory(cone, in: tree) { directory, id in
        let inside = index.entries(below: directory)
        if try inside.isEmpty || isInUse(directory, inside, tree) { return }
        for entry in inside { changes[entry.path] = .some(nil) }
        changes[directory + "/"] = IndexFile.Entry(collapsed: directory, id)
      }
      return changes
    }
    if try closing(readIndex()).isEmpty { return }
    try updateIndex { $0.update(try closing($0)) }
  }

  /// Returns whether a directory is in the work tree, or something below it is staged.
  private func isInUse(
    _ directory: String, _ entries: ArraySlice<IndexFile.Entry>, _ tree: ObjectID?
  ) throws -> Bool {
    if let workTree, try files.exists(workTree.pushing(FilePath(directory))) { return true }
    return try entries.contains { entry in
      try entry.stage != 0
        || node(at: entry.collapsedDirectory ?? entry.path, in: tree) != entry.node
    }
  }

  private func collapsedEntry(
    _ directory: String, in tree: ObjectID?
  ) throws -> IndexFile.Entry? {
    try node(at: directory, in: tree).flatMap { node in
      node.isDirectory ? IndexFile.Entry(collapsed: directory, node.id) : nil
    }
  }

  private func forEachCollapsedDirectory(
    _ cone: SparseCone, in tree: ObjectID?, below path: String = "",
    _ visit: (String, ObjectID) throws -> Void
  ) throws {
    for entry in try self.tree(tree).entries where entry.node.isDirectory {
      let directory = path.isEmpty ? entry.name : path + "/" + entry.name
      if cone.collapsedDirectory(of: directory + "/") != nil {
        try visit(directory, entry.node.id)
      } else if !cone.containsAll(below: directory) {
        try forEachCollapsedDirectory(cone, in: entry.node.id, below: directory, visit)
      }
    }
  }

  /// Applies `change` to the current index and writes it, under its lock.
  package func updateIndex(_ change: (inout IndexFile) throws -> Void) throws {
    try withLock(indexPath) {
      var index = try readIndex()
      try smudgeRacyEntries(&index)
      let before = index.entries
      try change(&index)
      if index.entries == before, try files.exists(indexPath) { return }
      try write(index)
    }
  }

  private func write(_ index: IndexFile) throws {
    let temporary = temporaryFile("index")
    do {
      let file = try files.createNew(temporary)
      try file.closeAfter { try index.write { try files.writeAll($0, to: file, temporary) } }
      try files.rename(temporary, to: indexPath)
    } catch {
      try? files.remove(temporary)
      throw error
    }
  }

  /// Makes git examine files again that may have changed after git wrote the index but within the
  /// same second: the later modification time of the new index would hide the change.
  ///
  /// Source: git's Documentation/technical/racy-git.txt. Git compares whole seconds and reads the
  /// files; comparing nanoseconds is sufficient.
  private func smudgeRacyEntries(_ index: inout IndexFile) throws {
    guard let workTree else { return }
    let written = UInt32(truncatingIfNeeded: index.modified / 1_000_000_000)
    for (position, entry) in index.entries.enumerated()
    where entry.stage == 0 && entry.status.size != 0 && entry.status.modified.seconds >= written {
      // A file whose status cannot be read is left to git.
      guard let status = try? files.status(workTree.pushing(FilePath(entry.path))) else { continue }
      if !index.isUnchanged(entry, status) { index.entries[position].status.size = 0 }
    }
  }
}
