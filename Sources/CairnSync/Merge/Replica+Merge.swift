internal import CairnDocument
internal import CairnGit
internal import CairnMerge
internal import CairnStore

/// The decisions of a merge about files that both sides had changed.
public struct MergeReport: Equatable, Sendable {
  /// Documents that were merged.
  public internal(set) var merged: [String] = []
  /// Documents removed on one side and changed on the other: kept.
  public internal(set) var kept: [String] = []
  /// Removed documents that were restored because the other side still refers to their photo.
  public internal(set) var restored: [String] = []
  /// Documents that do not parse on one side or on both.
  public internal(set) var broken: [WorkingProblem] = []
  /// Other files, for which the version committed last was taken.
  public internal(set) var replaced: [String] = []
  /// Fixups for documents that other tools left without a stamp, or broken.
  public internal(set) var fixups: [Fixup] = []

  /// Adds the decisions of another merge.
  mutating func add(_ other: MergeReport) {
    merged += other.merged
    kept += other.kept
    restored += other.restored
    broken += other.broken
    replaced += other.replaced
    fixups += other.fixups
  }
}

extension Replica {
  /// Merges two commits, and returns the merged tree and the decisions.
  ///
  /// The result is a pure function of the two commits and their history, whichever of them is
  /// called ours.
  func mergeTrees(
    _ ours: ObjectID, _ theirs: ObjectID, writer: any ObjectWriter
  ) throws -> (tree: ObjectID, report: MergeReport) {
    let base = try baseTree(of: ours, theirs)
    let (ourSide, theirSide) = (
      try side(ours, against: theirs, since: base), try side(theirs, against: ours, since: base)
    )
    var report = MergeReport()
    report.fixups = (ourSide.fixups.list + theirSide.fixups.list)
    let tree = try repository.merge(
      base: base, ours: ourSide.tree, theirs: theirSide.tree, writer: writer,
      overridden: { path in
        // A document in whose place there is a directory is restored.
        if DocumentPath(path) == nil { report.replaced.append(path) }
      }
    ) { candidate in
      guard let ours = candidate.ours, let theirs = candidate.theirs else {
        return try resolve(
          candidate, removed: (candidate.ours == nil ? ourSide : theirSide).fixups.removed,
          writer: writer, report: &report)
      }
      guard let path = DocumentPath(candidate.path), path.kind != nil else {
        let isOlder = ourSide.order < theirSide.order
        if let image = DocumentPath(candidate.path),
          let pointer = try pointer(toImageAt: image, in: (isOlder ? theirSide : ourSide).tree)
        {
          return TreeNode(.file, try writer.write(.blob, pointer.bytes))
        }
        if let merged = try mergedFile(candidate, ours, theirs, writer: writer) { return merged }
        report.replaced.append(candidate.path)
        return isOlder ? theirs : ours
      }
      var versions = (try bytes(of: ours), try bytes(of: theirs))
      if candidate.base == nil, path.kind == .photo {
        versions = (
          try dated(versions.0, at: path, of: ourSide, against: versions.1, of: theirSide),
          try dated(versions.1, at: path, of: theirSide, against: versions.0, of: ourSide)
        )
      }
      let merge = DocumentMerge(versions.0, versions.1, at: path)
      switch merge {
      case .merged: report.merged.append(candidate.path)
      case .kept(_, let error), .broken(_, let error):
        report.broken.append(
          WorkingProblem(path: candidate.path, reason: .invalidDocument(error)))
      }
      return TreeNode(.file, try writer.write(.blob, merge.bytes))
    }
    var removed = ourSide.fixups.removed
    for (path, bytes) in theirSide.fixups.removed {
      removed[path] = removed[path].map { Replica.merged($0, bytes, path) } ?? bytes
    }
    let merged = try mergeLastVersions(removed, in: tree, writer: writer) { photo, path, last in
      let isOurs = try repository.hasFile(at: path.description, in: ourSide.tree)
      let (side, other) = isOurs ? (ourSide, theirSide) : (theirSide, ourSide)
      return try dated(photo, at: path, of: side, against: last, of: other)
    }
    // It may also have been edited and removed before the base.
    func latest(_ path: String, _ version: [UInt8]) throws -> [UInt8] {
      guard let document = DocumentPath(path), document.kind != nil,
        let last = try lastVersion(of: document, in: [ours, theirs].sorted())
      else { return version }
      return Replica.merged(version, last, path)
    }
    var result = try restorePhotos(
      among: removed, in: merged, writer: writer, report: &report, latest: latest)
    if removed.isEmpty { return (result, report) }
    try writer.finish()
    let restored = try restorable(removed, in: result, since: base)
    if !restored.isEmpty {
      report.restored = (report.restored + restored.keys).sorted()
      result = try repository.edit(
        result, restored.map { ($0, TreeNode(.file, try writer.write(.blob, latest($0, $1)))) },
        writer: writer)
    }
    return (result, report)
  }

