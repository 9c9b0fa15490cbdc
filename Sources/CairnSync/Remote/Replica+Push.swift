internal import CairnDocument
public import CairnGit
internal import CairnImages
internal import CairnStore
internal import CairnTransport

/// The result of a push.
public struct PushReport: Sendable {
  /// The name of the remote.
  public let remote: String
  /// The commit that the remote's branch names now.
  public let commit: ObjectID
  /// False when the remote was already up to date.
  public internal(set) var isNew = false
  /// The number of git objects that were sent.
  public internal(set) var objects = 0
  /// The number of images that were sent.
  public internal(set) var images = 0
  /// The total size of the images that were sent.
  public internal(set) var imageBytes = 0
  /// Images that the remote lacks: by request, or because no known copy has them.
  public internal(set) var imagesLeft = 0
  /// Messages from the remote and its hooks; safe to show.
  public internal(set) var messages: [String] = []
  /// Whether images were left by request; otherwise, no known copy has them.
  package internal(set) var leavesImages = false
  /// Whether the remote's history had erased facts and was replaced.
  public internal(set) var replacesHistory = false
  /// The result of erasing images in the remote's image store, if there were any to erase.
  public internal(set) var erasures: [ErasureStoreReport] = []
}

extension Replica {
  /// Pushes what the remote lacks: first images, then objects. Then it moves the remote's branch,
  /// if that has not changed meanwhile. Nothing changes in this copy, so others can work meanwhile.
  ///
  /// - Parameter branch: Nil for the branch that is checked out.
  /// - Throws: ``SyncError/notFastForward(remote:)`` when the remote has commits that are not here,
  ///   ``SyncError/refused(remote:reason:messages:)`` when it rejects these.
  package func push(
    _ remoteName: String? = nil, branch: String? = nil,
    options: TransferOptions = TransferOptions()
  ) throws -> PushReport {
    let branch = try branch ?? self.branch()
    let (name, remote) = try openRemote(remoteName, of: branch, for: .pushing)
    defer { remote.git.close() }
    let references = try pushReferences(of: remote, named: name, branch)
    return try push(branch, to: remote, named: name, at: references, options: options)
  }

  /// Returns the refs of a remote, to which the next push refers.
  func pushReferences(
    of remote: Remote, named name: String, _ branch: String
  ) throws -> RemoteReferences {
    guard try repository.reference(branch) != nil else { throw SyncError.nothingCommitted }
    try repository.removeTemporaryFiles()
    try repository.complete()
    let references = try remote.git.references(for: .pushing)
    recordExchange(with: name)
    try checkBranch(branch, in: references, of: name)
    return references
  }

