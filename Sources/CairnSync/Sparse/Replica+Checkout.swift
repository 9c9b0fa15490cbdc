internal import CairnDocument
internal import CairnFiles
internal import CairnGit
internal import CairnMerge
internal import CairnStore
internal import SystemPackage

// A crash must never leave the branch at a new commit and the work tree at the old one: the next
// commit, even one made with git, would undo the incoming changes. Therefore the work tree is
// updated first: after a crash, somebody can at worst commit changes that were incoming anyway. The
// intent is recorded before that, and the next edit session carries it out.

extension Replica {
  private var intentFile: FilePath { directory.privateDirectory.appending("checkout") }

  /// Updates the work tree to `commit`, merges uncommitted changes, and moves the checked-out
  /// branch.
  ///
  /// - Parameters:
  ///   - others: Trees whose versions of a file do not count as edits either: git wrote them.
  ///   - isOwn: Whether this copy made the commit, so that its changes need no report; files that
  ///     are not checked out are skipped.
  func checkOut(
    _ commit: ObjectID, from old: ObjectID?, reason: String,
    touchedBy others: [ObjectID] = [], isOwn: Bool = false, session: EditSession
  ) throws -> CheckoutReport {
    let branch = try branch()
    let head = try repository.head()
    guard head == old else { throw ReferenceError.moved(name: branch, actual: head) }
    let intent = "\(old ?? .zero) \(commit)\n"
    try environment.files.write(
      Array(intent.utf8), to: intentFile, temporary: FilePath(intentFile.string + ".tmp"),
      durable: true)
    let report = try updateWorkTree(
      from: old, to: commit, touchedBy: others, isOwn: isOwn, session: session)
    try repository.moveReference(branch, from: old, to: commit, log: (try logSignature(), reason))
    try environment.files.remove(intentFile)
    try noteSeen(commit)
    return report
  }

  /// Finishes a checkout that a crash interrupted, unless the branch has moved since.
  func resumeCheckout(_ session: EditSession) throws {
    guard let bytes = try environment.files.read(intentFile, limit: 256) else { return }
    let ids = String(decoding: bytes, as: UTF8.self).split { $0 == " " || $0 == "\n" }
      .compactMap { ObjectID($0) }
    // git has started an operation since, and has to finish it first.
    if try interruptedOperation() != nil { return }
    // A commit lost to a power cut or `git gc` arrives again with the next pull.
    if ids.count == 2, repository.contains(ids[1]),
      try repository.head() == (ids[0].isZero ? nil : ids[0])
    {
      _ = try checkOut(
        ids[1], from: try repository.head(), reason: "resumed after a crash", session: session)
    } else {
      if ids.count == 2, repository.contains(ids[1]) {
        try fixUpCommits(over: ids[1], session)
      }
      try environment.files.remove(intentFile)
    }
  }

  /// Stamps what another tool committed while the work tree was partly updated to `commit`: it may
  /// contain unstamped edits of incoming versions.
  private func fixUpCommits(over commit: ObjectID, _ session: EditSession) throws {
    _ = try fixUpOwnCommits(session)
    guard let head = try repository.head() else { return }
    var fixups = CommitFixups()
    try stampContradictions(of: head, replacing: commit, &fixups)
    let fixedUp = try commitWithFixups(head, by: fixups)
    if fixedUp == head { return }
    _ = try checkOut(
      fixedUp, from: head, reason: "fix up changes of other tools", session: session)
  }

  func updateWorkTree(
    from old: ObjectID?, to new: ObjectID, touchedBy others: [ObjectID] = [], isOwn: Bool = false,
    session: EditSession
  ) throws -> CheckoutReport {
    let trees = (try repository.tree(ofCommit: old), try repository.commit(new).tree)
    let updated = try updateFiles(
      from: old, to: new, trees, touchedBy: others, isOwn: isOwn, session: session)
    var report = updated.report
    if report.imagesMissing > 0 { try noteUnfetchedImages() }
    try restoreReferencedPhotos(removedFrom: old, to: new, session: session, report: &report)
    try repository.updateIndex(
      updated.changes, adding: updated.added, in: trees.1, updatingCollapsed: true)
    return report
  }