  /// Returns a photo that one side added independently of the other, which has since removed it,
  /// with a stamp from the commit that added it: its creation stamp does not show which came later.
  private func dated(
    _ bytes: [UInt8], at path: DocumentPath, of side: Side, against other: [UInt8],
    of otherSide: Side
  ) throws -> [UInt8] {
    guard var photo = try? Photo(bytes: bytes), photo.removed == Register(false, .initial),
      let removed = try? Photo(bytes: other), removed.removed.value
    else { return bytes }
    var added: Int64?
    try repository.walk(from: [side.order.id], excluding: [otherSide.order.id]) { id in
      let commit = try repository.commit(id)
      let wasThere = try commit.parents.contains {
        try repository.hasFile(at: path.description, in: repository.commit($0).tree)
      }
      let isThere = try repository.hasFile(at: path.description, in: commit.tree)
      if isThere, !wasThere { added = max(added ?? 0, commit.author.time) }
      return true
    }
    guard let added else { return bytes }
    photo.removed = Register(false, Stamp.initial.successorByOtherTools(at: added))
    return photo.canonicalBytes
  }

  /// One side of a merge: its tree with the fixups applied, and what its commits removed.
  private struct Side {
    let tree: ObjectID
    let fixups: CommitFixups
    /// Decides between versions of a file that is not a document: the later side's is taken.
    let order: (time: Int64, id: ObjectID)
  }

  private func side(
    _ tip: ObjectID, against other: ObjectID, since base: ObjectID?
  ) throws -> Side {
    let commit = try repository.commit(tip)
    var fixups = try effectiveFixups(
      of: tip, excluding: [other], since: base, readingNew: base != nil)
    let writer = AdaptiveObjectWriter(repository)
    let tree = try apply(fixups, to: commit.tree, writer: writer)
    try writer.finish()
    if let base, fixups.includesMerge {
      // A merge may lack a file that the base has because a commit before the base removed it.
      try repository.diff(base, tree) { difference in
        guard difference.new == nil, let old = difference.old,
          fixups.removed[difference.path] == nil, DocumentPath(difference.path) != nil
        else { return }
        fixups.removed[difference.path] = try bytes(of: old)
      }
    }
    return Side(tree: tree, fixups: fixups, order: (commit.committer.time, tip))
  }

  /// Resolves a file that one side removed and the other changed: it is kept and merged with the
  /// last version of the side that removed it, unless that version already includes all of the
  /// other.
  private func resolve(
    _ candidate: ConflictEntry, removed: [String: [UInt8]], writer: any ObjectWriter,
    report: inout MergeReport
  ) throws -> TreeNode? {
    guard let present = candidate.ours ?? candidate.theirs else { return nil }
    guard let last = removed[candidate.path], present.mode != .submodule else {
      report.kept.append(candidate.path)
      return present
    }
    let merged = Replica.merged(try repository.blob(present.id), last, candidate.path)
    if merged == last { return nil }
    report.kept.append(candidate.path)
    return TreeNode(present.mode, try writer.write(.blob, merged))
  }

