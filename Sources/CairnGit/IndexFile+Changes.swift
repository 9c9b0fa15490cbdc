extension IndexFile {
  /// What becomes of files; kept compactly, since there may be a million.
  public struct Changes: Sendable {
    /// One for each file.
    public var entries: [Entry] = []
    /// The files that the index has no more.
    public var removed: [String] = []

    public init() {}

    public init(_ changes: [String: Entry?]) {
      entries = changes.values.compactMap { $0 }
      removed = changes.filter { $0.value == nil }.map(\.key)
    }

    public var isEmpty: Bool { entries.isEmpty && removed.isEmpty }
  }

  /// Puts entries in, or takes paths out (nil), in one pass.
  public mutating func update(_ changes: [String: Entry?]) { update(Changes(changes)) }

  /// Puts entries in and takes paths out, in one pass.
  public mutating func update(_ changes: Changes) {
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
      // What stands in its place comes after all stages of it.
      if !isReplaced, !removed.contains(name) { result.append(entry) }
    }
    result += rest
    entries = result
  }
}

extension [IndexFile.Entry] {
  /// Sorted as an index has them.
  func sortedByPath() -> [IndexFile.Entry] {
    func precedes(_ a: IndexFile.Entry, _ b: IndexFile.Entry) -> Bool {
      let (x, y) = (FileName(a.path), FileName(b.path))
      return x < y || x == y && a.stage < b.stage
    }
    // Those of a tree come sorted, and there are many of them.
    return zip(self, dropFirst()).allSatisfy(precedes) ? self : sorted(by: precedes)
  }
}
