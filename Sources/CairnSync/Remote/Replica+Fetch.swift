internal import CairnDocument
internal import CairnGit
internal import CairnImages
internal import CairnMerge
internal import CairnStore
internal import CairnTransport

/// The result of a fetch, to be merged.
struct Fetched: Sendable {
  let remote: String
  /// The branch into which it is to be merged: `refs/heads/main`.
  let branch: String
  /// The commit of the remote's branch; nil when it has none.
  var commit: ObjectID?
  /// The value of the remote-tracking ref before this fetch; nil when it did not exist.
  var previous: ObjectID?
  /// Whether the remote's commit has facts that are erased, and ``commit`` is what it becomes without
  /// them.
  var isRewritten = false
  var images = ImageFetchReport()
  /// Images that earlier pulls left behind, as far as this fetch got them.
  var unfetched: [Replica.CommittedImage] = []
  var hasFetchedAll = false
}

extension Replica {
  /// Fetches the remote's commits and, if wanted, their images and those that earlier pulls left
  /// behind.
  ///
  /// It changes nothing visible and needs no write lock, so others can work meanwhile.
  /// - Parameter branch: Nil for the branch that is checked out.
  func fetch(
    _ remoteName: String? = nil, branch: String? = nil,
    options: TransferOptions = TransferOptions()
  ) throws -> Fetched {
    try repository.removeTemporaryFiles()
    let branch = try branch ?? self.branch()
    let (name, remote) = try openRemote(remoteName, of: branch)
    defer { remote.git.close() }
    return try fetch(from: remote, named: name, branch: branch, options: options)
  }

  func fetch(
    from remote: Remote, named name: String, branch: String? = nil, options: TransferOptions
  ) throws -> Fetched {
    let branch = try branch ?? self.branch()
    let references = try remote.git.references(for: .fetching)
    recordExchange(with: name)
    try checkBranch(branch, in: references, of: name)
    var fetched = Fetched(
      remote: name, branch: branch, commit: references[branch],
      previous: try repository.reference(tracking(name, branch)))
    if let theirs = fetched.commit {
      fetched.images = try fetch(
        theirs, of: branch, from: remote, named: name, endingAt: references.historyEnds,
        options: options)
      fetched.commit = try withoutErasedFacts(theirs)
      fetched.isRewritten = fetched.commit != theirs
    }
    // The newest commit determines where images are stored.
    if wantsImages(options), let commit = try fetched.commit ?? repository.head(),
      try storesImages(name, at: commit),
      let unfetched = try unfetchedImages()
    {
      let report = try fetchImages(unfetched.map(\.pointer), from: remote, at: commit)
      fetched.images = fetched.images + report
      (fetched.unfetched, fetched.hasFetchedAll) = (unfetched, report.left == 0)
    }
    return fetched
  }

  /// Fetches a commit of a remote's branch, and updates the remote-tracking ref.
  ///
  /// - Returns: The result for the images.
  func fetch(
    _ theirs: ObjectID, of branch: String, from remote: Remote, named name: String,
    endingAt ends: Set<ObjectID>, options: TransferOptions
  ) throws -> ImageFetchReport {
    let tracking = tracking(name, branch)
    try fetchObjects(theirs, from: remote, named: name, endingAt: ends, tracking: tracking)
    try checkPaths(of: theirs, fetchedFrom: name, tracking: tracking)
    try checkManifest(at: theirs, of: remote.git.address)
    // Even an erasure that is not merged yet keeps its image from being fetched.
    try noteErasures(in: theirs)
    var images = ImageFetchReport()
    if try wantsImages(options) && storesImages(name, at: theirs) {
      images = try fetchImages(newImages(in: theirs), from: remote, at: theirs)
    }
    try environment.checkCancellation()
    try track(tracking, withoutErasedFacts(theirs))
    return images
  }

  /// Refuses new commits with a path that git refuses, if git's settings ask for a check of fetched
  /// objects. Without them, a merge leaves such a path out, and the commit stays in the history.
  private func checkPaths(of theirs: ObjectID, fetchedFrom name: String, tracking: String) throws {
    let settings = try repository.settings()
    guard settings.flag("fetch.fsckObjects") ?? settings.flag("transfer.fsckObjects") ?? false
    else { return }
    let known = [try repository.head(), try repository.reference(tracking)].compactMap { $0 }
    if let path = try refusedPath(from: theirs, excluding: known) {
      throw SyncError.refusedPathAtRemote(path, remote: name)
    }
  }

  /// Fetches a commit and everything reachable from it.
  ///
  /// - Parameter ends: Where the history of the remote ends, if it is a shallow clone.
  func fetchObjects(
    _ theirs: ObjectID, from remote: Remote, named name: String, endingAt ends: Set<ObjectID>,
    tracking: String
  ) throws {
    // The remote assumes that the whole history before these commits is present here.
    try completeHistory(from: name, endingAt: ends)
    let known = [try repository.head(), try repository.reference(tracking)].compactMap { $0 }
    let before = repository.historyEnds
    try remote.git.fetch([theirs], into: repository, known: known) {
      environment.report($0, $1, of: $2)
    }
    if let end = repository.historyEnds.subtracting(before).min() {
      environment.onMessage(
        "the remote is a shallow clone, without the commits before \(end.short)")
    }
  }

