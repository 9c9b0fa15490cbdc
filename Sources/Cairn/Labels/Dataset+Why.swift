public import CairnDocument
internal import CairnFiles
internal import CairnGit
internal import CairnIndex
public import CairnMerge
internal import CairnStore
internal import CairnSync

/// The reasons why a photo has, or lacks, its classes.
public struct Explanation: Sendable {
  /// The photo and all its labels.
  public let record: PhotoRecord
  /// The resolution of every class with labels, sorted by key, with the status of each label,
  /// including classes without a label that counts.
  public let classes: [Resolution]
  /// The commits that added the labels, by name of the labels' documents; labels with uncommitted
  /// changes have none.
  public let origins: [LabelName: Origin]
  /// The rules that were applied.
  package let rules: ResolutionRules

  /// Returns the consensus weights of people's labels of a class, if they disagree and the policy
  /// uses weights.
  public func weights(of classKey: ClassKey) -> ConsensusWeights? {
    rules.people == .dawidSkene
      ? rules.weights(of: classKey, in: rules.ratings(record.labels)) : nil
  }

  /// Returns why a label counted or not, as a phrase: `counts, but is outvoted`.
  public func reason(_ evidence: Evidence) -> String { rules.reason(evidence) }

  /// Returns the display name of a class.
  public func name(of classKey: ClassKey) -> String { rules.classes.name(of: classKey) }

  /// Returns the probability that the photo has a class, given people's error rates; nil if people
  /// agree, or the policy does not estimate it.
  package func estimatedPresence(of classKey: ClassKey) -> Double? {
    weights(of: classKey)?.result.candidates.first { $0.category == classKey }?.probability
  }

  /// The commit that added a label to the history.
  public struct Origin: Sendable {
    /// In hexadecimal.
    public let commit: String
    /// The author's name.
    public let author: String
    /// The author's email address.
    public let email: String
    /// Milliseconds since 1970.
    public let time: Int64
    /// The first line of the commit's message.
    public let summary: String
  }
}

extension Dataset {
  /// Explains the resolution of a photo's classes.
  ///
  /// - Parameter className: The only class to explain; nil for all.
  public func why(_ id: PhotoID, className: String? = nil) throws(CairnError) -> Explanation {
    try translating {
      let key = try className.map { try existingClassKey(named: $0) }
      let labels = try labels(of: id)
      let rules = try resolvingRules(of: labels)
      let record = PhotoRecord(try photo(id), labels, rules)
      let classes = rules.explain(record.labels).filter { key == nil || $0.classKey == key }
      if let className, classes.isEmpty {
        throw CairnError(
          .notFound, "There are no labels of “\(className)” on \(id.short)….",
          hint: "`cairn why \(id.short)` explains all classes of the photo.")
      }
      let explained = classes.flatMap(\.evidence).map(\.label)
      return Explanation(
        record: record, classes: classes, origins: try origins(of: explained, on: id), rules: rules)
    }
  }

  /// Explains the resolution of a photo's classes, without reading the history.
  package func explanation(of id: PhotoID) throws(CairnError) -> Explanation {
    try translating {
      let labels = try labels(of: id)
      let rules = try resolvingRules(of: labels)
      let record = PhotoRecord(try photo(id), labels, rules)
      return Explanation(
        record: record, classes: rules.explain(labels), origins: [:], rules: rules)
    }
  }

  // MARK: Origins of labels

  /// Maximum number of commits to search; the origins of labels further back are not reported.
  private static let commitLimit = 20_000

  /// Returns the commits that added these labels in their current form.
  private func origins(
    of labels: [Label], on photo: PhotoID
  ) throws -> [LabelName: Explanation.Origin] {
    guard let head = try replica.repository.head() else { return [:] }
    var search = OriginSearch(repository: replica.repository, photo: photo)
    var wanted: [LabelName: ObjectID] = [:]
    for label in labels {
      let path = DocumentPath.label(photo, label.name).description
      guard let bytes = try replica.read(path) else { continue }
      wanted[label.name] = ObjectID(hashing: .blob, bytes)
    }
    return try search.find(wanted, from: head, limit: Dataset.commitLimit)
      .mapValues { id in
        let commit = try replica.repository.commit(id)
        return Explanation.Origin(
          commit: id.description, author: commit.author.name, email: commit.author.email,
          time: commit.author.milliseconds, summary: commit.summary)
      }
  }
}

/// Finds the commits in which blobs of one photo's labels first appear.
///
/// From a commit that contains a blob the search continues at the first parent that contains it
/// too: merges that only include the blob are skipped, and so are branches that never had it.
private struct OriginSearch {
  let repository: Repository
  let photo: PhotoID

  /// Lookups in trees, cached since most trees are the same from commit to commit.
  private var children: [ChildKey: ObjectID?] = [:]
  private var blobs: [ObjectID: [String: ObjectID]] = [:]

  private struct ChildKey: Hashable {
    let tree: ObjectID
    let name: String
  }

  init(repository: Repository, photo: PhotoID) {
    (self.repository, self.photo) = (repository, photo)
  }

  mutating func find(
    _ wanted: [LabelName: ObjectID], from head: ObjectID, limit: Int
  ) throws -> [LabelName: ObjectID] {
    var found: [LabelName: ObjectID] = [:]
    let blobs = try labels(in: head)
    var open = [(commit: head, names: wanted.keys.filter { blobs["\($0).json"] == wanted[$0] })]
    var left = limit
    while left > 0, let (commit, names) = open.popLast() {
      left -= 1
      if names.isEmpty { continue }
      var rest = names
      // A parent may be missing from a shallow clone.
      for parent in try repository.commit(commit).parents where repository.contains(parent) {
        let blobs = try labels(in: parent)
        open.append((parent, rest.filter { blobs["\($0).json"] == wanted[$0] }))
        rest.removeAll { blobs["\($0).json"] == wanted[$0] }
      }
      for name in rest { found[name] = commit }
    }
    return found
  }

  /// Returns the blobs of the photo's labels in a commit, by file name.
  private mutating func labels(in commit: ObjectID) throws -> [String: ObjectID] {
    var tree = try repository.commit(commit).tree
    for name in DocumentPath.labels(of: photo).split(separator: "/").map(String.init) {
      guard let child = try child(name, of: tree) else { return [:] }
      tree = child
    }
    if let known = blobs[tree] { return known }
    let entries = try repository.tree(tree).entries
    let labels = Dictionary(entries.map { ($0.name, $0.node.id) }) { $1 }
    blobs[tree] = labels
    return labels
  }

  private mutating func child(_ name: String, of tree: ObjectID) throws -> ObjectID? {
    let key = ChildKey(tree: tree, name: name)
    if let known = children[key] { return known }
    let node = try repository.tree(tree)[name]
    let child = node.flatMap { $0.isDirectory ? $0.id : nil }
    children[key] = .some(child)
    return child
  }
}
