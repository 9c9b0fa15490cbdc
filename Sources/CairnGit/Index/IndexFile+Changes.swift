extension IndexFile {
  /// Changes to index entries.
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

  /// Adds or replaces entries, or removes paths (nil).
  package mutating func update(_ changes: [String: Entry?]) { update(Changes(changes)) }

  /// Adds or replaces entries and removes paths.
  package mutating func update(_ changes: Changes) {
    // Each change moves the entries after it, which is faster than comparing all paths a few times.
    let few = 16
    if changes.entries.count + changes.removed.count <= few {
      updateEach(changes)
    } else {
      updateAll(changes)
    }
  }

  /// Looks up each change.
  mutating func updateEach(_ changes: Changes) {
    for path in changes.removed { replace(path, with: []) }
    for entry in changes.entries { replace(entry.path, with: [entry]) }
  }

  /// Replaces all stages of a path.
  private mutating func replace(_ path: String, with new: [Entry]) {
    let name = FileName(path)
    let start = position(of: path).index
    let end = entries[start...].firstIndex { FileName($0.path) != name } ?? entries.count
    entries.replaceSubrange(start..<end, with: new)
  }

  /// Merges the changes with all entries, in one pass.
  mutating func updateAll(_ changes: Changes) {
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

extension IndexFile {
  /// Calls `visit` with all entries in index order, those of `added` in place of others with the same
  /// paths.
  func forEachEntry(adding added: SpilledEntries?, _ visit: (Entry) throws -> Void) throws {
    var next = 0
    try added?.forEach { entry in
      let name = FileName(entry.path)
      while next < entries.count, FileName(entries[next].path) < name {
        try visit(entries[next])
        next += 1
      }
      // All stages.
      while next < entries.count, FileName(entries[next].path) == name { next += 1 }
      try visit(entry)
    }
    for entry in entries[next...] { try visit(entry) }
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
