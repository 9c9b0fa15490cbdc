public import CairnDocument
internal import CairnFiles
internal import CairnGit
internal import CairnMerge
internal import CairnStore
internal import SystemPackage

/// What bringing the work tree from one commit to another did.
public struct CheckoutReport: Equatable, Sendable {
  /// The documents that came, changed or went, by kind.
  public internal(set) var changed: [DocumentKind: Int] = [:]
  /// Uncommitted documents that were joined with the version that came.
  public internal(set) var joined: [String] = []
  /// Files with uncommitted changes that were left as they are.
  public internal(set) var left: [String] = []
  /// Documents with a stamp so far in the future that somebody's clock must be wrong.
  public internal(set) var future: [String] = []
  /// Images that came as pointers, since they are not on this disk.
  public internal(set) var imagesMissing = 0
  /// Photos that others removed for good, and that are back since labels here speak of them.
  public internal(set) var broughtBack: [PhotoID] = []
  /// Photos whose documents went.
  var removed: [PhotoID] = []
  /// Documents that went and were edited here.
  var edited: [String] = []
  /// Documents that came and do not read.
  public internal(set) var problems: [WorkingProblem] = []
}

// A crash must never leave the branch at a new commit and the work tree at the old one: the next
// commit, be it git's, would undo what came. So the work tree goes first, where the worst that can
// come of a crash is that somebody commits what came anyway; and the intent is written down before,
// to be carried out by whoever edits next.

extension Replica {
  private var intentFile: FilePath { directory.privateDirectory.appending("checkout") }

  /// Moves the work tree to `commit` and the checked out branch with it; what is not committed is
  /// joined with what comes.
  ///
  /// - Parameters:
  ///   - others: Trees whose versions of a file are nobody's edit either: git put them there.
  ///   - isOwn: Whether this copy made the commit, so that nobody need be told what is in it; what is
  ///     not checked out is not looked at.
  func checkOut(
    _ commit: ObjectID, from old: ObjectID?, because reason: String,
    touchedBy others: [ObjectID] = [], isOwn: Bool = false, session: EditSession
  ) throws -> CheckoutReport {
    let branch = try branch()
    let head = try repository.head()
    guard head == old else { throw ReferenceError.moved(name: branch, actual: head) }
    let intent = "\(old ?? .zero) \(commit)\n"
    try world.files.write(
      Array(intent.utf8), to: intentFile, temporary: FilePath(intentFile.string + ".tmp"),
      durable: true)
    let report = try updateWorkTree(
      from: old, to: commit, touchedBy: others, isOwn: isOwn, session: session)
    try repository.moveReference(branch, from: old, to: commit, log: (try committer(), reason))
    try world.files.remove(intentFile)
    try noteSeen(commit)
    return report
  }

  /// Carries out a checkout that a crash cut short, unless the branch has moved on since.
  func resumeCheckout(_ session: EditSession) throws {
    guard let bytes = try world.files.read(intentFile, limit: 256) else { return }
    let ids = String(decoding: bytes, as: UTF8.self).split { $0 == " " || $0 == "\n" }
      .compactMap { ObjectID($0) }
    // git has gone on from there, and has to come to its end first.
    if try unfinished() != nil { return }
    // A commit that a power cut or `git gc` took away comes again with the next pull.
    if ids.count == 2, repository.contains(ids[1]),
      try repository.head() == (ids[0].isZero ? nil : ids[0])
    {
      _ = try checkOut(
        ids[1], from: try repository.head(), because: "resumed after a crash", session: session)
    } else {
      if ids.count == 2, repository.contains(ids[1]) {
        try amendCommits(over: ids[1], session)
      }
      try world.files.remove(intentFile)
    }
  }