  /// Updates the files of the work tree.
  ///
  /// - Returns: The new index entries: those of new documents are in `added`, unless they are out of
  ///   order.
  private func updateFiles(
    from old: ObjectID?, to new: ObjectID, _ trees: (ObjectID?, ObjectID),
    touchedBy others: [ObjectID], isOwn: Bool, session: EditSession
  ) throws -> (report: CheckoutReport, changes: IndexFile.Changes, added: SpilledEntries) {
    var report = CheckoutReport()
    let isFixup = try old.map { try Replica.isFixup(repository.commit(new), of: $0) } ?? false
    let index = try repository.readIndex()
    // Then no path has to be looked up.
    let hasAllEntries = sparseCone == nil && !index.hasCollapsedDirectories
    var changes = IndexFile.Changes()
    let added = SpilledEntries(
      in: directory.privateDirectory.appending("tmp"), files: environment.files)
    let entering = { [self] (path: String, _: Bool) in
      try !isOwn || hasAllEntries || index.hasOwnEntries(below: path, sparseCone)
        || reachesWorkTree(path)
    }
    // Files in place of directories, which are placed when the directories are gone.
    var replacements: [TreeDifference] = []
    var newFiles = NewFiles()
    func apply(_ difference: TreeDifference) throws {
      let path = difference.path
      var placed: FileStatus?
      do {
        let known = try others.compactMap { try repository.node(at: path, in: $0)?.id }
        placed = try update(
          difference, index: index, known: known, isFixup: isFixup, session: session,
          report: &report)
      } catch let error as FileError where error.isPathOccupied {
        // Another file is in the way and stays; the incoming version is in the history.
        report.left.append(path)
      }
      guard hasAllEntries || index.hasOwnEntry(at: path, sparseCone) else { return }
      // An entry without a status makes git look at the file.
      guard let node = difference.new else { return changes.removed.append(path) }
      var entry = IndexFile.Entry(
        path: path, node: node, status: placed.map(IndexStatus.init) ?? .unknown)
      // A file that git has checked out stays visible to git.
      entry.isSkipped =
        placed == nil
        && (!isCheckedOut(path)
          || !DatasetDirectory.isSafe(path: path) && index[path]?.isSkipped != false)
      changes.entries.append(entry)
    }
    func applyInOrder(_ difference: TreeDifference) throws {
      if old != nil, difference.old == nil, try isDirectory(difference.path) {
        replacements.append(difference)
      } else {
        try apply(difference)
      }
    }
    func placeNewFiles() throws {
      for (new, outcome) in zip(newFiles.items, try newFiles.place(in: directory)) {
        let (path, node) = (new.difference.path, new.difference.new)
        guard case .placed(let status) = outcome, let node else {
          try applyInOrder(new.difference)
          continue
        }
        if let kind = new.path.kind {
          report.changed[kind, default: 0] += 1
          if !isOwn { inspect(new.bytes, at: new.path, session, &report) }
        }
        guard hasAllEntries || index.hasOwnEntry(at: path, sparseCone) else { continue }
        let entry = IndexFile.Entry(
          path: path, node: node, status: status.map(IndexStatus.init) ?? .unknown)
        if try !added.append(entry) { changes.entries.append(entry) }
      }
      newFiles.removeAll()
    }
    try repository.diff(trees.0, trees.1, entering: entering) { difference in
      guard let new = try newFile(difference) else { return try applyInOrder(difference) }
      newFiles.append(new)
      if newFiles.isFull { try placeNewFiles() }
    }
    try placeNewFiles()
    try replacements.forEach(apply)
    return (report, changes, added)
  }

  /// Returns a document or an image that the second tree has in addition, if it belongs in the work tree.
  private func newFile(_ difference: TreeDifference) throws -> NewFiles.Item? {
    let path = difference.path
    guard difference.old == nil, let node = difference.new, node.mode == .file,
      isCheckedOut(path), DatasetDirectory.isSafe(path: path), let document = DocumentPath(path)
    else { return nil }
    let bytes = try repository.blob(node.id)
    if let id = document.blob {
      guard Pointer(bytes: bytes)?.id == id, try directory.blobs.isOnDiskWithoutReflinks() else {
        return nil
      }
    }
    return NewFiles.Item(difference: difference, path: document, bytes: bytes)
  }

  /// Whether there is a directory at a path of the work tree.
  private func isDirectory(_ path: String) throws -> Bool {
    guard let location = try? directory.location(path) else { return false }
    return try environment.files.status(location)?.kind == .directory
  }

  /// Whether files below a directory are in the work tree.
  private func reachesWorkTree(_ path: String) throws -> Bool {
    guard let sparseCone, sparseCone.collapsedDirectory(of: path + "/") != nil else { return true }
    guard let location = try? directory.location(path) else { return false }
    return try environment.files.exists(location)
  }

  /// Removes a file from the work tree that does not belong there.
  private func removeFromWorkTree(_ path: String) throws {
    if try environment.files.exists(directory.location(path)) { try directory.remove(path) }
  }

  /// Updates one file to its new version.
  ///
  /// - Parameter isFixup: Whether the new version is the effective one of the old.
  /// - Returns: Its status; nil when the file differs, or may differ, from the new commit.
  private func update(
    _ difference: TreeDifference, index: IndexFile, known: [ObjectID], isFixup: Bool,
    session: EditSession, report: inout CheckoutReport
  ) throws -> FileStatus? {
    let path = difference.path
    let document = DocumentPath(path)
    guard let location = try? directory.location(path) else {
      report.problems.append(WorkingProblem(path: path, reason: .unsafePath))
      return nil
    }
    if difference.old?.mode == .submodule || difference.new?.mode == .submodule {
      return try updateSubmodule(difference, at: location, report: &report)
    }
    let isClean = try isClean(difference, at: location, index: index, known: known)

    if let document, document.kind != nil {
      report.changed[document.kind!, default: 0] += 1
      return try updateDocument(
        document, difference, isClean: isClean, isFixup: isFixup, session: session,
        report: &report)
    }
    if !isClean {
      report.left.append(path)
      return nil
    }
    if !isCheckedOut(path) {
      try removeFromWorkTree(path)
      return nil
    }
    if let node = difference.new { return try place(node, at: path, document, report: &report) }
    try directory.remove(path)
    return nil
  }

