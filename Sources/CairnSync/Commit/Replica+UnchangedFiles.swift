internal import CairnDocument
internal import CairnFiles
internal import CairnGit
internal import CairnStore
internal import SystemPackage

// A comparison of the work tree with the last commit that reads nothing of what did not change. It asks
// for the status of each file and directory, on several threads, and lists only directories whose
// status is not the recorded one. It decides nothing: a file that may differ goes to the full comparison
// of that file, and everything unusual to that of all files.

/// A path at which the work tree may differ from the last commit.
private struct PossibleChange {
  let path: String
  /// Nil for a file or a directory that is not committed.
  let committed: TreeNode?
}

extension Replica {
  /// Compares the work tree with the last commit, if git's index has exactly the files of that commit.
  ///
  /// - Parameter usesCache: Whether to trust the record of the names in directories.
  /// - Returns: What the full comparison would return; nil if that is needed.
  func quickState(since head: ObjectID?, usesCache: Bool) throws -> WorkingState? {
    guard sparseCone == nil, let root = OpenDirectory(directory.root) else { return nil }
    do {
      let changes = try repository.withIndexScan(of: head, below: DocumentPath.topLevel) { scan in
        try possibleChanges(scan, in: root, usesCache: usesCache)
      }
      return try changes.flatMap { try state(of: $0) }
    } catch let error as FileError where error.isOfOneFile {
      // The full comparison reports it, and compares the others.
      return nil
    }
  }

  /// Compares the paths at which there may be a difference; returns nil if there is anything unusual.
  private func state(of changes: [PossibleChange]) throws -> WorkingState? {
    var state = WorkingState()
    var missing: [String] = []
    var files: [WorkFile] = []
    for change in changes {
      let path = change.path
      if let node = change.committed {
        guard let status = try environment.files.status("\(directory.root.string)/\(path)") else {
          missing.append(path)
          continue
        }
        // A directory took the place of the file.
        if status.kind == .directory { return nil }
        files.append(WorkFile(path: path, status: status, committed: node))
        continue
      }
      try forEachWorkFile(below: path) { path, error in
        state.problems.append(WorkingProblem(path: path, reason: .unreadable(error)))
      } visit: { path, status in
        files.append(WorkFile(path: path, status: status, committed: nil))
      }
    }
    try compare(files, into: &state)
    for path in missing.sorted() where DatasetDirectory.isSafe(path: path) {
      state.problems.append(WorkingProblem(path: path, reason: .missing))
    }
    return state
  }

  /// Returns all paths at which there may be a difference, in the order of the full comparison; nil if
  /// there is anything unusual.
  private func possibleChanges(
    _ scan: IndexScan, in root: OpenDirectory, usesCache: Bool
  ) throws -> [PossibleChange]? {
    guard let directories = changedDirectories(scan, in: root, usesCache: usesCache) else {
      return nil
    }
    var changes: [PossibleChange] = []
    for number in directories {
      let path = scan.text(scan.directories[number])
      let location = "\(directory.root.string)/\(path)"
      // If it is gone, so are its files.
      guard let entries = try environment.files.entries(of: location) else { continue }
      let known = scan.names(in: scan.directories[number])
      let new = entries.map(\.name).filter { !known.contains($0) }
      // Two forms of one name count as the same, and on some disks upper and lower case: a renamed file
      // would also be found under its committed name.
      let folded = Set(known.map { $0.lowercased() })
      guard (known + new).allSatisfy({ $0.utf8.allSatisfy { $0 < 0x80 } }),
        folded.isDisjoint(with: new.map { $0.lowercased() })
      else { return nil }
      changes += new.map { PossibleChange(path: "\(path)/\($0)", committed: nil) }
    }
    for name in DocumentPath.topLevel where scan.top[name] == nil {
      if try environment.files.exists(directory.root.appending(name)) {
        changes.append(PossibleChange(path: name, committed: nil))
      }
    }
    let files = inParallel(scan.fileCount) { range in
      range.filter { !scan.isUnchanged($0, in: root) }
    }
    for file in files.joined() {
      let path = scan.text(file)
      if GitName.mayHaveOtherBytes(path) { return nil }
      changes.append(PossibleChange(path: path, committed: scan.node(file)))
    }
    return changes.map { (change: $0, names: $0.path.split(separator: "/")) }
      .sorted { $0.names.lexicographicallyPrecedes($1.names) }
      .map(\.change)
  }

  /// Returns the numbers of the directories whose names are not those in git's index; nil if one of them
  /// cannot be listed, or its file system does not say which names are directories.
  private func changedDirectories(
    _ scan: IndexScan, in root: OpenDirectory, usesCache: Bool
  ) -> [Int]? {
    let cache = usesCache ? directory.directoryCache() : DirectoryCache()
    let count = scan.directories.count
    let looked = inParallel(count) { range in
      var (known, unknown) = ([DirectoryCache.Record](), [Int]())
      for number in range {
        let item = scan.directories[number]
        if let status = scan.withPath(item, { root.status($0) }),
          cache.names(status) == item.names
        {
          known.append(DirectoryCache.Record(status, item.names))
        } else {
          unknown.append(number)
        }
      }
      return (known: known, unknown: unknown)
    }
    let unknown = looked.flatMap(\.unknown)
    directoriesListed += unknown.count

    // A few directories are rather listed each time than all of them recorded again.
    func isWorthwhile(_ records: Int) -> Bool { records > 0 && records >= count / 64 }
    let draft =
      isWorthwhile(unknown.count)
      ? directory.draftDirectoryCache(resolution: directoryTimeResolution) : nil
    let listed = inParallel(unknown.count, minimum: 200) { range in
      var (records, changed, isUnusual) = ([DirectoryCache.Record](), [Int](), false)
      for number in unknown[range] {
        let item = scan.directories[number]
        // The status comes first: a change during the listing makes it another one.
        let (status, names) = scan.withPath(item) { (root.status($0), root.fingerprint($0)) }
        guard let status else {
          changed.append(number)
          continue
        }
        // No directory, or one that cannot be read.
        guard let names else {
          isUnusual = true
          break
        }
        if names != item.names {
          changed.append(number)
        } else if let draft, draft.isSettled(status) {
          records.append(DirectoryCache.Record(status, item.names))
        }
      }
      return (records: records, changed: changed, isUnusual: isUnusual)
    }
    if let draft {
      let records = listed.flatMap(\.records)
      if isWorthwhile(records.count) {
        directory.replaceDirectoryCache(draft, with: looked.flatMap(\.known) + records)
      } else {
        draft.discard()
      }
    }
    return listed.contains(where: \.isUnusual) ? nil : listed.flatMap(\.changed)
  }
}
