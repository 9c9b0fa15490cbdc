internal import CairnBase
internal import CairnFiles
internal import SystemPackage

extension Repository {
  private var indexPath: FilePath { gitDirectory.appending("index") }

  /// Reads the index; returns an empty one when the file does not exist.
  package func readIndex() throws -> IndexFile {
    guard let status = try files.status(indexPath), let bytes = try files.read(indexPath) else {
      return IndexFile()
    }
    do throws(GitError) {
      let index = try IndexFile(bytes: bytes, modified: status.modified)
      indexEntriesRead += index.entries.count
      return index
    } catch {
      guard error == IndexFile.damaged, let workTree else { throw error }
      throw GitError(
        error.code, error.message,
        remedy: "rm \(shellQuoted(indexPath.string)) "
          + "&& git -C \(shellQuoted(workTree.lexicallyNormalized().string)) reset")
    }
  }

  /// Returns the number of entries in the index without reading them.
  package func indexEntryCount() throws -> Int {
    guard try files.exists(indexPath) else { return 0 }
    return try files.withMapping(of: indexPath) { bytes in
      bytes.prefix(12).dropFirst(8).reduce(0) { $0 << 8 | Int($1) }
    }
  }

  /// Returns the index entries of files in conflict. Nearly always there are none, and no entry is read.
  package func conflictedEntries() throws -> [IndexFile.Entry] {
    guard try files.exists(indexPath),
      try files.withMapping(of: indexPath, IndexScan.mayHaveConflicts)
    else { return [] }
    return try readIndex().entries.filter { $0.stage != 0 }
  }

  /// Adds or replaces index entries and removes paths. For a file in a directory that is not
  /// checked out, the index contains only that directory, whose entry becomes the one in `tree`.
  ///
  /// - Parameter added: More entries to add or replace, of paths that are not in `changes`.
  /// - Parameter updatingCollapsed: Whether to update all directories that are not checked out to those in
  ///   `tree`, not only those that contain `changes`.
  /// - Parameter move: Moves the branch, while the index is locked, and its new version is on the
  ///   disk and not yet in place: if either fails, both stay.
  package func updateIndex(
    _ changes: IndexFile.Changes, adding added: SpilledEntries? = nil, in tree: ObjectID?,
    updatingCollapsed: Bool = false, moving move: () throws -> Void = {}
  ) throws {
    let isEmpty = changes.isEmpty && (added?.count ?? 0) == 0
    if isEmpty, !updatingCollapsed { return try move() }
    let cone = try sparseCone()
    if isEmpty, cone == nil { return try move() }
    if cone == nil, (added?.count ?? 0) <= Repository.patchLimit {
      var all = changes
      try added?.forEach { all.entries.append($0) }
      if try patchIndex(all, moving: move) { return }
    }
    try changeIndex(moving: move) { index in
      var changes = changes
      if let added, added.count > 0 {
        if cone == nil, !index.hasCollapsedDirectories {
          index.update(changes)
          return added
        }
        try added.forEach { changes.entries.append($0) }
      }
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
      return nil
    }
  }

  /// The number of changes above which all entries are written again.
  private static let patchLimit = 1000

  /// Changes a few entries, and copies the others as they are.
  ///
  /// - Returns: False, without having changed anything, if ``IndexFile`` has to read the index.
  private func patchIndex(
    _ changes: IndexFile.Changes, moving move: () throws -> Void
  ) throws -> Bool {
    guard changes.entries.count + changes.removed.count <= Repository.patchLimit, let workTree,
      try files.exists(indexPath)
    else { return false }
    return try withLock(indexPath) {
      guard let status = try files.status(indexPath), status.kind == .regular else { return false }
      return try files.withMapping(of: indexPath) { bytes in
        let patch = IndexPatch(
          bytes, changes, writtenAt: Repository.second(of: status.modified),
          isStale: { isStale($0, $1, since: status.modified, in: workTree) })
        guard let patch else { return false }
        if patch.isChanged {
          try writeIndex(moving: move) { try patch.write(from: bytes, $0) }
        } else {
          try move()
        }
        return true
      }
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
      if !isSame { throw GitError(.locked, "another program changed git's index in the meantime") }
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
  package func updateIndex(
    moving move: () throws -> Void = {}, _ change: (inout IndexFile) throws -> Void
  ) throws {
    try changeIndex(moving: move) { index in
      try change(&index)
      return nil
    }
  }

  /// Applies `change` to the current index and writes it with the entries that `change` returns, under
  /// its lock.
  private func changeIndex(
    moving move: () throws -> Void, _ change: (inout IndexFile) throws -> SpilledEntries?
  ) throws {
    try withLock(indexPath) {
      var index = try readIndex()
      try smudgeRacyEntries(&index)
      let before = index.entries
      let added = try change(&index)
      // git checks no path of an index that it reads, and would write `.git/hooks/post-checkout`.
      index.entries.removeAll { GitName.isRefused(inPath: $0.collapsedDirectory ?? $0.path) }
      if added == nil, index.entries == before, try files.exists(indexPath) { return try move() }
      try writeIndex(moving: move) { try index.write(adding: added, $0) }
    }
  }

  /// Replaces the index by the bytes that `write` passes on.
  private func writeIndex(
    moving move: () throws -> Void, _ write: (([UInt8]) throws -> Void) throws -> Void
  ) throws {
    let temporary = temporaryFile("index")
    do {
      let file = try files.createNew(temporary)
      try file.closeAfter { try write { try files.writeAll($0, to: file, temporary) } }
      try move()
      try files.rename(temporary, to: indexPath)
    } catch {
      files.discard(temporary)
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
    let written = Repository.second(of: index.modified)
    for (position, entry) in index.entries.enumerated()
    where entry.stage == 0 && entry.status.size != 0 && entry.status.modified.seconds >= written
      && isStale(entry.path, entry.status, since: index.modified, in: workTree)
    {
      index.entries[position].status.size = 0
    }
  }

  /// Whether a file may have changed since its entry was made, in an index that was written at
  /// `modified`.
  private func isStale(
    _ path: String, _ status: IndexStatus, since modified: Int64, in workTree: FilePath
  ) -> Bool {
    // A file whose status cannot be read is left to git, and so is one whose name is not UTF-8.
    if GitName.hasOtherBytes(path[...]) { return true }
    guard let now = try? files.status(workTree.pushing(FilePath(path))) else { return false }
    return status != IndexStatus(now) || now.modified >= modified
  }

  /// Returns the second of a time in nanoseconds, as git's index has it.
  private static func second(of time: Int64) -> UInt32 {
    UInt32(truncatingIfNeeded: time / 1_000_000_000)
  }
}
