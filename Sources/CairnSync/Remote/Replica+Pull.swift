internal import CairnDocument
public import CairnGit
internal import CairnMerge
internal import CairnStore
internal import CairnTransport

/// The result of a pull.
public struct PullReport: Sendable {
  /// How the local branch changed.
  public enum Outcome: String, Sendable {
    case upToDate = "up-to-date"
    /// This copy had no new commits, so it took those of the remote unchanged.
    case fastForward = "fast-forward"
    /// Both sides had new commits.
    case merged = "joined"
  }

  /// The name of the remote.
  public let remote: String
  /// How the local branch changed.
  public let outcome: Outcome
  /// The commit that was checked out before; nil in a dataset without commits.
  package let before: ObjectID?
  /// The remote's commit; nil if the remote is empty.
  package let theirs: ObjectID?
  /// The commit that is checked out now; nil in a dataset without commits.
  public let commit: ObjectID?
  /// The documents that were merged; empty without a merge.
  public let merge: MergeReport
  /// What changed in the work tree.
  public let checkout: CheckoutReport
  /// The repairs made before the pull.
  public let repairs: Repairs
  /// The images that were fetched, and those that are missing.
  public var images: ImageFetchReport
  /// The images that were erased here and in the remote's image store.
  public internal(set) var erasures = ErasureReport()
  /// The commits of this copy that were rewritten without erased facts.
  public internal(set) var redactions = RedactionReport()
  /// Whether the remote's history has erased facts, so that the next push replaces it.
  public internal(set) var needsReplacement = false
}

/// The result of fetching the images that a pull or a clone wanted.
public struct ImageFetchReport: Sendable {
  /// The number of images that were fetched.
  public internal(set) var transferred = 0
  /// The bytes of the transferred images.
  public internal(set) var bytes = 0
  /// Images that are still missing: the remote does not have them, or fetching them failed.
  public internal(set) var left = 0
  /// Why not all available images were fetched; their documents are merged all the same.
  public internal(set) var failure: (any Error)?

  static func + (a: ImageFetchReport, b: ImageFetchReport) -> ImageFetchReport {
    ImageFetchReport(
      transferred: a.transferred + b.transferred, bytes: a.bytes + b.bytes, left: a.left + b.left,
      failure: a.failure ?? b.failure)
  }
}

/// What a transfer includes.
public struct TransferOptions: Sendable {
  /// Whether to fetch images; nil for this copy's configuration.
  public var images: Bool?
  /// Whether a push includes images.
  public var sendsImages = true
  /// Whether to merge a history that has no common ancestor with this one.
  public var allowUnrelatedHistories = false

  /// Creates options for a transfer with the default settings.
  public init() {}
}

extension Replica {
  /// Fetches from a remote and merges.
  ///
  /// - Parameters:
  ///   - branch: The branch to merge into, which must be checked out; nil for the one that is.
  ///   - command: The command that this is a part of, reported to processes that wait.
  package func pull(
    _ remote: String? = nil, branch: String? = nil, options: TransferOptions = TransferOptions(),
    as command: String = "pull"
  ) throws -> PullReport {
    let fetched = try fetch(remote, branch: branch, options: options)
    return try finishPull(fetched, options: options, as: command)
  }

  /// Merges what was fetched, and does what was erased.
  func finishPull(
    _ fetched: Fetched, options: TransferOptions, as command: String
  ) throws -> PullReport {
    var fetched = fetched
    var report = try editing(command) { session in
      try rewriteHistory(session)
      if let previous = fetched.previous, repository.contains(previous) {
        fetched.previous = try withoutErasedFacts(previous)
      }
      if let commit = fetched.commit {
        fetched.commit = try withoutErasedFacts(commit)
        if fetched.commit != commit { fetched.isRewritten = true }
      }
      var report = try merge(fetched, options: options, session: session)
      (report.redactions, report.needsReplacement) = (takeRewrittenHistory(), fetched.isRewritten)
      try deleteErasedImages(session: session)
      (report.erasures.photos, report.erasures.changed) = takeDeletedImages()
      return report
    }
    // A store that cannot be asked now is asked at the next pull.
    report.erasures.stores = try eraseAtRemotes(remote: report.remote)
    return report
  }