  /// - Parameter references: The refs of the remote, just read.
  func push(
    _ branch: String, to remote: Remote, named name: String, at references: RemoteReferences,
    options: TransferOptions
  ) throws -> PushReport {
    let tracking = tracking(name, branch)
    // No commit with facts that are erased leaves this copy.
    if try hasErasedFacts(branch) {
      try editing("push") { try rewriteHistory($0) }
      if try hasErasedFacts(branch) {
        try checkNothingUnfinished()
        _ = try self.branch()
      }
    }
    // What the store did is recorded, and pushed with the rest.
    let erasures = try eraseAtRemotes(remote: name, branch: branch)
    // A remote with nothing gets everything, of which a clone may not have looked at the paths.
    if references[branch] == nil, try hasUncheckedPaths() {
      try editing("push") { try leaveOutRefusedPaths($0) }
    }
    guard let head = try repository.reference(branch) else { throw SyncError.nothingCommitted }
    // Somebody may just have committed some; a sync pulls again, which erases them.
    if try withoutErasedFacts(head) != head { throw SyncError.notFastForward(remote: name) }
    let theirs = references[branch]
    var isReplacing = false
    if theirs == head {
      try track(tracking, head)
      return PushReport(remote: name, commit: head, erasures: erasures)
    }
    if let theirs {
      guard repository.contains(theirs) else { throw SyncError.notFastForward(remote: name) }
      // A history with erased facts is replaced, if all of its commits are in this one.
      let kept = try withoutErasedFacts(theirs)
      guard try repository.isAncestor(kept, of: head) else {
        throw SyncError.notFastForward(remote: name)
      }
      isReplacing = kept != theirs
    }
    if isReplacing, let directory = remote.git as? DirectoryRemote, directory.deniesReplacement {
      throw SyncError.refused(
        remote: name, reason: "it denies non-fast-forward updates (receive.denyNonFastForwards)",
        messages: [])
    }
    let new = try newObjects(from: head, to: theirs, at: references)
    var report = PushReport(remote: name, commit: head, erasures: erasures)
    let pointers = try repository.pointers(among: new)
    if try !storesImages(name, at: head) {
      // Nobody expects them there.
    } else if options.sendsImages {
      let sent = try sendImages(pointers, to: remote, at: head)
      (report.images, report.imageBytes) = (sent.transferred, sent.bytes)
      report.imagesLeft = sent.missing.count
    } else {
      let erased = try erasedImages()
      report.imagesLeft = pointers.count { !erased.contains($0.id) }
      report.leavesImages = true
    }
    let outcome = try remote.git.push(
      ReferenceUpdate(branch, from: theirs, to: head), with: new, from: repository,
      progress: { environment.report($0, $1, of: $2) })
    switch outcome.result {
    case .moved: break
    case .raced: throw SyncError.notFastForward(remote: name)
    case .busy(let reason):
      throw SyncError.busy(remote: name, reason: reason, messages: outcome.messages)
    case .refused(let reason):
      // In the words of git's unpack-objects and index-pack.
      if (outcome.messages + [reason]).contains(where: { $0.contains("fsck error") }),
        let path = try refusedPath(from: head, excluding: theirs.map { [$0] } ?? [])
      {
        throw SyncError.refusedPath(
          path, remote: name, messages: outcome.messages.isEmpty ? [reason] : outcome.messages)
      }
      throw SyncError.refused(remote: name, reason: reason, messages: outcome.messages)
    }
    try track(tracking, head)
    if let directory = remote.git as? DirectoryRemote, directory.allowsMaintenance {
      runMaintenance(directory.repository)
    }
    (report.isNew, report.objects, report.messages) = (true, new.ids.count, outcome.messages)
    report.replacesHistory = isReplacing
    return report
  }

  /// Returns the objects to send to a remote whose branch is at `theirs`.
  private func newObjects(
    from head: ObjectID, to theirs: ObjectID?, at references: RemoteReferences
  ) throws -> MissingObjects {
    var known = theirs.map { [$0] } ?? []
    let ends = repository.historyEnds
    if ends.isEmpty, references.historyEnds.isEmpty {
      return try repository.newObjects(from: head, excluding: known)
    }
    // The remote has these, whatever its branches are.
    known += ends.intersection(references.historyEnds)
    let new = try repository.endingHistory(also: references.historyEnds) {
      try repository.newObjects(from: head, excluding: known)
    }
    if let end = new.ids.first(where: ends.contains) {
      throw GitError(
        .unsupported,
        "the remote lacks \(end.short), with which the history here begins, so it cannot be pushed there; "
          + "fetch the earlier commits first: `git fetch --unshallow`")
    }
    return new
  }
}

extension Repository {
  /// Returns the distinct pointers among new objects: those of images, and of other files that are
  /// stored with git-lfs.
  func pointers(among new: MissingObjects) throws -> [Pointer] {
    let documents = DocumentPath.topLevel.filter { $0 != "images" }
    var seen = Set<PhotoID>()
    return try new.files.compactMap { path, id in
      guard !documents.contains(String(path.prefix { $0 != "/" })),
        try size(of: id) < Pointer.sizeLimit,
        let pointer = Pointer(bytes: try blob(id)),
        seen.insert(pointer.id).inserted
      else { return nil }
      return pointer
    }
  }
}