  /// Stamps what another tool committed while the work tree had come part of the way to `commit`: it
  /// may have been edited by hand there, over what came.
  private func amendCommits(over commit: ObjectID, _ session: EditSession) throws {
    _ = try amendOwnCommits(session)
    guard let head = try repository.head() else { return }
    let (incoming, tip) = (try repository.commit(commit).tree, try repository.commit(head))
    var amendments = Amendments()
    try repository.diff(incoming, tip.tree) { difference in
      guard let path = DocumentPath(difference.path), path.kind != nil,
        let theirs = difference.old.map({ try? JSON(bytes: repository.blob($0.id)) }) ?? nil,
        let ours = difference.new.map({ try? JSON(bytes: repository.blob($0.id)) }) ?? nil
      else { return }
      let stamped = ours.stampingContradictions(of: [theirs]) {
        $0.successorByOtherTools(at: tip.author.time)
      }
      if stamped != ours {
        amendments.documents[difference.path] = (stamped.canonicalBytes, .stamped)
      }
    }
    let amended = try amended(head, by: amendments)
    if amended == head { return }
    _ = try checkOut(amended, from: head, because: "amend what others changed", session: session)
  }

  func updateWorkTree(
    from old: ObjectID?, to new: ObjectID, touchedBy others: [ObjectID] = [], isOwn: Bool = false,
    session: EditSession
  ) throws -> CheckoutReport {
    var report = CheckoutReport()
    let trees = (try repository.tree(ofCommit: old), try repository.commit(new).tree)
    let index = try repository.readIndex()
    var changes = IndexFile.Changes()
    let entering = { [self] (path: String, _: Bool) in
      try !isOwn || reachesWorkTree(path)
    }
    try repository.diff(trees.0, trees.1, entering: entering) { difference in
      let path = difference.path
      var placed: FileStatus?
      do {
        let known = try others.compactMap { try repository.node(at: path, in: $0)?.id }
        placed = try update(
          difference, index: index, known: known, session: session, report: &report)
      } catch let error as FileError where error.isOfPlace {
        // Another file is in the way; it stays, and what came is in the history.
        report.left.append(path)
      }
      guard isCheckedOut(path) || index[path] != nil else { return }
      // An entry without a status makes git look at the file.
      guard let node = difference.new else { return changes.removed.append(path) }
      var entry = IndexFile.Entry(
        path: path, node: node, status: placed.map(IndexStatus.init) ?? .unknown)
      entry.isSkipped = placed == nil && !isCheckedOut(path)
      changes.entries.append(entry)
    }
    if report.imagesMissing > 0 { try noteImagesLeftBehind() }
    try bringBack(goneFrom: old, to: new, session: session, report: &report)
    try repository.updateIndex(changes, in: trees.1, levelling: true)
    return report
  }

  /// Whether files below a directory are in the work tree.
  private func reachesWorkTree(_ path: String) throws -> Bool {
    guard let part, part.collapsedDirectory(of: path + "/") != nil else { return true }
    return try world.files.exists(directory.location(path))
  }

  /// Takes a file out of the work tree that does not belong there.
  private func withdraw(_ path: String) throws {
    if try world.files.exists(directory.location(path)) { try directory.remove(path) }
  }

  /// Brings one file to its new version.
  ///
  /// - Returns: Its status; nil when it is not, or not surely, as the new commit has it.
  private func update(
    _ difference: TreeDifference, index: IndexFile, known: [ObjectID], session: EditSession,
    report: inout CheckoutReport
  ) throws -> FileStatus? {
    let path = difference.path
    let document = DocumentPath(path)
    guard let location = try? directory.location(path), difference.new?.mode != .submodule else {
      report.problems.append(WorkingProblem(path: path, reason: .unknownFile))
      return nil
    }
    let isClean = try isClean(difference, at: location, index: index, known: known)

    if let document, document.kind != nil {
      report.changed[document.kind!, default: 0] += 1
      return try updateDocument(
        document, difference, isClean: isClean, session: session, report: &report)
    }
    if !isClean {
      report.left.append(path)
      return nil
    }
    if !isCheckedOut(path) {
      try withdraw(path)
      return nil
    }
    if let node = difference.new { return try place(node, at: path, document, report: &report) }
    try directory.remove(path)
    return nil
  }

