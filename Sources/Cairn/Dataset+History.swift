public import CairnDocument
internal import CairnGit
public import CairnMerge
internal import CairnSync

/// A commit, and what it did.
public struct HistoryEntry: Sendable {
  /// In hexadecimal.
  public let commit: String
  public let author: String
  public let email: String
  /// Milliseconds since 1970.
  public let time: Int64
  public let summary: String
  /// Whether it joins several histories.
  public let isJoin: Bool
  /// How many documents it changed against its first parent, by kind; of a photo's history, those
  /// that ``changes`` tells of. Nil where they were not to be counted.
  public let changed: [DocumentKind: Int]?
  /// Of a photo's history: what became different.
  public let changes: [DocumentChange]
}

extension Dataset {
  /// Calls `visit` for the commits of the dataset, newest first, until it returns false.
  ///
  /// A photo's history has the commits that changed the photo, what is said of it, or a class or a
  /// run that its labels use; a join only where it decided something that no parent had. Classes go
  /// by the names they have now.
  /// - Parameters:
  ///   - photo: Only the history of this photo.
  ///   - countingDocuments: Whether to count what each commit changed, which costs as much as there
  ///     is of it; of a photo's history it is counted anyway.
  public func log(
    photo: PhotoID? = nil, countingDocuments: Bool = true, _ visit: (HistoryEntry) throws -> Bool
  ) throws(CairnError) {
    try translating {
      guard let head = try replica.repository.head() else { return }
      let story = try photo.map { try PhotoStory(replica, of: $0, head: head) }
      try replica.repository.walk(from: [head]) { id in
        let commit = try replica.repository.commit(id)
        guard let story else {
          let changed = countingDocuments ? try documentsChanged(by: commit) : nil
          return try visit(HistoryEntry(id, commit, changed: changed, changes: []))
        }
        let changes = try story.changes(in: commit)
        if changes.isEmpty { return true }
        let kinds = Dictionary(grouping: changes.compactMap(\.path.kind)) { $0 }
        return try visit(
          HistoryEntry(id, commit, changed: kinds.mapValues(\.count), changes: changes))
      }
    }
  }

  private func documentsChanged(by commit: Commit) throws -> [DocumentKind: Int] {
    var changed: [DocumentKind: Int] = [:]
    let parent = try commit.parents.first.map { try replica.repository.commit($0).tree }
    try replica.repository.diff(parent, commit.tree) { difference in
      if let kind = DocumentPath(difference.path)?.kind { changed[kind, default: 0] += 1 }
    }
    return changed
  }
}

extension HistoryEntry {
  fileprivate init(
    _ id: ObjectID, _ commit: Commit, changed: [DocumentKind: Int]?, changes: [DocumentChange]
  ) {
    self.init(
      commit: id.description, author: commit.author.name, email: commit.author.email,
      time: commit.author.time * 1000, summary: commit.summary, isJoin: commit.parents.count > 1,
      changed: changed, changes: changes)
  }

  /// What became different of a photo, in words: a class or a run is named, the photo is not.
  public var sentences: [String] {
    changes.flatMap { change in
      let about = change.path.photo == nil ? "\(change.subject): " : ""
      return change.statements.map { about + $0.text }
    }
  }
}
