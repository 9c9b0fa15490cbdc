internal import CairnDocument
internal import CairnGit
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
  /// What it changed against its first parent, by kind.
  public let changed: [DocumentKind: Int]
  /// Of a photo's history: what became different, in words.
  public let changes: [String]
}

extension Dataset {
  /// Calls `visit` for the commits of the dataset, newest first, until it returns false.
  ///
  /// - Parameter photo: Only the commits that changed this photo or what is said of it.
  public func log(
    photo: PhotoID? = nil, _ visit: (HistoryEntry) throws -> Bool
  ) throws(CairnError) {
    try translating {
      guard let head = try replica.repository.head() else { return }
      try replica.repository.walk(from: [head]) { id in
        let commit = try replica.repository.commit(id)
        guard let entry = try photo.map({ try entry(id, commit, photo: $0) }) ?? entry(id, commit)
        else { return true }
        return try visit(entry)
      }
    }
  }

  private func entry(_ id: ObjectID, _ commit: Commit) throws -> HistoryEntry? {
    var changed: [DocumentKind: Int] = [:]
    let parent = try commit.parents.first.map { try replica.repository.commit($0).tree }
    try replica.repository.diff(parent, commit.tree) { difference in
      if let kind = DocumentPath(difference.path)?.kind { changed[kind, default: 0] += 1 }
    }
    return HistoryEntry(id, commit, changed: changed, changes: [])
  }

  /// Returns the entry of a commit that differs from all its parents in what it says of the photo.
  private func entry(_ id: ObjectID, _ commit: Commit, photo: PhotoID) throws -> HistoryEntry? {
    let new = try statements(of: photo, in: commit.tree)
    let parents = try commit.parents.map {
      try statements(of: photo, in: try replica.repository.commit($0).tree)
    }
    let old = parents.first ?? [:]
    var changed: [DocumentKind: Int] = [:]
    var changes: [String] = []
    // A join tells only what none of its parents had said.
    let paths = Set(new.keys).union(old.keys).filter { path in
      parents.allSatisfy { $0[path] != new[path] }
    }
    for path in paths.sorted() {
      guard let document = DocumentPath(path), let kind = document.kind else { continue }
      changed[kind, default: 0] += 1
      changes.append(
        try Change(
          read(old[path], at: document), read(new[path], at: document), at: document
        ).text)
    }
    return changes.isEmpty ? nil : HistoryEntry(id, commit, changed: changed, changes: changes)
  }

  /// Returns the blobs of the photo's document and labels in a tree, by path.
  private func statements(of photo: PhotoID, in tree: ObjectID) throws -> [String: ObjectID] {
    var found: [String: ObjectID] = [:]
    let path = DocumentPath.photo(photo).description
    if let node = try replica.repository.node(at: path, in: tree) { found[path] = node.id }
    let directory = DocumentPath.labels(of: photo)
    if let labels = try replica.repository.node(at: directory, in: tree), labels.isDirectory {
      for entry in try replica.repository.tree(labels.id).entries {
        found["\(directory)/\(entry.name)"] = entry.node.id
      }
    }
    return found
  }

  private func read(_ id: ObjectID?, at path: DocumentPath) throws -> Document? {
    guard let id else { return nil }
    return try? Document(bytes: try replica.repository.blob(id), at: path)
  }
}

extension HistoryEntry {
  fileprivate init(
    _ id: ObjectID, _ commit: Commit, changed: [DocumentKind: Int], changes: [String]
  ) {
    self.init(
      commit: id.description, author: commit.author.name, email: commit.author.email,
      time: commit.author.time * 1000, summary: commit.summary, isJoin: commit.parents.count > 1,
      changed: changed, changes: changes)
  }
}

/// A change of one document, in words.
private struct Change {
  let text: String

  init(_ old: Document?, _ new: Document?, at path: DocumentPath) {
    switch (old, new) {
    case (_, .label(let label)):
      let confidence = label.confidence.double == 1 ? "" : " (\(label.confidence.text))"
      text = "\(label.annotator.identity): \(label.classKey) \(label.verdict.rawValue)\(confidence)"
    case (nil, .photo(let photo)): text = "added, from \(photo.source.value)"
    case (.photo(let old), .photo(let new)):
      let fields = [
        old.removed == new.removed ? nil : new.removed.value ? "removed" : "restored",
        old.title == new.title ? nil : "title “\(new.title.value)”",
        old.caption == new.caption ? nil : "caption “\(new.caption.value)”",
        old.pin == new.pin ? nil : "pin \(new.pin.value?.text ?? "none")",
      ].compactMap { $0 }
      text = fields.isEmpty ? "changed" : fields.joined(separator: ", ")
    case (_, nil): text = "\(path) is gone"
    default: text = "\(path) changed"
    }
  }
}
