public import CairnDocument
internal import CairnGit
public import CairnMerge
internal import CairnSync

/// A commit and its changes.
public struct HistoryEntry: Sendable {
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
  /// Whether it is a merge commit.
  public let isMerge: Bool
  /// The number of documents that it changed relative to its first parent, by kind; in a photo's
  /// history, those listed in ``changes``. Nil if they were not counted.
  public let changed: [DocumentKind: Int]?
  /// In a photo's history, the changes to that photo.
  public let changes: [DocumentChange]
}

extension Dataset {
  /// Returns the latest commits, newest first.
  public func log(photo: PhotoID? = nil, limit: Int = 100) throws(CairnError) -> [HistoryEntry] {
    var entries: [HistoryEntry] = []
    try log(photo: photo) {
      if entries.count < limit { entries.append($0) }
      return entries.count < limit
    }
    return entries
  }

  /// Calls `visit` for the commits of the dataset, newest first, until it returns false.
  ///
  /// A photo's history contains the commits that changed the photo, its labels, or a class or a run
  /// that its labels use, or recorded that its image was erased, and a merge commit only if its
  /// result differs from every parent. Classes appear under their current names.
  /// - Parameters:
  ///   - photo: Limits the history to this photo.
  ///   - countingDocuments: Whether to count the documents that each commit changed, at a cost
  ///     proportional to the changes. A photo's history is always counted.
  public func log(
    photo: PhotoID? = nil, countingDocuments: Bool = true, _ visit: (HistoryEntry) throws -> Bool
  ) throws(CairnError) {
    try translating {
      guard let head = try replica.repository.head() else { return }
      let history = try photo.map { try PhotoHistory(replica, of: $0, head: head) }
      try replica.repository.walk(from: [head]) { id in
        let commit = try replica.repository.commit(id)
        guard let history else {
          let changed = countingDocuments ? try documentsChanged(by: commit) : nil
          return try visit(HistoryEntry(id, commit, changed: changed, changes: []))
        }
        let changes = try history.changes(in: commit)
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
      time: commit.author.milliseconds, summary: commit.summary, isMerge: commit.parents.count > 1,
      changed: changed, changes: changes)
  }
}
