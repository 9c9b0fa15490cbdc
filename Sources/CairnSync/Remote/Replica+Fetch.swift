internal import CairnDocument
internal import CairnGit
internal import CairnImages
internal import CairnMerge
internal import CairnStore
internal import CairnTransport

/// The result of a fetch, to be merged.
struct Fetched: Sendable {
  let remote: String
  /// The commit of the remote's branch; nil when it has none.
  let commit: ObjectID?
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
  func fetch(
    _ remoteName: String? = nil, options: TransferOptions = TransferOptions()
  ) throws -> Fetched {
    try repository.removeTemporaryFiles()
    let (name, remote) = try openRemote(remoteName)
    defer { remote.git.close() }
    return try fetch(from: remote, named: name, options: options)
  }

  func fetch(
    from remote: Remote, named name: String, options: TransferOptions
  ) throws -> Fetched {
    let branch = try branch()
    var fetched = Fetched(
      remote: name, commit: try remote.git.references(for: .fetching)[branch])
    if let theirs = fetched.commit {
      fetched.images = try fetch(theirs, of: branch, from: remote, named: name, options: options)
    }
    // The newest commit determines where images are stored.
    if wantsImages(options), let commit = try fetched.commit ?? repository.head(),
      let unfetched = try unfetchedImages()
    {
      let report = try fetchImages(
        unfetched.map(\.pointer), from: remote, at: commit, options: options)
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
    options: TransferOptions
  ) throws -> ImageFetchReport {
    let tracking = tracking(name, branch)
    try fetchObjects(theirs, from: remote, tracking: tracking, progress: options.progress)
    try checkManifest(at: theirs, of: remote.git.address)
    var images = ImageFetchReport()
    if wantsImages(options) {
      images = try fetchImages(
        newImages(in: theirs), from: remote, at: theirs, options: options)
    }
    try track(tracking, theirs)
    return images
  }

  /// Fetches a commit and everything reachable from it.
  func fetchObjects(
    _ theirs: ObjectID, from remote: Remote, tracking: String,
    progress: TransferProgress = { _, _, _ in }
  ) throws {
    // The remote assumes that the whole history before these commits is present here.
    try repository.complete()
    let known = [try repository.head(), try repository.reference(tracking)].compactMap { $0 }
    try remote.git.fetch([theirs], into: repository, known: known, progress: progress)
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
        name, from: old, to: commit, log: (try committer(), "updated by cairn"))
    } catch ReferenceError.moved {}
  }

  /// Returns the remote called `name`, or otherwise the branch's own, the only one, or `origin`.
  func openRemote(
    _ name: String?, for direction: GitSettings.Direction = .fetching
  ) throws -> (name: String, remote: Remote) {
    let settings = try repository.settings()
    let names = settings.remoteNames
    let upstream = settings["branch.\(try branch().dropFirst("refs/heads/".count)).remote"]
    let chosen = name ?? upstream ?? (names.count == 1 ? names[0] : "origin")
    guard let address = try repository.remoteURL(chosen, for: direction) else {
      throw SyncError.noRemote(name)
    }
    let pusher =
      direction == .pushing
      ? DirectoryRemote.PushIdentity(signature: try committer(), root: directory.root) : nil
    let remote = try Remote(
      address, named: chosen, settings: settings, in: repository, relativeTo: directory.root,
      pusher: pusher, credentials: credentials, environment: environment)
    return (chosen, remote)
  }

  /// Checks that a commit of a remote holds a dataset in a known format: an older cairn would drop
  /// the parts of a later format that it does not understand. A manifest that somebody has broken
  /// or removed is repaired when the commit is merged, if its history has one that parses.
  private func checkManifest(at commit: ObjectID, of address: String) throws {
    let path = DocumentPath.manifest.description
    let node = try repository.node(at: path, in: try repository.tree(ofCommit: commit))
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