  /// Creates or removes the empty directory that represents a submodule, as git does; its contents
  /// belong to another repository.
  private func updateSubmodule(
    _ difference: TreeDifference, at location: FilePath, report: inout CheckoutReport
  ) throws -> FileStatus? {
    let path = difference.path
    guard let node = difference.new else {
      environment.files.removeEmptyDirectories(above: location.appending("-"), upTo: directory.root)
      return nil
    }
    if node.mode != .submodule {
      report.left.append(path)
      return nil
    }
    if difference.old?.mode != .submodule {
      report.problems.append(WorkingProblem(path: path, reason: .submodule))
    }
    if isCheckedOut(path), try !environment.files.exists(location) {
      try environment.files.createDirectory(location)
    }
    return nil
  }

  private func updateDocument(
    _ document: DocumentPath, _ difference: TreeDifference, isClean: Bool, isFixup: Bool,
    session: EditSession, report: inout CheckoutReport
  ) throws -> FileStatus? {
    let path = difference.path
    guard let new = try difference.new.map({ try repository.blob($0.id) }) else {
      if case .photo(let id) = document { report.removed.append(id) }
      // Removed by others, but edited here and not committed: keep the edit.
      if isClean { try directory.remove(path) } else { report.edited.append(path) }
      return nil
    }
    inspect(new, at: document, session, &report)
    if isClean {
      if isCheckedOut(path), let node = difference.new {
        return try place(node, at: path, document, report: &report)
      }
      try removeFromWorkTree(path)
      return nil
    }

    let base = try difference.old.map { try repository.blob($0.id) }
    guard let working = try directory.readIfSmall(path) else {
      report.left.append(path)
      return nil
    }
    guard
      let merged = merging(
        working, since: base, with: new, isEffective: isFixup, at: document, session)
    else {
      // The file is left for its owner to inspect.
      report.left.append(path)
      return nil
    }
    try session.note([document])
    try directory.write(merged, to: path, durable: true)
    report.merged.append(path)
    return nil
  }

  /// Makes later stamps follow those of an incoming document, and reports what is wrong with it.
  private func inspect(
    _ bytes: [UInt8], at document: DocumentPath, _ session: EditSession,
    _ report: inout CheckoutReport
  ) {
    do throws(DocumentError) {
      let incoming = try Document(bytes: bytes, at: document)
      if let stamp = incoming.json.latestStamp, !session.observe(stamp) {
        report.future.append(document.description)
      }
    } catch {
      report.problems.append(
        WorkingProblem(path: document.description, reason: .invalidDocument(error)))
    }
  }

  /// Writes a file that is not a document to the work tree: an image, or a file unknown to cairn.
  func place(
    _ node: TreeNode, at path: String, _ document: DocumentPath?, report: inout CheckoutReport
  ) throws -> FileStatus? {
    let bytes = try repository.blob(node.id)
    if let id = document?.blob, let pointer = Pointer(bytes: bytes), pointer.id == id {
      if try directory.placeImage(id, at: path) {
        return try environment.files.status(try directory.location(path))
      }
      if try !isErased(id) { report.imagesMissing += 1 }
    }
    switch node.mode {
    case .symlink:
      return try directory.writeSymlink(to: String(decoding: bytes, as: UTF8.self), at: path)
    case .executable: return try directory.write(bytes, to: path, executable: true)
    default: return try directory.write(bytes, to: path)
    }
  }

  /// Whether the file matches the old commit or already the new one, or is as git left it in a
  /// conflict, or does not exist.
  func isClean(
    _ difference: TreeDifference, at location: FilePath, index: IndexFile, known: [ObjectID]
  ) throws -> Bool {
    guard let status = try environment.files.status(location) else { return true }
    let entry = index[difference.path]
    if let entry, entry.node == difference.old, index.isUnchanged(entry, status) { return true }
    guard status.kind == .regular else { return false }

    let known = [difference.old?.id, difference.new?.id] + known
    if let id = DocumentPath(difference.path)?.blob, status.size >= Pointer.sizeLimit {
      let hash = try BlobStore.hash(location, files: environment.files)
      return known.contains(
        ObjectID(hashing: .blob, Pointer(id: hash, size: Int(status.size)).bytes))
        || hash == id
    }
    guard let bytes = try environment.files.read(location) else { return true }
    if known.contains(ObjectID(hashing: .blob, bytes)) { return true }
    guard let entry, entry.stage != 0, let path = DocumentPath(difference.path) else {
      return false
    }
    return (try? Document(bytes: bytes, at: path)) == nil
  }
}

extension FileError {
  /// Whether something else occupies the path of a file, which a retry will not change.
  var isPathOccupied: Bool {
    [.notDirectory, .isDirectory, .directoryNotEmpty, .fileNameTooLong, .tooManySymbolicLinkLevels]
      .contains(code)
  }
}
