internal import CairnDocument
internal import CairnGit
internal import CairnMerge

/// What a merge decided about files that both sides had changed.
public struct MergeReport: Equatable, Sendable {
  /// Documents that were joined.
  public internal(set) var joined: [String] = []
  /// Documents removed on one side and changed on the other: kept.
  public internal(set) var kept: [String] = []
  /// Documents of which one side does not read, or neither does.
  public internal(set) var broken: [WorkingProblem] = []
  /// Other files, of which the version committed last was taken.
  public internal(set) var replaced: [String] = []
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
    let (ourCommit, theirCommit) = (try repository.commit(ours), try repository.commit(theirs))
    let theirsIsLater =
      (ourCommit.committer.time, ours) < (theirCommit.committer.time, theirs)
    var report = MergeReport()
    let tree = try repository.merge(
      base: base, ours: ourCommit.tree, theirs: theirCommit.tree, writer: writer
    ) { candidate in
      guard let ours = candidate.ours, let theirs = candidate.theirs else {
        report.kept.append(candidate.path)
        return candidate.ours ?? candidate.theirs
      }
      guard let path = DocumentPath(candidate.path), path.kind != nil else {
        report.replaced.append(candidate.path)
        return theirsIsLater ? theirs : ours
      }
      let merge = DocumentMerge(
        base: try candidate.base.map { try repository.blob($0.id) },
        try repository.blob(ours.id), try repository.blob(theirs.id), at: path)
      switch merge {
      case .joined: report.joined.append(candidate.path)
      case .kept(_, let error), .broken(_, let error):
        report.broken.append(
          WorkingProblem(path: candidate.path, reason: .invalidDocument(error)))
      }
      return TreeNode(.file, try writer.write(.blob, merge.bytes))
    }
    return (tree, report)
  }

  /// Returns the tree that two commits come from: of several merge bases, the merge of them all.
  private func baseTree(of a: ObjectID, _ b: ObjectID) throws -> ObjectID? {
    let bases = try repository.mergeBases(a, b)
    guard bases.count > 1 else { return try repository.tree(ofCommit: bases.first) }
    // What is merged here is read again at once, so it is written object by object.
    let writer = LooseObjectWriter(repository)
    var merged = bases[0]
    for base in bases.dropFirst() {
      let tree = try mergeTrees(merged, base, writer: writer).tree
      merged = try writer.write(mergeCommit(of: merged, base, tree: tree))
    }
    return try repository.commit(merged).tree
  }

  /// Returns the commit that joins two histories. It says nothing of who joins them, and when, so
  /// that two devices that join the same two commits make the same commit.
  func mergeCommit(of a: ObjectID, _ b: ObjectID, tree: ObjectID) throws -> Commit {
    let parents = [a, b].sorted()
    let time = try parents.map { try repository.commit($0).committer.time }.max()!
    let cairn = Signature(name: "cairn", email: "cairn@localhost", time: time)
    return Commit(
      tree: tree, parents: parents, author: cairn, committer: cairn,
      message: "Join \(parents[0].short) and \(parents[1].short)")
  }
}
