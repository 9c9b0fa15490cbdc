public import CairnDocument
internal import CairnGit
public import CairnMerge
public import CairnSync

/// The results of a pull that people should know about, beyond its counts.
public struct PullSummary: Sendable {
  /// A class that people newly disagree about.
  public struct Disagreement: Sendable {
    /// The photo.
    public let photo: PhotoID
    /// The photo's title, or the name of its file.
    public let name: String
    /// The resolution of the class.
    public let resolution: Resolution
  }

  /// A photo that one side removed and the other labeled.
  public struct RemovedAndLabeled: Sendable {
    /// The photo.
    public let photo: PhotoID
    /// The name shown for the photo.
    public let name: String
    /// Whether it was removed here and labeled at the remote, rather than the other way around.
    public let isRemovedHere: Bool
    /// The people who labeled it.
    public let people: [Annotator]
    /// Whether the photo is visible after the merge.
    public let isVisible: Bool
  }

  /// A commit of the remote that removed the documents of visible photos.
  public struct Removal: Sendable {
    /// The commit, in hexadecimal.
    public let commit: String
    /// The name of its author.
    public let author: String
    /// The first line of its message.
    public let summary: String
    /// The photos that it removed and that the merge leaves removed, sorted.
    public internal(set) var photos: [RemovedPhoto]
  }

  /// A photo whose documents a commit removed.
  public struct RemovedPhoto: Sendable {
    /// The photo.
    public let photo: PhotoID
    /// The photo's title, or the name of its file, before it was removed.
    public let name: String
  }

  /// The commits of the remote that removed photos.
  public fileprivate(set) var removals: [Removal] = []
  /// The classes that people disagree on since the merge.
  public fileprivate(set) var disagreements: [Disagreement] = []
  /// The photos that one side removed and the other labeled.
  public fileprivate(set) var removedAndLabeled: [RemovedAndLabeled] = []
  /// The documents that both sides changed.
  public fileprivate(set) var mergedDocuments: [MergedDocument] = []

  /// A document that both sides changed.
  public struct MergedDocument: Sendable {
    /// The change from the version here to the merged one.
    public let here: DocumentChange
    /// The remote's changes that were overridden by later changes here, and what replaced them.
    public let overridden: DocumentChange?
  }
}

extension Dataset {
  /// Summarizes a pull, at a cost proportional to the fetched changes.
  public func summary(of pull: PullReport) throws(CairnError) -> PullSummary {
    try translating {
      guard let before = pull.before, let after = pull.commit, before != after else {
        return PullSummary()
      }
      return try summary(from: before, theirs: pull.theirs, to: after, merged: pull.merge.merged)
    }
  }

  /// Summarizes a merge that git had started, once it is finished.
  public func summary(of merge: FinishedMerge) throws(CairnError) -> PullSummary {
    try translating {
      try summary(
        from: merge.before, theirs: merge.theirs, to: merge.commit, merged: merge.merge.merged)
    }
  }

  private func summary(
    from before: ObjectID, theirs: ObjectID?, to after: ObjectID, merged: [String]
  ) throws -> PullSummary {
    var summary = PullSummary()
    let repository = replica.repository
    let base = try theirs.flatMap { try repository.mergeBases(before, $0).first }
    let trees = MergeTrees(
      base: try repository.tree(ofCommit: base),
      before: try repository.commit(before).tree,
      theirs: try repository.tree(ofCommit: theirs),
      after: try repository.commit(after).tree)

    var photos = Set<PhotoID>()
    var removed = Set<PhotoID>()
    try repository.diff(trees.before, trees.after) { difference in
      if let path = DocumentPath(difference.path), path.kind != nil, let photo = path.photo {
        photos.insert(photo)
        if path.kind == .photo, difference.new == nil { removed.insert(photo) }
      }
    }
    if let theirs, !removed.isEmpty {
      summary.removals = try removals(of: removed, upTo: theirs, since: before, trees)
    }
    let rules = try rules()
    for id in try notable(photos, in: trees.after, rules) {
      try summarize(id, trees, rules, &summary)
    }

    let names = DisplayNames { [self] in try bytes(at: $0, in: trees.after) }
    for path in merged.compactMap({ DocumentPath($0) }) {
      summary.mergedDocuments.append(try mergedDocument(at: path, trees, naming: names.naming))
    }
    return summary
  }

