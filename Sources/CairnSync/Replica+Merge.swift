internal import CairnDocument
internal import CairnGit
internal import CairnMerge

/// What a merge decided about files that both sides had changed.
public struct MergeReport: Equatable, Sendable {
  /// Documents that were joined.
  public internal(set) var joined: [String] = []
  /// Documents removed on one side and changed on the other: kept.
  public internal(set) var kept: [String] = []
  /// What came back because the other side still speaks of its photo.
  public internal(set) var broughtBack: [String] = []
  /// Documents of which one side does not read, or neither does.
  public internal(set) var broken: [WorkingProblem] = []
  /// Other files, of which the version committed last was taken.
  public internal(set) var replaced: [String] = []
  /// What other tools had left without a stamp, or broken.
  public internal(set) var amended: [Amendment] = []

  /// Adds what another merge decided.
  mutating func add(_ other: MergeReport) {
    joined += other.joined
    kept += other.kept
    broughtBack += other.broughtBack
    broken += other.broken
    replaced += other.replaced
    amended += other.amended
  }
}

extension Replica {
  /// Merges two commits, and returns the merged tree with what was decided.
  ///
  /// The result is a pure function of the two commits and their history, whichever of them is
  /// called ours.
  func mergeTrees(
    _ ours: ObjectID, _ theirs: ObjectID, writer: any ObjectWriter
  ) throws -> (tree: ObjectID, report: MergeReport) {
    let base = try baseTree(of: ours, theirs)
    let (ourSide, theirSide) = (
      try side(ours, against: theirs), try side(theirs, against: ours)
    )
    var report = MergeReport()
    report.amended = (ourSide.amendments.list + theirSide.amendments.list)
    let tree = try repository.merge(
      base: base, ours: ourSide.tree, theirs: theirSide.tree, writer: writer
    ) { candidate in
      guard let ours = candidate.ours, let theirs = candidate.theirs else {
        return try resolve(
          candidate, removed: (candidate.ours == nil ? ourSide : theirSide).amendments.removed,
          writer: writer, report: &report)
      }
      guard let path = DocumentPath(candidate.path), path.kind != nil else {
        if let lines = try mergedLines(candidate, ours, theirs) {
          return TreeNode(ours.mode, try writer.write(.blob, lines))
        }
        report.replaced.append(candidate.path)
        return ourSide.order < theirSide.order ? theirs : ours
      }
      let merge = DocumentMerge(
        try repository.blob(ours.id), try repository.blob(theirs.id), at: path)
      switch merge {
      case .joined: report.joined.append(candidate.path)
      case .kept(_, let error), .broken(_, let error):
        report.broken.append(
          WorkingProblem(path: candidate.path, reason: .invalidDocument(error)))
      }
      return TreeNode(.file, try writer.write(.blob, merge.bytes))
    }
    var removed = ourSide.amendments.removed
    for (path, bytes) in theirSide.amendments.removed {
      removed[path] = removed[path].map { Replica.joined($0, bytes, path) } ?? bytes
    }
    let joined = try joinLastVersions(removed, in: tree, writer: writer)
    let whole = try bringBackPhotos(among: removed, in: joined, writer: writer, report: &report)
    return (
      try bringBackPins(among: removed, in: whole, since: base, writer: writer, report: &report),
      report
    )
  }

  /// One side of a merge: its tree as its commits mean it, and what they removed.
  private struct Side {
    let tree: ObjectID
    let amendments: Amendments
    /// Of two files that are not documents, the later side's is taken.
    let order: (time: Int64, id: ObjectID)
  }

  private func side(_ tip: ObjectID, against other: ObjectID) throws -> Side {
    let commit = try repository.commit(tip)
    let amendments = try amendments(of: tip, excluding: [other])
    let writer = AdaptiveObjectWriter(repository)
    let tree = try apply(amendments, to: commit.tree, writer: writer)
    try writer.finish()
    return Side(tree: tree, amendments: amendments, order: (commit.committer.time, tip))
  }

