extension BulkTreeEdit {
  /// The files of one subtree.
  struct Group: Sendable {
    struct Entry: Sendable {
      var id: ObjectID
      /// The offset of the file's relative path in `paths`.
      let start: UInt32
      let tag: UInt32
      let length: UInt16
    }

    /// The path of the subtree, with a trailing slash; empty for the root.
    let prefix: String
    /// The depth of the subtree in directories.
    var depth: Int { prefix.utf8.count { $0 == UInt8(ascii: "/") } }
    private(set) var entries: [Entry] = []
    /// The concatenated paths, relative to the subtree.
    private var paths: [UInt8] = []
    private var isSorted = true

    init(prefix: String) { self.prefix = prefix }

    mutating func append(
      _ path: Slice<UnsafeBufferPointer<UInt8>>, _ id: ObjectID, _ tag: UInt32
    ) {
      entries.append(
        Entry(id: id, start: UInt32(paths.count), tag: tag, length: UInt16(path.count)))
      paths.append(contentsOf: path)
      isSorted = false
    }

    func path(of entry: Entry) -> String {
      prefix + String(decoding: paths[Int(entry.start)...].prefix(Int(entry.length)), as: UTF8.self)
    }

    /// Sorts the files by path, which is the order of trees, and files with the same path by tag.
    mutating func sort() {
      if isSorted { return }
      isSorted = true
      paths.withUnsafeBufferPointer { paths in
        entries.sort { a, b in
          let order = Group.compare(paths, a, b)
          return order == 0 ? a.tag < b.tag : order < 0
        }
      }
    }

    private static func compare(_ paths: UnsafeBufferPointer<UInt8>, _ a: Entry, _ b: Entry) -> Int
    {
      let (x, y) = (paths.baseAddress! + Int(a.start), paths.baseAddress! + Int(b.start))
      let order = compareMemory(x, y, Int(min(a.length, b.length)))
      return order == 0 ? Int(a.length) - Int(b.length) : order
    }

    mutating func deduplicate(_ resolve: (_ path: String, [ObjectID]) throws -> ObjectID) throws {
      let sorted = entries
      let isRepeated = paths.withUnsafeBufferPointer { paths in
        sorted.indices.dropFirst().contains {
          Group.compare(paths, sorted[$0 - 1], sorted[$0]) == 0
        }
      }
      if !isRepeated { return }
      entries.removeAll(keepingCapacity: true)
      var rest = sorted[...]
      while let first = rest.first {
        let same = paths.withUnsafeBufferPointer { paths in
          rest.prefix { Group.compare(paths, $0, first) == 0 }
        }
        rest = rest.dropFirst(same.count)
        entries.append(first)
        if same.count > 1 {
          entries[entries.count - 1].id = try resolve(path(of: first), same.map(\.id))
        }
      }
    }

    mutating func removeAll(where isUnwanted: (_ path: String, _ tag: UInt32) -> Bool) {
      let kept = entries.filter { !isUnwanted(path(of: $0), $0.tag) }
      entries = kept
    }

    mutating func replace(_ change: (_ path: String, ObjectID) throws -> ObjectID?) rethrows {
      for index in entries.indices {
        if let id = try change(path(of: entries[index]), entries[index].id) {
          entries[index].id = id
        }
      }
    }

    func withBuilder<Value>(
      to segment: PackSegment, _ body: (TreeBuilder) throws -> Value
    ) rethrows -> Value {
      try paths.withUnsafeBufferPointer { paths in
        try entries.withUnsafeBufferPointer { entries in
          try body(TreeBuilder(paths: paths, entries: entries, segment: segment))
        }
      }
    }
  }
}
