internal import CairnDocument
public import CairnGit
public import CairnImages
internal import CairnMerge
public import CairnStore
internal import CairnTransport

/// What a pull did.
public struct PullReport: Sendable {
  public enum Outcome: String, Sendable {
    case upToDate = "up-to-date"
    /// Nothing new was here, so what came was taken as it is.
    case fastForward = "fast-forward"
    /// Both sides had something new.
    case joined
  }

  public let remote: String
  public let outcome: Outcome
  /// The commit that was checked out before, and the remote's.
  public let before: ObjectID?
  public let theirs: ObjectID?
  /// The commit that is checked out now; nil in a dataset without commits.
  public let commit: ObjectID?
  public let merge: MergeReport
  public let checkout: CheckoutReport
  /// What had to be seen to first.
  public let repairs: LocalRepairs
  public var images: ImageArrival
}

/// What came of the images that a pull or a clone wanted.
public struct ImageArrival: Sendable {
  public internal(set) var moved = 0
  /// Of those that moved.
  public internal(set) var bytes = 0
  /// Those that stayed away: the other side has them not, or they could not be brought.
  public internal(set) var left = 0
  /// Why not all came that are there; what came with them is joined all the same.
  public internal(set) var failure: (any Error)?

  static func + (a: ImageArrival, b: ImageArrival) -> ImageArrival {
    ImageArrival(
      moved: a.moved + b.moved, bytes: a.bytes + b.bytes, left: a.left + b.left,
      failure: a.failure ?? b.failure)
  }
}

/// What to bring along, and whom to tell how far it is.
public struct TransferOptions: Sendable {
  /// Whether images come; nil: as this copy is set up.
  public var images: Bool?
  /// Whether what is pushed takes its images along.
  public var sendsImages = true
  /// Whether to join a history that has nothing in common with this one.
  public var joinUnrelated = false
  /// Called with what is being done, how much of it is done, and how much there is.
  public var progress: @Sendable (_ what: String, _ done: Int, _ total: Int) -> Void = { _, _, _ in
  }
  /// Called with how far the images are, by one thread at a time.
  public var imageProgress: @Sendable (ImageProgress) -> Void = { _ in }

  public init() {}
}

extension Replica {
  /// Brings what the remote has and this copy has not, and joins it.
  public func pull(
    _ remoteName: String? = nil, options: TransferOptions = TransferOptions(),
    session: EditSession
  ) throws -> PullReport {
    let repairs = try repairLocally(session)
    let (name, remote) = try openRemote(remoteName)
    defer { remote.git.close() }
    let (theirs, newImages) = try fetch(from: remote, named: name, options: options)
    var images = newImages
    let ours = try repository.head()

    func report(
      _ outcome: PullReport.Outcome, _ commit: ObjectID?, merge: MergeReport = MergeReport(),
      checkout: CheckoutReport = CheckoutReport()
    ) -> PullReport {
      PullReport(
        remote: name, outcome: outcome, before: ours, theirs: theirs, commit: commit, merge: merge,
        checkout: checkout,
        repairs: repairs, images: images)
    }
    if wantsImages(options) {
      // The newest word says where images are.
      images =
        images
        + (try fetchImagesLeftBehind(from: remote, saidIn: theirs ?? ours, options: options))
    }
    guard let theirs else { return report(.upToDate, ours) }
    guard let ours else {
      let checkout = try checkOut(theirs, from: nil, because: "pull: first", session: session)
      return report(.fastForward, theirs, checkout: checkout)
    }
    if try repository.isAncestor(theirs, of: ours) { return report(.upToDate, ours) }
    if try repository.isAncestor(ours, of: theirs) {
      var merge = MergeReport()
      let (commit, amended) = try amended(theirs, excluding: [ours])
      merge.amended = amended
      let checkout = try checkOut(
        commit, from: ours, because: "pull \(name): fast-forward", session: session)
      return report(.fastForward, commit, merge: merge, checkout: checkout)
    }
    if !options.joinUnrelated, try repository.mergeBases(ours, theirs).isEmpty {
      throw SyncError.unrelated(remote: name)
    }
    let writer = AdaptiveObjectWriter(repository)
    let (tree, merge) = try mergeTrees(ours, theirs, writer: writer)
    // Two remotes and some devices would join each other's joins for ever.
    if try tree == repository.commit(theirs).tree, try isOnlyJoins(ours, beyond: theirs) {
      let checkout = try checkOut(
        theirs, from: ours, because: "pull \(name): has all of this", session: session)
      return report(.fastForward, theirs, merge: merge, checkout: checkout)
    }
    let commit = try writer.write(mergeCommit(of: ours, theirs, tree: tree))
    try writer.finish()
    let checkout = try checkOut(
      commit, from: ours, because: "pull \(name): joined", session: session)
    return report(.joined, commit, merge: merge, checkout: checkout)
  }

  /// Brings the remote's commits and, where wanted, the images they name.
  ///
  /// - Returns: The commit of the remote's branch, nil when it has none, and what came of the images.
  func fetch(
    from remote: Remote, named name: String, options: TransferOptions
  ) throws -> (commit: ObjectID?, images: ImageArrival) {
    let branch = try branch()
    let references = try remote.git.references(for: .fetching)
    guard let theirs = references[branch] else { return (nil, ImageArrival()) }
    return (theirs, try fetch(theirs, of: branch, from: remote, named: name, options: options))
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

  /// Remembers where a remote's branch was seen.
  func track(_ name: String, _ commit: ObjectID) throws {
    let old = try repository.reference(name)
    if old == commit { return }
    try repository.moveReference(name, from: old, to: commit, log: (try committer(), "seen"))
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

extension Repository {
  /// Returns the pointers among some new objects, each once: those of images, and of other files that
  /// somebody has given to git-lfs.
  func pointers(among new: NewObjects) throws -> [Pointer] {
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