  /// Returns the commits that removed photos with their documents, newest first. Photos that were
  /// hidden before do not count: `cairn gc` prunes them.
  private func removals(
    of photos: Set<PhotoID>, upTo tip: ObjectID, since known: ObjectID, _ trees: MergeTrees
  ) throws -> [PullSummary.Removal] {
    var left: [PhotoID: String] = [:]
    for id in photos {
      if let photo = try photo(id, in: trees.before), !photo.removed.value { left[id] = photo.name }
    }
    var removals: [PullSummary.Removal] = []
    let repository = replica.repository
    try repository.walk(from: [tip], excluding: [known]) { id in
      let commit = try repository.commit(id)
      guard !left.isEmpty, commit.parents.count == 1 else { return !left.isEmpty }
      var removal = PullSummary.Removal(
        commit: id.description, author: commit.author.name, summary: commit.summary, photos: [])
      try repository.diff(
        repository.commit(commit.parents[0]).tree, commit.tree,
        entering: { path, isNew in !isNew && (path == "photos" || path.hasPrefix("photos/")) }
      ) { difference in
        guard difference.new == nil, let photo = DocumentPath(difference.path)?.photo,
          let name = left.removeValue(forKey: photo)
        else { return }
        removal.photos.append(PullSummary.RemovedPhoto(photo: photo, name: name))
      }
      if !removal.photos.isEmpty { removals.append(removal) }
      return true
    }
    return removals
  }

  /// Returns the photos that may have something to report, sorted. Queries the index if it has that
  /// tree, which is far cheaper than reading trees.
  private func notable(
    _ photos: Set<PhotoID>, in tree: ObjectID, _ rules: ResolutionRules
  ) throws -> [PhotoID] {
    let photos = photos.sorted()
    return try query { index in
      guard try index.tree() == tree.description else { return photos }
      let uncommitted = Set(try index.overlay().keys.compactMap { DocumentPath($0)?.photo })
      var notable = uncommitted
      try index.forEachPhoto(of: photos.filter { !uncommitted.contains($0) }) {
        photo, isRemoved, labels in
        if isRemoved || rules.resolve(labels).contains(where: { $0.state == .disputed }) {
          notable.insert(photo)
        }
      }
      return photos.filter(notable.contains)
    }
  }

  /// The trees involved in a pull.
  private struct MergeTrees {
    /// The merge base; nil for unrelated histories.
    let base: ObjectID?
    let before: ObjectID
    let theirs: ObjectID?
    let after: ObjectID
  }

  private func mergedDocument(
    at path: DocumentPath, _ trees: MergeTrees, naming: DocumentChange.Naming
  ) throws -> PullSummary.MergedDocument {
    let (theirs, after) = (
      try bytes(at: path, in: trees.theirs), try bytes(at: path, in: trees.after)
    )
    let theirChange = DocumentChange(try bytes(at: path, in: trees.base), theirs, at: path)
    return PullSummary.MergedDocument(
      here: DocumentChange(try bytes(at: path, in: trees.before), after, at: path, naming: naming),
      overridden: DocumentChange(theirs, after, at: path, naming: naming)
        .common(with: [theirChange]))
  }

  private func summarize(
    _ id: PhotoID, _ trees: MergeTrees, _ rules: ResolutionRules, _ summary: inout PullSummary
  ) throws {
    guard let photo = try photo(id, in: trees.after) else { return }
    let (old, new) = (try labels(of: id, in: trees.before), try labels(of: id, in: trees.after))
    let record = PhotoRecord(photo, new, rules)

    func disputed(_ resolutions: [Resolution]) -> [Resolution] {
      resolutions.filter { $0.state == .disputed }
    }
    let known = Set(disputed(rules.resolve(old)).map(\.classKey))
    for resolution in disputed(record.resolution) where !known.contains(resolution.classKey) {
      summary.disagreements.append(
        PullSummary.Disagreement(photo: id, name: record.name, resolution: resolution))
    }

    guard photo.removed.value else { return }
    let wasRemoved = try self.photo(id, in: trees.before)?.removed.value ?? false
    // Removed here: count the labels that the remote added. Removed at the remote: count the labels
    // added here since the merge base.
    let earlier = wasRemoved ? old : try labels(of: id, in: trees.base)
    let later = wasRemoved ? new : new.filter { old.contains($0) }
    let people = Set(
      later.filter { $0.annotator.isHuman && $0.verdict != .withdrawn && !earlier.contains($0) }
        .map(\.annotator))
    if people.isEmpty { return }
    summary.removedAndLabeled.append(
      PullSummary.RemovedAndLabeled(
        photo: id, name: record.name, isRemovedHere: wasRemoved, people: people.sorted(),
        isVisible: record.visibility.isVisible))
  }

  // MARK: Documents of a tree

  private func bytes(at path: DocumentPath, in tree: ObjectID?) throws -> [UInt8]? {
    try replica.repository.file(at: path.description, in: tree)
  }

  private func photo(_ id: PhotoID, in tree: ObjectID?) throws -> Photo? {
    try bytes(at: .photo(id), in: tree).flatMap { try? Photo(bytes: $0) }
  }

  private func labels(of id: PhotoID, in tree: ObjectID?) throws -> [Label] {
    let directory = try replica.repository.node(at: DocumentPath.labels(of: id), in: tree)
    guard let directory, directory.isDirectory else { return [] }
    return try replica.repository.tree(directory.id).entries.compactMap { entry in
      try? Label(bytes: try replica.repository.blob(entry.node.id))
    }
  }
}
