internal import CairnDocument
public import CairnGit
public import CairnImages
internal import CairnMerge
internal import CairnStore
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
  ///
  /// - Parameter command: What it is a part of, for whoever has to wait.
  public func pull(
    _ remote: String? = nil, options: TransferOptions = TransferOptions(),
    as command: String = "pull"
  ) throws -> PullReport {
    let fetched = try fetch(remote, options: options)
    return try editing(command) { try join(fetched, options: options, session: $0) }
  }

  private func join(
    _ fetched: Fetched, options: TransferOptions, session: EditSession
  ) throws -> PullReport {
    let repairs = try repairLocally(session)
    let (name, theirs) = (fetched.remote, fetched.commit)
    try placeImagesLeftBehind(fetched)
    let ours = try repository.head()

    func report(
      _ outcome: PullReport.Outcome, _ commit: ObjectID?, merge: MergeReport = MergeReport(),
      checkout: CheckoutReport = CheckoutReport()
    ) -> PullReport {
      PullReport(
        remote: name, outcome: outcome, before: ours, theirs: theirs, commit: commit, merge: merge,
        checkout: checkout, repairs: repairs, images: fetched.images)
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
}
