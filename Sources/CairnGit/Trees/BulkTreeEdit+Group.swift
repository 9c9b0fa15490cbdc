extension BulkTreeEdit {
  /// The files of one subtree. There are millions of them, so that of each path only what differs
  /// from the path before it is stored.
  struct Group: Sendable {
    struct Entry: Sendable {
      var id: ObjectID
      let tag: UInt32
    }

    /// A file with its whole path.
    struct File: Sendable {
      var id: ObjectID
      /// The offset of the file's path in the unpacked paths.
      let start: UInt32
      let tag: UInt32
      let length: UInt16
    }

    /// The path of the subtree, with a trailing slash; empty for the root.
    let prefix: String
    /// The depth of the subtree in directories.
    var depth: Int { prefix.utf8.count { $0 == UInt8(ascii: "/") } }
    private(set) var entries: [Entry] = []
    /// The paths relative to the subtree, in the order of `entries`: the number of bytes that a
    /// path shares with the one before it, the number of bytes that follow, in two bytes, and
    /// these.
    private var packed: [UInt8] = []
    private var last: [UInt8] = []
    private var isSorted = true
    /// Files that were moved to a spill file, before those in memory.
    private var chunks: [Spill.Chunk] = []

    init(prefix: String) { self.prefix = prefix }

    /// The number of bytes that the paths in memory take.
    var packedSize: Int { packed.count }

    /// The number of files, in memory and in the spill file.
    var count: Int { chunks.reduce(entries.count) { $0 + $1.count } }

    // MARK: Spilling

    /// Whether all files are in memory.
    var isLoaded: Bool { chunks.isEmpty }

    /// The number of bytes that are allocated for files and their paths.
    var capacity: Int {
      entries.capacity * MemoryLayout<Entry>.stride + packed.capacity + last.capacity
    }

    /// Moves the files in memory to a spill file, and frees their memory: files often come group by
    /// group, so that each group in turn would keep as much as all files in memory take.
    mutating func move(to spill: Spill) throws {
      if entries.isEmpty { return }
      chunks.append(try spill.append(entries, packed))
      (entries, packed, last) = ([], [], [])
    }

    /// Returns the group with all files in memory. A chunk's first path shares nothing with the one
    /// before it, so that chunks follow one another as they are.
    func loaded(from spill: Spill?) throws -> Group {
      guard let spill, !isLoaded else { return self }
      var group = Group(prefix: prefix)
      for chunk in chunks { try spill.read(chunk, into: &group.entries, &group.packed) }
      group.entries += entries
      group.packed += packed
      group.isSorted = false
      return group
    }

    mutating func append(
      _ path: Slice<UnsafeBufferPointer<UInt8>>, _ id: ObjectID, _ tag: UInt32
    ) {
      let limit = min(last.count, path.count, Int(UInt8.max))
      var shared = 0
      while shared < limit, last[shared] == path[path.startIndex + shared] { shared += 1 }
      let rest = path.dropFirst(shared)
      let count = UInt16(rest.count)
      packed.append(UInt8(shared))
      packed.append(UInt8(count >> 8))
      packed.append(UInt8(truncatingIfNeeded: count))
      packed.append(contentsOf: rest)
      last.removeSubrange(shared...)
      last.append(contentsOf: rest)
      entries.append(Entry(id: id, tag: tag))
      isSorted = false
    }

    // MARK: Packed paths

    /// Replaces a path by the one that follows it, at `position` in `packed`.
    private func advance(_ path: inout [UInt8], _ position: inout Int) {
      let shared = Int(packed[position])
      let count = Int(packed[position + 1]) << 8 | Int(packed[position + 2])
      let start = position + 3
      path.removeSubrange(shared...)
      path.append(contentsOf: packed[start..<start + count])
      position = start + count
    }

    /// Calls `visit` with each file and its whole path.
    func forEach(
      _ visit: (_ path: String, ObjectID, _ tag: UInt32) throws -> Void
    ) rethrows {
      var (path, position) = ([UInt8](), 0)
      for entry in entries {
        advance(&path, &position)
        try visit(prefix + String(decoding: path, as: UTF8.self), entry.id, entry.tag)
      }
    }

    private func unpacked() -> (paths: [UInt8], files: [File]) {
      var (paths, files) = ([UInt8](), [File]())
      files.reserveCapacity(entries.count)
      var (path, position) = ([UInt8](), 0)
      for entry in entries {
        advance(&path, &position)
        files.append(
          File(
            id: entry.id, start: UInt32(paths.count), tag: entry.tag, length: UInt16(path.count)))
        paths.append(contentsOf: path)
      }
      return (paths, files)
    }

    private mutating func pack(_ paths: [UInt8], _ files: [File]) {
      let wasSorted = isSorted
      entries.removeAll(keepingCapacity: true)
      packed.removeAll(keepingCapacity: true)
      last.removeAll(keepingCapacity: true)
      paths.withUnsafeBufferPointer { paths in
        for file in files {
          let start = Int(file.start)
          append(paths[start..<start + Int(file.length)], file.id, file.tag)
        }
      }
      isSorted = wasSorted
    }

    // MARK: Edits

    /// Sorts the files by path, which is the order of trees, and files with the same path by tag.
    mutating func sort() {
      if isSorted { return }
      let (paths, unsorted) = unpacked()
      var files = unsorted
      paths.withUnsafeBufferPointer { paths in
        files.sort { a, b in
          let order = Group.compare(paths, a, b)
          return order == 0 ? a.tag < b.tag : order < 0
        }
      }
      pack(paths, files)
      isSorted = true
    }

    private static func compare(_ paths: UnsafeBufferPointer<UInt8>, _ a: File, _ b: File) -> Int {
      let (x, y) = (paths.baseAddress! + Int(a.start), paths.baseAddress! + Int(b.start))
      let order = compareMemory(x, y, Int(min(a.length, b.length)))
      return order == 0 ? Int(a.length) - Int(b.length) : order
    }

    /// - Returns: Whether there was a path with several files.
    mutating func deduplicate(
      _ resolve: (_ path: String, [ObjectID]) throws -> ObjectID
    ) throws -> Bool {
      let (paths, sorted) = unpacked()
      let isRepeated = paths.withUnsafeBufferPointer { paths in
        sorted.indices.dropFirst().contains {
          Group.compare(paths, sorted[$0 - 1], sorted[$0]) == 0
        }
      }
      if !isRepeated { return false }
      var files: [File] = []
      var rest = sorted[...]
      while var first = rest.first {
        let same = paths.withUnsafeBufferPointer { paths in
          rest.prefix { Group.compare(paths, $0, first) == 0 }
        }
        rest = rest.dropFirst(same.count)
        if same.count > 1 {
          let path = paths[Int(first.start)...].prefix(Int(first.length))
          first.id = try resolve(
            prefix + String(decoding: path, as: UTF8.self), same.map(\.id))
        }
        files.append(first)
      }
      pack(paths, files)
      return true
    }

    /// - Returns: Whether files were removed.
    mutating func removeAll(where isUnwanted: (_ path: String, _ tag: UInt32) -> Bool) -> Bool {
      var kept: [Bool] = []
      forEach { path, _, tag in kept.append(!isUnwanted(path, tag)) }
      if kept.allSatisfy({ $0 }) { return false }
      let (paths, files) = unpacked()
      pack(paths, zip(files, kept).filter(\.1).map(\.0))
      return true
    }

    /// - Returns: Whether blobs were replaced.
    mutating func replace(
      _ change: (_ path: String, ObjectID) throws -> ObjectID?
    ) rethrows -> Bool {
      var (path, position, isChanged) = ([UInt8](), 0, false)
      for index in entries.indices {
        advance(&path, &position)
        let text = prefix + String(decoding: path, as: UTF8.self)
        if let id = try change(text, entries[index].id) {
          entries[index].id = id
          isChanged = true
        }
      }
      return isChanged
    }

    func withBuilder<Value>(
      to segment: PackSegment, _ body: (TreeBuilder) throws -> Value
    ) rethrows -> Value {
      let (paths, files) = unpacked()
      return try paths.withUnsafeBufferPointer { paths in
        try files.withUnsafeBufferPointer { files in
          try body(TreeBuilder(paths: paths, entries: files, segment: segment))
        }
      }
    }
  }
}
