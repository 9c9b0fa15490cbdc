internal import CairnFiles

extension IndexFile {
  /// Returns the entries below a directory if they are exactly the files of a tree; otherwise nil.
  ///
  /// The id of the tree is computed from the entries, which costs a fraction of reading the tree and
  /// all trees below it.
  package func entries(below directory: String, matching tree: ObjectID) -> ArraySlice<Entry>? {
    let inside = entries(below: directory)
    return IndexFile.tree(of: inside, below: directory) == tree ? inside : nil
  }

  /// Returns the id of the tree that the entries below a directory make; nil when some are in
  /// conflict.
  private static func tree(of entries: ArraySlice<Entry>, below directory: String) -> ObjectID? {
    // The path of the previous entry, and the directories that contain it, from the given one down:
    // where the path of each ends, with its “/”, and the bytes of its tree so far.
    var path: [UInt8] = []
    var parents: [(end: Int, tree: [UInt8])] = [(directory.utf8.count + 1, [])]
    func closeLast() {
      let (end, tree) = parents.removeLast()
      let last = parents.count - 1
      let name = path[parents[last].end..<end - 1]
      Tree.append(.directory, name, ObjectID(hashing: .tree, tree), to: &parents[last].tree)
    }
    for entry in entries {
      // A name that is not UTF-8 is rare.
      if entry.stage != 0 || GitName.mayHaveOtherBytes(entry.path) { return nil }
      let next = Array(entry.path.utf8)
      var shared = 0
      while shared < path.count, shared < next.count, path[shared] == next[shared] { shared += 1 }
      while parents.count > 1, parents[parents.count - 1].end > shared { closeLast() }
      var start = parents[parents.count - 1].end
      while let slash = next[start...].firstIndex(of: UInt8(ascii: "/")) {
        start = slash + 1
        parents.append((start, []))
      }
      let last = parents.count - 1
      Tree.append(entry.node.mode, next[start...], entry.node.id, to: &parents[last].tree)
      path = next
    }
    while parents.count > 1 { closeLast() }
    return ObjectID(hashing: .tree, parents[0].tree)
  }
}
