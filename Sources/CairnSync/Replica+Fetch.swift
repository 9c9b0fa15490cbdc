internal import CairnDocument
internal import CairnGit
internal import CairnImages
internal import CairnMerge
internal import CairnStore
internal import CairnTransport

/// What a fetch brought, for a join to take in.
struct Fetched: Sendable {
  let remote: String
  /// The commit of the remote's branch; nil when it has none.
  let commit: ObjectID?
  var images = ImageArrival()
  /// Images that earlier pulls left behind, as far as they came now.
  var leftBehind: [Replica.CommittedImage] = []
  var isNothingLeft = false
}

extension Replica {
  /// Brings the remote's commits and, where wanted, the images that they name and those that earlier
  /// pulls left behind.
  ///
  /// It changes nothing that people see and needs no right to write: others work on meanwhile.
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
    // The newest word says where images are.
    if wantsImages(options), let commit = try fetched.commit ?? repository.head(),
      let leftBehind = try imagesLeftBehind()
    {
      let arrival = try fetchImages(
        leftBehind.map(\.pointer), from: remote, at: commit, options: options)
      fetched.images = fetched.images + arrival
      (fetched.leftBehind, fetched.isNothingLeft) = (leftBehind, arrival.left == 0)
    }
    return fetched
  }

  /// Brings a commit that a branch of the remote's names, and remembers that it was seen there.
  ///
  /// - Returns: What came of the images.
  func fetch(
    _ theirs: ObjectID, of branch: String, from remote: Remote, named name: String,
    options: TransferOptions
  ) throws -> ImageArrival {
    let tracking = tracking(name, branch)
    try fetchObjects(theirs, from: remote, tracking: tracking, progress: options.progress)
    try checkManifest(at: theirs, of: remote.git.address)
    var images = ImageArrival()
    if wantsImages(options) {
      images = try fetchImages(
        newImages(in: theirs), from: remote, at: theirs, options: options)
    }
    try track(tracking, theirs)
    return images
  }

  /// Brings a commit and all that it reaches.
  func fetchObjects(
    _ theirs: ObjectID, from remote: Remote, tracking: String,
    progress: TransferProgress = { _, _, _ in }
  ) throws {
    let known = [try repository.head(), try repository.reference(tracking)].compactMap { $0 }
    try remote.git.fetch([theirs], into: repository, known: known, progress: progress)
  }

  /// Returns the ref that remembers where a branch of a remote's was seen.
  func tracking(_ remote: String, _ branch: String) -> String {
    "refs/remotes/\(remote)/" + branch.dropFirst("refs/heads/".count)
  }

  /// Remembers where a remote's branch was seen. Where another process remembers something at the same
  /// time, that will do, too.
  func track(_ name: String, _ commit: ObjectID) throws {
    let old = try repository.reference(name)
    if old == commit { return }
    do {
      try repository.moveReference(name, from: old, to: commit, log: (try committer(), "seen"))
    } catch ReferenceError.moved {}
  }

  /// Returns the remote called `name`, or else the branch's own, the only one, or `origin`.
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
      ? DirectoryRemote.Pusher(signature: try committer(), root: directory.root) : nil
    let remote = try Remote(
      address, named: chosen, settings: settings, in: repository, relativeTo: directory.root,
      pusher: pusher, credentials: credentials, world: world)
    return (chosen, remote)
  }

  /// Checks that a commit of a remote is of a dataset whose manifest reads, in a format that is
  /// known here: an older cairn would drop what it does not understand of a later one, and without
  /// a manifest nothing works any more.
  private func checkManifest(at commit: ObjectID, of address: String) throws {
    let path = DocumentPath.manifest.description
    guard let node = try repository.node(at: path, in: try repository.tree(ofCommit: commit)) else {
      throw SyncError.remoteNotADataset(address)
    }
    guard try repository.size(of: node.id) <= DocumentLimit.size else {
      throw StoreError.invalidDocument(
        path: "\(address): \(path)", DocumentError(.tooLarge, "larger than a document may be"))
    }
    let bytes = try repository.blob(node.id)
    do throws(DocumentError) {
      _ = try Manifest(bytes: bytes)
    } catch {
      throw StoreError.invalidDocument(path: "\(address): \(path)", error)
    }
  }
}
