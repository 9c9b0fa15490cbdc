extension IndexFile {
  /// Changes to index entries, stored compactly, since there may be a million.
  package struct Changes: Sendable {
    /// The new entries, one for each file.
    package var entries: [Entry] = []
    /// The paths to remove from the index.
    package var removed: [String] = []

    package init() {}

    package init(_ changes: [String: Entry?]) {
      entries = changes.values.compactMap { $0 }
      removed = changes.filter { $0.value == nil }.map(\.key)
    }

    package var isEmpty: Bool { entries.isEmpty && removed.isEmpty }
  }

  /// Adds or replaces entries, or removes paths (nil), in one pass.
  package mutating func update(_ changes: [String: Entry?]) { update(Changes(changes)) }

  /// Adds or replaces entries and removes paths, in one pass.
  package mutating func update(_ changes: Changes) {
    if changes.isEmpty { return }
    let removed = Set(changes.removed.map(FileName.init))
    let new = changes.entries.sortedByPath()
    if entries.isEmpty {
      entries = new
      return
    }
    var result: [Entry] = []
    result.reserveCapacity(entries.count + new.count)
    var rest = new[...]
    for entry in entries {
      let name = FileName(entry.path)
      while let next = rest.first, FileName(next.path) < name { result.append(rest.removeFirst()) }
      let isReplaced = rest.first.map { FileName($0.path) == name } ?? false
      // All stages of a replaced entry are skipped; its replacement follows.
      if !isReplaced, !removed.contains(name) { result.append(entry) }
    }
    result += rest
    entries = result
  }
}

extension [IndexFile.Entry] {
  /// Returns the entries in index order.
  func sortedByPath() -> [IndexFile.Entry] {
    func precedes(_ a: IndexFile.Entry, _ b: IndexFile.Entry) -> Bool {
      let (x, y) = (FileName(a.path), FileName(b.path))
      return x < y || x == y && a.stage < b.stage
    }
    // Entries of a tree are already sorted, and there are many of them.
    return zip(self, dropFirst()).allSatisfy(precedes) ? self : sorted(by: precedes)
  }
}