  /// Decides a file that one side removed and the other changed: it stays, with what the side that
  /// removed it had last said of it, unless that side knew all that the other says.
  private func resolve(
    _ candidate: MergeCandidate, removed: [String: [UInt8]], writer: any ObjectWriter,
    report: inout MergeReport
  ) throws -> TreeNode? {
    guard let present = candidate.ours ?? candidate.theirs else { return nil }
    guard let last = removed[candidate.path] else {
      report.kept.append(candidate.path)
      return present
    }
    let joined = Replica.joined(try repository.blob(present.id), last, candidate.path)
    if joined == last { return nil }
    report.kept.append(candidate.path)
    return TreeNode(present.mode, try writer.write(.blob, joined))
  }

  /// Returns a file of somebody else's with the lines of both sides; nil for one that is no text.
  private func mergedLines(
    _ candidate: MergeCandidate, _ ours: TreeNode, _ theirs: TreeNode
  ) throws -> [UInt8]? {
    guard ours.mode == theirs.mode, ours.mode == .file || ours.mode == .executable else {
      return nil
    }
    // The same whichever side is called ours.
    let sides = [ours.id, theirs.id].sorted()
    let versions = try ([candidate.base?.id].compactMap { $0 } + sides).map { id -> [UInt8]? in
      try repository.size(of: id) <= DocumentLimit.size ? try repository.blob(id) : nil
    }
    guard versions.allSatisfy({ $0?.contains(0) == false }) else { return nil }
    return try Repository.mergeLines(
      base: candidate.base == nil ? [] : versions[0]!, versions[versions.count - 2]!,
      versions[versions.count - 1]!)
  }

  /// Returns the tree that two commits come from: of several merge bases, the merge of them all.
  private func baseTree(of a: ObjectID, _ b: ObjectID) throws -> ObjectID? {
    let bases = try repository.mergeBases(a, b)
    guard bases.count > 1 else { return try repository.tree(ofCommit: bases.first) }
    // Histories that criss-cross for long have bases with bases: from the oldest on, so that nothing
    // calls itself as often.
    var open = [bases]
    while let last = open.last, joinedTrees[bases] == nil {
      let older = try repository.mergeBases(last[0], last[1])
      if older.count > 1, joinedTrees[older] == nil {
        open.append(older)
      } else {
        _ = try joinedTree(of: last)
        open.removeLast()
      }
    }
    return try joinedTree(of: bases)
  }

  /// Returns the tree of the merge of some commits, which is made once.
  func joinedTree(of commits: [ObjectID]) throws -> ObjectID {
    if let known = joinedTrees[commits] { return known }
    // What is merged here is read again at once, so it is written object by object.
    let writer = LooseObjectWriter(repository)
    var merged = commits[0]
    for other in commits.dropFirst() {
      let tree = try mergeTrees(merged, other, writer: writer).tree
      merged = try writer.write(mergeCommit(of: merged, other, tree: tree))
    }
    let tree = try repository.commit(merged).tree
    joinedTrees[commits] = tree
    return tree
  }

  /// Returns the commit that joins two histories. It says nothing of who joins them, and when, so
  /// that two devices that join the same two commits make the same commit.
  func mergeCommit(of a: ObjectID, _ b: ObjectID, tree: ObjectID) throws -> Commit {
    let parents = [a, b].sorted()
    let time = try parents.map { try repository.commit($0).committer.time }.max()!
    let cairn = Replica.signature(time: time)
    return Commit(
      tree: tree, parents: parents, author: cairn, committer: cairn,
      message: Replica.joinSummary(parents))
  }

  private static func joinSummary(_ parents: [ObjectID]) -> String {
    "Join \(parents[0].short) and \(parents[1].short)"
  }

  /// Whether all commits that `tip` has and `other` has not are joins, which say nothing new.
  func isOnlyJoins(_ tip: ObjectID, beyond other: ObjectID) throws -> Bool {
    var isOnlyJoins = true
    try repository.walk(from: [tip], excluding: [other]) { id in
      isOnlyJoins = Replica.isJoin(try repository.commit(id))
      return isOnlyJoins
    }
    return isOnlyJoins
  }

  /// Who makes the commits that are the same on every device.
  static func signature(time: Int64) -> Signature {
    Signature(name: "cairn", email: "cairn@localhost", time: time)
  }

  /// Whether cairn made this merge.
  static func isJoin(_ commit: Commit) -> Bool {
    commit.parents.count == 2 && commit.parents == commit.parents.sorted()
      && commit.committer == signature(time: commit.committer.time)
      && commit.author == commit.committer && commit.summary == joinSummary(commit.parents)
  }
}