  /// Fetches what a shallow or partial clone left out. If the history ends where that of the remote
  /// does, it stays so.
  private func completeHistory(from remote: String, endingAt ends: Set<ObjectID>) throws {
    if !repository.historyEnds.isEmpty, !repository.historyEnds.isSubset(of: ends) {
      try repository.completeHistory(from: remote, endingAt: ends)
    }
    do throws(GitError) {
      try repository.complete()
    } catch {
      guard error.code == .incomplete, !ends.isEmpty else { throw error }
      try repository.completeHistory(from: remote, endingAt: ends)
    }
  }

  /// Returns the name of the remote-tracking ref of a remote's branch.
  func tracking(_ remote: String, _ branch: String) -> String {
    "refs/remotes/\(remote)/" + branch.dropFirst("refs/heads/".count)
  }

  /// Updates a remote-tracking ref, unless another process updates it at the same time.
  func track(_ name: String, _ commit: ObjectID) throws {
    let old = try repository.reference(name)
    if old == commit { return }
    do {
      try repository.moveReference(
        name, from: old, to: commit, log: (try logSignature(), "updated by cairn"))
    } catch ReferenceError.moved {}
  }

  /// Returns the remote called `name`, or otherwise the branch's own, the only one, or `origin`.
  ///
  /// - Parameter branch: Nil for the branch that is checked out.
  func openRemote(
    _ name: String?, of branch: String? = nil, for direction: GitSettings.Direction = .fetching
  ) throws -> (name: String, remote: Remote) {
    let settings = try repository.settings()
    let (chosen, address) = try chooseRemote(
      name, of: branch ?? self.branch(), for: direction, settings)
    let pusher =
      direction == .pushing
      ? DirectoryRemote.PushIdentity(signature: try logSignature(), root: directory.root) : nil
    let remote = try Remote(
      address, named: chosen, settings: settings, in: repository, relativeTo: directory.root,
      pusher: pusher, credentials: credentials, environment: environment)
    return (chosen, remote)
  }

  /// Returns the name and the address of the remote called `name`, or otherwise of the branch's own,
  /// the only one, or `origin`.
  func chooseRemote(
    _ name: String?, of branch: String, for direction: GitSettings.Direction,
    _ settings: GitSettings
  ) throws -> (name: String, address: String) {
    let names = settings.remoteNames
    let branch = String(branch.dropFirst("refs/heads/".count))
    let upstream = settings["branch.\(branch).remote"]
    let chosen = name ?? upstream ?? (names.count == 1 ? names[0] : "origin")
    guard let address = try repository.remoteURL(chosen, for: direction) else {
      throw name == nil && names.count > 1
        ? SyncError.ambiguousRemote(names, branch: branch) : .noRemote(name)
    }
    return (chosen, address)
  }

  /// Checks that a remote which has had a branch still has it, unless it has no branches at all.
  ///
  /// A hosting site may have renamed it: pushing the old one again would split the team.
  func checkBranch(_ branch: String, in references: RemoteReferences, of remote: String) throws {
    let branches = references.tips.keys.filter { $0.hasPrefix("refs/heads/") }
    guard references[branch] == nil, !branches.isEmpty, try hadBranch(branch, at: remote) else {
      return
    }
    let other = references.headBranch ?? (branches.count == 1 ? branches[0] : nil)
    func short(_ name: String) -> String { String(name.dropFirst("refs/heads/".count)) }
    throw SyncError.branchGone(
      remote: remote, branch: short(branch), default: other.map(short),
      exists: try other.map { try repository.reference($0) != nil } ?? false)
  }

  /// Whether a remote has had a branch: it was fetched, or it is that of this clone. `git fetch
  /// --prune` deletes the remote-tracking ref, and leaves those of the other branches.
  private func hadBranch(_ branch: String, at remote: String) throws -> Bool {
    if try repository.reference(tracking(remote, branch)) != nil { return true }
    let settings = try repository.settings()
    let section = "branch.\(branch.dropFirst("refs/heads/".count))"
    guard settings["\(section).remote"] == remote, settings["\(section).merge"] == branch else {
      return false
    }
    return try repository.references().keys.contains { $0.hasPrefix("refs/remotes/\(remote)/") }
  }

  /// Checks that a commit of a remote holds a dataset in a known format: an older cairn would drop
  /// the parts of a later format that it does not understand. A manifest that somebody has broken
  /// or removed is repaired when the commit is merged, if its history has one that parses.
  private func checkManifest(at commit: ObjectID, of address: String) throws {
    let path = DocumentPath.manifest.description
    let node = try repository.node(at: path, in: try repository.tree(ofCommit: commit))?.file
    let isTooLarge = try node.map { try repository.size(of: $0.id) > DocumentLimit.size } ?? false
    let error =
      isTooLarge
      ? DocumentError(.tooLarge, "larger than the limit of \(DocumentLimit.size) bytes")
      : Replica.manifestError(try node.map { try repository.blob($0.id) })
    guard let error else { return }
    if error.kind != .newerFormat, try lastManifest(upTo: commit) != nil { return }
    if node == nil { throw SyncError.remoteNotADataset(address) }
    throw SyncError.invalidRemoteManifest(address, error)
  }
}