  private func merge(
    _ fetched: Fetched, options: TransferOptions, session: EditSession
  ) throws -> PullReport {
    let repairs = try repairLocally(session)
    let branch = try branch()
    guard branch == fetched.branch else {
      throw SyncError.branchSwitched(from: fetched.branch, to: branch)
    }
    let (name, tip) = (fetched.remote, fetched.commit)
    try placeUnfetchedImages(fetched)
    let ours = try repository.head()

    func report(
      _ outcome: PullReport.Outcome, _ commit: ObjectID?, merge: MergeReport = MergeReport(),
      checkout: CheckoutReport = CheckoutReport()
    ) -> PullReport {
      PullReport(
        remote: name, outcome: outcome, before: ours, theirs: tip, commit: commit, merge: merge,
        checkout: checkout, repairs: repairs, images: fetched.images)
    }
    guard var theirs = tip else { return report(.upToDate, ours) }
    guard let ours else {
      let refused = try refusals(in: repository.commit(theirs).tree, since: nil)
      let commit = try commitWithFixups(theirs, by: refused)
      let checkout = try checkOut(
        commit, from: nil, reason: "pull \(name): first pull", session: session)
      return report(
        .fastForward, commit, merge: MergeReport(fixups: refused.list), checkout: checkout)
    }
    if try repository.isAncestor(theirs, of: ours) { return report(.upToDate, ours) }
    var rewritten: [Fixup] = []
    for replaced in try replacedCommits(fetched, by: theirs, since: ours) {
      let known = try commitWithFixups(
        replaced, excluding: repository.mergeBases(replaced, theirs)
      ).commit
      let (commit, fixups) = try commitWithFixups(theirs, excluding: [ours], replacing: known)
      theirs = commit
      rewritten += fixups
    }
    if try repository.isAncestor(ours, of: theirs) {
      var merge = MergeReport()
      let (commit, fixups) = try commitWithFixups(theirs, excluding: [ours])
      merge.fixups = rewritten + fixups
      let checkout = try checkOut(
        commit, from: ours, reason: "pull \(name): fast-forward", session: session)
      return report(.fastForward, commit, merge: merge, checkout: checkout)
    }
    if !options.allowUnrelatedHistories, try repository.mergeBases(ours, theirs).isEmpty {
      guard let end = repository.historyEnds.min() else { throw SyncError.unrelated(remote: name) }
      throw GitError(
        .unsupported,
        "this copy and “\(name)” have no common commit: the history here begins with \(end.short); clone a "
          + "complete copy, and add documents there that you have not pushed")
    }
    let writer = AdaptiveObjectWriter(repository)
    var (tree, merge) = try mergeTrees(ours, theirs, writer: writer)
    merge.fixups += rewritten
    // Otherwise two remotes and some devices would merge each other's merges forever.
    if try tree == repository.commit(theirs).tree, try hasOnlyOwnMerges(ours, beyond: theirs) {
      let checkout = try checkOut(
        theirs, from: ours, reason: "pull \(name): remote has all of this", session: session)
      return report(.fastForward, theirs, merge: merge, checkout: checkout)
    }
    let commit = try writer.write(mergeCommit(of: ours, theirs, tree: tree))
    try writer.finish()
    let checkout = try checkOut(
      commit, from: ours, reason: "pull \(name): merged", session: session)
    return report(.merged, commit, merge: merge, checkout: checkout)
  }

  /// Returns the commits that the remote's branch had since it was last merged here and no longer
  /// has, oldest first. git may have fetched any of them.
  private func replacedCommits(
    _ fetched: Fetched, by theirs: ObjectID, since ours: ObjectID
  ) throws -> [ObjectID] {
    var replaced: [ObjectID] = []
    let logged = try repository.earlierValues(of: tracking(fetched.remote, fetched.branch))
    // There may be no reflog.
    let earlier = [fetched.previous].compactMap { $0 } + logged
    for commit in earlier where repository.contains(commit) {
      if try !replaced.contains(commit) && !repository.isAncestor(commit, of: theirs) {
        replaced.append(commit)
      }
      if try repository.isAncestor(commit, of: ours) { break }
    }
    return replaced.reversed()
  }
}