  private func updateDocument(
    _ document: DocumentPath, _ difference: TreeDifference, isClean: Bool, session: EditSession,
    report: inout CheckoutReport
  ) throws -> FileStatus? {
    let path = difference.path
    guard let new = try difference.new.map({ try repository.blob($0.id) }) else {
      if case .photo(let id) = document { report.removed.append(id) }
      // Removed by others, edited here and not committed: the edit stays.
      if isClean { try directory.remove(path) } else { report.edited.append(path) }
      return nil
    }
    switch Result(catching: { () throws(DocumentError) in try Document(bytes: new, at: document) })
    {
    case .success(let incoming):
      if let stamp = incoming.json.latestStamp, !session.observe(stamp) {
        report.future.append(path)
      }
    case .failure(let error):
      report.problems.append(WorkingProblem(path: path, reason: .invalidDocument(error)))
    }
    if isClean {
      if isCheckedOut(path) { return try directory.write(new, to: path) }
      try withdraw(path)
      return nil
    }

    let base = try difference.old.map { try repository.blob($0.id) }
    guard var working = try? directory.read(path) else {
      report.left.append(path)
      return nil
    }
    working = stampingEdits(working, since: base, session)
    if let json = try? JSON(bytes: working), let incoming = try? JSON(bytes: new) {
      // Before a crash, what comes may have come already, and was edited since.
      working =
        json.stampingContradictions(of: [incoming]) { session.stamp(replacing: $0) }
        .canonicalBytes
    }
    switch DocumentMerge(base: base, working, new, at: document) {
    case .joined(let bytes):
      try session.note([document])
      try directory.write(bytes, to: path, durable: true)
      report.joined.append(path)
    case .kept, .broken:
      // One of the two does not read; the file stays for its owner to look at.
      report.left.append(path)
    }
    return nil
  }

  /// Returns a working version as it is meant: what was edited by hand was edited now, as it would be
  /// for a commit.
  func stampingEdits(
    _ working: [UInt8], since base: [UInt8]?, _ session: EditSession
  ) -> [UInt8] {
    guard let before = try? base.map({ try JSON(bytes: $0) }), let json = try? JSON(bytes: working)
    else { return working }
    return json.stampingEdits(since: before) { session.stamp(replacing: $0) }.canonicalBytes
  }

  /// Puts a file that is not a document into the work tree: an image, or a file of somebody else's.
  func place(
    _ node: TreeNode, at path: String, _ document: DocumentPath?, report: inout CheckoutReport
  ) throws -> FileStatus? {
    let bytes = try repository.blob(node.id)
    if case .image(let id, _) = document, let pointer = Pointer(bytes: bytes), pointer.id == id {
      if try directory.placeImage(id, at: path) {
        return try world.files.status(try directory.location(path))
      }
      report.imagesMissing += 1
    }
    switch node.mode {
    case .symlink:
      return try directory.writeSymlink(to: String(decoding: bytes, as: UTF8.self), at: path)
    case .executable: return try directory.write(bytes, to: path, executable: true)
    default: return try directory.write(bytes, to: path)
    }
  }

  /// True when the file is as the old commit has it, or already as the new one does, or as git left
  /// it in a conflict, or is not there at all.
  func isClean(
    _ difference: TreeDifference, at location: FilePath, index: IndexFile, known: [ObjectID]
  ) throws -> Bool {
    guard let status = try world.files.status(location) else { return true }
    let entry = index[difference.path]
    if let entry, entry.node == difference.old, index.isUnchanged(entry, status) { return true }
    guard status.kind == .regular else { return false }

    let known = [difference.old?.id, difference.new?.id] + known
    if case .image(let id, _) = DocumentPath(difference.path), status.size >= Pointer.sizeLimit {
      let hash = try BlobStore.hash(location, files: world.files)
      return known.contains(
        ObjectID(hashing: .blob, Pointer(id: hash, size: Int(status.size)).bytes))
        || hash == id
    }
    guard let bytes = try world.files.read(location) else { return true }
    if known.contains(ObjectID(hashing: .blob, bytes)) { return true }
    guard let entry, entry.stage != 0, let path = DocumentPath(difference.path) else {
      return false
    }
    return (try? Document(bytes: bytes, at: path)) == nil
  }
}

extension FileError {
  /// Whether something else is where a file should go, which no later try will change.
  fileprivate var isOfPlace: Bool {
    [.notDirectory, .isDirectory, .directoryNotEmpty, .fileNameTooLong, .tooManySymbolicLinkLevels]
      .contains(code)
  }
}