  /// Returns the merge of a file that is not a document: of its executable bit and of its contents,
  /// line by line; nil if one of them cannot be merged.
  private func mergedFile(
    _ candidate: ConflictEntry, _ ours: TreeNode, _ theirs: TreeNode, writer: any ObjectWriter
  ) throws -> TreeNode? {
    func isRegular(_ node: TreeNode) -> Bool { node.mode == .file || node.mode == .executable }
    func merged<Value: Equatable>(_ value: (TreeNode) -> Value, since base: TreeNode?) -> Value? {
      if value(ours) == value(theirs) { return value(ours) }
      guard let base else { return nil }
      return value(ours) == value(base)
        ? value(theirs)
        : value(theirs) == value(base) ? value(ours) : nil
    }
    let base = candidate.base.flatMap { isRegular($0) ? $0 : nil }
    guard isRegular(ours), isRegular(theirs), let mode = merged(\.mode, since: base) else {
      return nil
    }
    if let id = merged(\.id, since: base) { return TreeNode(mode, id) }
    // Sort, so that the result is the same whichever side is called ours.
    let sides = [ours.id, theirs.id].sorted()
    let versions = try ([base?.id].compactMap { $0 } + sides).map { id -> [UInt8]? in
      try repository.size(of: id) <= DocumentLimit.size ? try repository.blob(id) : nil
    }
    // Lines of two pointers of git-lfs are not a pointer.
    guard versions.allSatisfy({ $0.map { !$0.contains(0) && Pointer(bytes: $0) == nil } ?? false })
    else { return nil }
    let lines = try Repository.mergeLines(
      base: base == nil ? [] : versions[0]!, versions[versions.count - 2]!,
      versions[versions.count - 1]!)
    return TreeNode(mode, try writer.write(.blob, lines))
  }

  /// Returns the tree of the merge base or, if there are several, of the merge of them all.
  private func baseTree(of a: ObjectID, _ b: ObjectID) throws -> ObjectID? {
    let bases = try repository.mergeBases(a, b)
    guard bases.count > 1 else { return try repository.tree(ofCommit: bases.first) }
    // In a long criss-cross history, merge bases have several bases themselves: start with the
    // oldest, to limit the depth of the recursion.
    var open = [bases]
    while let last = open.last, mergedTrees[bases] == nil {
      let older = try repository.mergeBases(last[0], last[1])
      if older.count > 1, mergedTrees[older] == nil {
        open.append(older)
      } else {
        _ = try mergedTree(of: last)
        open.removeLast()
      }
    }
    return try mergedTree(of: bases)
  }

  /// Returns the tree of the merge of some commits, which is computed only once.
  func mergedTree(of commits: [ObjectID]) throws -> ObjectID {
    if let known = mergedTrees[commits] { return known }
    // The merged tree is read again at once, so write loose objects.
    let writer = LooseObjectWriter(repository)
    var merged = commits[0]
    for other in commits.dropFirst() {
      let tree = try mergeTrees(merged, other, writer: writer).tree
      merged = try writer.write(mergeCommit(of: merged, other, tree: tree))
    }
    let tree = try repository.commit(merged).tree
    mergedTrees[commits] = tree
    return tree
  }

  /// Returns the commit that merges two histories. It records neither who merges them nor when, so
  /// that two devices that merge the same two commits create the same commit.
  func mergeCommit(of a: ObjectID, _ b: ObjectID, tree: ObjectID) throws -> Commit {
    let parents = [a, b].sorted()
    let time = try parents.map { try repository.commit($0).committer.time }.max()!
    let cairn = Replica.signature(time: time)
    return Commit(
      tree: tree, parents: parents, author: cairn, committer: cairn,
      message: Replica.mergeSummary(parents))
  }

  static func mergeSummary(_ parents: [ObjectID], verb: String = "Merge") -> String {
    "\(verb) \(parents[0].short) and \(parents[1].short)"
  }

  /// Whether all commits that `tip` has and `other` lacks are cairn's merges, which add nothing
  /// new.
  func hasOnlyOwnMerges(_ tip: ObjectID, beyond other: ObjectID) throws -> Bool {
    var hasOnlyOwnMerges = true
    try repository.walk(from: [tip], excluding: [other]) { id in
      hasOnlyOwnMerges = Replica.isOwnMerge(try repository.commit(id))
      return hasOnlyOwnMerges
    }
    return hasOnlyOwnMerges
  }

  /// Returns the signature of the commits that are the same on every device.
  static func signature(time: Int64) -> Signature {
    Signature(name: "cairn", email: "cairn@localhost", time: time)
  }

  /// Whether cairn made this merge; its first versions called it “Join”.
  static func isOwnMerge(_ commit: Commit) -> Bool {
    commit.parents.count == 2 && commit.parents == commit.parents.sorted()
      && commit.committer == signature(time: commit.committer.time)
      && commit.author == commit.committer
      && ["Merge", "Join"].contains { commit.summary == mergeSummary(commit.parents, verb: $0) }
  }
}
