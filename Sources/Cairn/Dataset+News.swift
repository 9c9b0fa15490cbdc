internal import CairnDocument
internal import CairnGit
internal import CairnMerge
internal import CairnSync

/// What people should know of after a pull, beyond how much came.
public struct News: Sendable {
  /// A class that people are divided about and were not before.
  public struct Disagreement: Sendable {
    public let photo: PhotoID
    /// The photo's title, or the name of its file.
    public let name: String
    public let resolution: Resolution
  }

  /// A photo that one side removed and the other labelled.
  public struct Crossing: Sendable {
    public let photo: PhotoID
    public let name: String
    /// Whether it was removed here and labelled there; else it was the other way round.
    public let isRemovedHere: Bool
    /// Who labelled it.
    public let people: [Annotator]
    public let isInView: Bool
  }

  public fileprivate(set) var disagreements: [Disagreement] = []
  public fileprivate(set) var crossings: [Crossing] = []
  public fileprivate(set) var joins: [Join] = []

  /// A document that both sides had changed.
  public struct Join: Sendable {
    /// How it differs now from what it was here.
    public let here: DocumentChange
    /// What the other side had changed and what stands over it, since it was said later here.
    public let outdone: DocumentChange?
  }
}

extension Dataset {
  /// Tells what a pull brought that people should know of; the cost follows what came.
  public func news(of pull: PullReport) throws(CairnError) -> News {
    try translating {
      guard let before = pull.before, let after = pull.commit, before != after else {
        return News()
      }
      return try news(from: before, theirs: pull.theirs, to: after, joined: pull.merge.joined)
    }
  }

  /// Tells what a merge that git had begun brought when it was concluded.
  public func news(of merge: ConcludedMerge) throws(CairnError) -> News {
    try translating {
      try news(
        from: merge.before, theirs: merge.theirs, to: merge.commit, joined: merge.merge.joined)
    }
  }

  private func news(
    from before: ObjectID, theirs: ObjectID?, to after: ObjectID, joined: [String]
  ) throws -> News {
    var news = News()
    let repository = replica.repository
    let base = try theirs.flatMap { try repository.mergeBases(before, $0).first }
    let trees = Moments(
      base: try repository.tree(ofCommit: base),
      before: try repository.commit(before).tree,
      theirs: try repository.tree(ofCommit: theirs),
      after: try repository.commit(after).tree)

    var photos = Set<PhotoID>()
    try repository.diff(trees.before, trees.after) { difference in
      if let path = DocumentPath(difference.path), path.kind != nil, let photo = path.photo {
        photos.insert(photo)
      }
    }
    let rules = try rules()
    for id in try notable(photos, in: trees.after, rules) { try tell(id, trees, rules, &news) }

    let names = Names { [self] in try bytes(at: $0, in: trees.after) }
    for path in joined.compactMap({ DocumentPath($0) }) {
      news.joins.append(try join(at: path, trees, naming: names.naming))
    }
    return news
  }

  /// Returns those of some photos of which there may be something to tell, sorted. The index is asked where
  /// it knows what the commit has, which is far cheaper than to read trees.
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

  /// The trees that a pull went through.
  private struct Moments {
    /// Where the two sides parted; nil where they never were one.
    let base: ObjectID?
    let before: ObjectID
    let theirs: ObjectID?
    let after: ObjectID
  }

  private func join(
    at path: DocumentPath, _ trees: Moments, naming: DocumentChange.Naming
  ) throws -> News.Join {
    let (theirs, after) = (
      try bytes(at: path, in: trees.theirs), try bytes(at: path, in: trees.after)
    )
    let changedThere = DocumentChange(try bytes(at: path, in: trees.base), theirs, at: path)
    return News.Join(
      here: DocumentChange(try bytes(at: path, in: trees.before), after, at: path, naming: naming),
      outdone: DocumentChange(theirs, after, at: path, naming: naming)
        .common(with: [changedThere]))
  }

  private func tell(
    _ id: PhotoID, _ trees: Moments, _ rules: ResolutionRules, _ news: inout News
  ) throws {
    guard let photo = try photo(id, in: trees.after) else { return }
    let (old, new) = (try labels(of: id, in: trees.before), try labels(of: id, in: trees.after))
    let record = PhotoRecord(photo, new, rules)

    func disputed(_ resolutions: [Resolution]) -> [Resolution] {
      resolutions.filter { $0.state == .disputed }
    }
    let known = Set(disputed(rules.resolve(old)).map(\.classKey))
    for resolution in disputed(record.resolution) where !known.contains(resolution.classKey) {
      news.disagreements.append(
        News.Disagreement(photo: id, name: record.name, resolution: resolution))
    }

    guard photo.removed.value else { return }
    let wasRemoved = try self.photo(id, in: trees.before)?.removed.value ?? false
    // Removed here: what came was said there. Removed there: what is new here since both were one.
    let heard = wasRemoved ? old : try labels(of: id, in: trees.base)
    let said = wasRemoved ? new : new.filter { old.contains($0) }
    let people = Set(
      said.filter { $0.annotator.isHuman && $0.verdict != .withdrawn && !heard.contains($0) }
        .map(\.annotator))
    if people.isEmpty { return }
    news.crossings.append(
      News.Crossing(
        photo: id, name: record.name, isRemovedHere: wasRemoved, people: people.sorted(),
        isInView: record.visibility.isInView))
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
