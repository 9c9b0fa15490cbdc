extension BulkTreeEdit {
  /// A builder of the trees of a group's sorted files, the deepest first.
  struct TreeBuilder {
    let paths: UnsafeBufferPointer<UInt8>
    let entries: UnsafeBufferPointer<Group.File>
    let segment: PackSegment
    var read: (ObjectID) throws -> Tree = { _ in Tree() }

    init(
      paths: UnsafeBufferPointer<UInt8>, entries: UnsafeBufferPointer<Group.File>,
      segment: PackSegment
    ) {
      (self.paths, self.entries, self.segment) = (paths, entries, segment)
    }

    /// Returns `base` with a range of the files added, all of which lie in or below the same
    /// directory.
    ///
    /// - Parameter depth: The offset in the paths at which names in that directory begin.
    func tree(of range: Range<Int>, depth: Int = 0, on base: ObjectID?) throws -> ObjectID {
      if let base { return try self.tree(of: range, depth: depth, changing: try read(base)) }
      var bytes: [UInt8] = []
      bytes.reserveCapacity(64 * min(range.count, 256))
      try forEachName(in: range, depth) { name, below, index in
        if let below {
          let id = try tree(of: below, depth: depth + name.count + 1, on: nil)
          Tree.append(.directory, name, id, to: &bytes)
        } else {
          Tree.append(.file, name, entries[index].id, to: &bytes)
        }
      }
      return segment.add(.tree, bytes)
    }

    private func tree(of range: Range<Int>, depth: Int, changing base: Tree) throws -> ObjectID {
      let old = base.nodes
      var new: [FileName: TreeNode] = [:]
      try forEachName(in: range, depth) { name, below, index in
        let text = FileName(String(decoding: name, as: UTF8.self))
        if let below {
          new[text] = TreeNode(
            .directory,
            try self.tree(of: below, depth: depth + name.count + 1, on: old[text]?.directory?.id))
        } else {
          new[text] = TreeNode(.file, entries[index].id)
        }
      }
      var tree = Tree(entries: base.entries.filter { new[FileName($0.name)] == nil })
      for (name, node) in new { tree.entries.append(Tree.Entry(name: name.text, node: node)) }
      tree.entries.sort()
      return segment.add(.tree, tree.bytes)
    }

    /// Calls `visit` with each name in a directory, the range of files below it if the name is a
    /// directory, and the index of its first file.
    private func forEachName(
      in range: Range<Int>, _ depth: Int,
      _ visit: (UnsafeBufferPointer<UInt8>, Range<Int>?, Int) throws -> Void
    ) throws {
      var index = range.lowerBound
      while index < range.upperBound {
        let rest = path(at: index)[depth...]
        guard let slash = rest.firstIndex(of: UInt8(ascii: "/")) else {
          try visit(UnsafeBufferPointer(rebasing: rest), nil, index)
          index += 1
          continue
        }
        var end = index + 1
        while end < range.upperBound, shares(rest[...slash], with: path(at: end)) { end += 1 }
        try visit(UnsafeBufferPointer(rebasing: rest[..<slash]), index..<end, index)
        index = end
      }
    }

    private func path(at index: Int) -> UnsafeBufferPointer<UInt8> {
      UnsafeBufferPointer(
        start: paths.baseAddress! + Int(entries[index].start), count: Int(entries[index].length))
    }

    /// Returns whether `path` has the same bytes at the same offset.
    private func shares(
      _ prefix: Slice<UnsafeBufferPointer<UInt8>>, with path: UnsafeBufferPointer<UInt8>
    ) -> Bool {
      path.count >= prefix.endIndex
        && compareMemory(
          prefix.base.baseAddress! + prefix.startIndex, path.baseAddress! + prefix.startIndex,
          prefix.count) == 0
    }
  }
}
