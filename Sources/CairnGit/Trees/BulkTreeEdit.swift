package import CairnFiles
internal import Dispatch
internal import Synchronization
package import SystemPackage

/// An edit of very many files of a tree: gathered compactly, then built into trees on all cores.
/// For a few files, ``Repository/edit(_:_:writer:)`` is simpler.
///
/// Files are grouped by the first two components of their paths (`labels/3f`), which is how a
/// dataset fans out; each group is a subtree that one core builds. Few files lie above those
/// subtrees. When there are many files in memory, they are moved to a temporary file; from then on,
/// only a few groups at a time are in memory.
package struct BulkTreeEdit {
  /// The depth of the subtrees in directories.
  private static let depth = 2
  /// The number of groups that are worked on at once.
  private static let wave = 8
  /// The maximum number of files in memory while they are gathered.
  package static let limit = 1 << 17

  private var groups: [Group] = []
  private var indices: [String: Int] = [:]
  private var last = (prefix: [UInt8](), index: 0)
  private let limit: Int
  private let makeSpill: (() throws -> Spill)?
  private var spill: Spill?

  /// The number of files.
  package private(set) var count = 0
  /// The number of files in memory.
  package private(set) var heldCount = 0

  /// The number of bytes that are allocated for files and their paths.
  var capacity: Int { groups.reduce(0) { $0 + $1.capacity } }

  /// The number of bytes that the paths take in memory.
  var pathSize: Int { groups.reduce(0) { $0 + $1.packedSize } }

  /// Creates an edit that keeps all files in memory.
  package init() { (limit, makeSpill) = (.max, nil) }

  /// Creates an edit that moves files to a temporary file in a directory.
  package init(spillingInto directory: FilePath, files: FileSystem, limit: Int = BulkTreeEdit.limit)
  {
    self.limit = limit
    makeSpill = { Spill(file: try ScratchFile(in: directory, files: files)) }
  }

  /// Sets the file at `path` to the blob `id`.
  ///
  /// - Parameter tag: A number by which the caller identifies the file, such as a line number.
  package mutating func set(
    _ path: UnsafeBufferPointer<UInt8>, to id: ObjectID, tag: UInt32
  ) throws {
    let end = BulkTreeEdit.prefixLength(of: path)
    groups[index(of: path[..<end])].append(path[end...], id, tag)
    count += 1
    heldCount += 1
    if heldCount >= limit { try moveToSpill() }
  }

  private mutating func moveToSpill() throws {
    guard let spill = try spill ?? makeSpill?() else { return }
    self.spill = spill
    for index in groups.indices { try groups[index].move(to: spill) }
    heldCount = 0
  }

  /// Returns the length of a path's leading directories, up to the group depth, including slashes.
  private static func prefixLength(of path: UnsafeBufferPointer<UInt8>) -> Int {
    var (end, left) = (0, depth)
    for index in path.indices where path[index] == UInt8(ascii: "/") {
      (end, left) = (index + 1, left - 1)
      if left == 0 { break }
    }
    return end
  }

  private mutating func index(of prefix: Slice<UnsafeBufferPointer<UInt8>>) -> Int {
    if last.prefix.elementsEqual(prefix), !groups.isEmpty { return last.index }
    let text = String(decoding: prefix, as: UTF8.self)
    let index = indices[text] ?? groups.count
    if index == groups.count {
      groups.append(Group(prefix: text))
      indices[text] = index
    }
    last = (Array(prefix), index)
    return index
  }

  // MARK: All files

  /// Resolves the files that were set more than once.
  ///
  /// - Parameter resolve: Returns the blob for a path, given the blobs it was set to, in tag order.
  package mutating func deduplicate(_ resolve: (_ path: String, [ObjectID]) throws -> ObjectID)
    throws
  {
    try update(sorted: true) { try $0.deduplicate(resolve) }
  }

  /// Calls `visit` for each file.
  package func forEach(_ visit: (_ path: String, ObjectID, _ tag: UInt32) throws -> Void) throws {
    for group in groups { try group.loaded(from: spill).forEach(visit) }
  }

  /// Removes files from the edit.
  package mutating func removeAll(
    where isUnwanted: (_ path: String, _ tag: UInt32) -> Bool
  ) throws {
    try update { $0.removeAll(where: isUnwanted) }
  }

  /// Replaces the blobs of files.
  ///
  /// - Parameter change: Returns the new blob for a path; nil to keep the current one.
  package mutating func replace(_ change: (_ path: String, ObjectID) throws -> ObjectID?) throws {
    try update { try $0.replace(change) }
  }

  /// Returns the number of files in each top-level directory.
  ///
  /// - Parameter isCounted: Returns whether to count a file, by its tag.
  package func counts(where isCounted: (_ tag: UInt32) -> Bool) throws -> [String: Int] {
    var counts: [String: Int] = [:]
    for group in groups {
      let top = String(group.prefix.prefix { $0 != "/" })
      let entries = try group.loaded(from: spill).entries
      counts[top, default: 0] += entries.count { isCounted($0.tag) }
    }
    return counts
  }

  /// Changes the groups, a few at a time. Those that were in the temporary file return to it.
  ///
  /// - Parameter change: Returns whether it changed a group.
  private mutating func update(
    sorted: Bool = false, _ change: (inout Group) throws -> Bool
  ) throws {
    for start in stride(from: 0, to: groups.count, by: BulkTreeEdit.wave) {
      let range = start..<min(start + BulkTreeEdit.wave, groups.count)
      var loaded = try groups[range].map { try $0.loaded(from: spill) }
      if sorted { BulkTreeEdit.concurrently(&loaded) { $0.sort() } }
      for (index, var group) in zip(range, loaded) {
        let isChanged = try change(&group)
        if groups[index].isLoaded {
          groups[index] = group
        } else if isChanged, let spill {
          try group.move(to: spill)
          groups[index] = group
        }
      }
    }
    count = groups.reduce(0) { $0 + $1.count }
    heldCount = groups.reduce(0) { $0 + $1.entries.count }
  }

  // MARK: Trees

  /// Returns `base` with the files added; writes the trees of the directories that contain them.
  ///
  /// Reads nothing below directories that the base does not have. The edit is empty afterwards:
  /// each group is freed once its trees are written, since the index of the pack needs memory.
  package mutating func finish(
    on base: ObjectID?, of repository: Repository, to writer: PackWriter
  ) throws -> ObjectID {
    let spill = spill
    var changes: [Repository.TreeChange] = []
    for group in groups where group.depth < BulkTreeEdit.depth {
      var group = try group.loaded(from: spill)
      group.sort()
      group.forEach { path, id, _ in changes.append((path, TreeNode(.file, id))) }
    }
    var deep = groups.filter { $0.depth == BulkTreeEdit.depth && $0.count > 0 }
    self = BulkTreeEdit()
    deep.reverse()
    let segments = (0..<BulkTreeEdit.wave).map { _ in PackSegment() }
    while !deep.isEmpty {
      var batch = try deep.suffix(segments.count).reversed().map { try $0.loaded(from: spill) }
      deep.removeLast(batch.count)
      BulkTreeEdit.concurrently(&batch) { $0.sort() }
      let bases = try batch.map { try repository.directory(at: $0.prefix, in: base) }
      let trees = try BulkTreeEdit.build(batch, on: bases, of: repository, to: segments)
      for (index, tree) in trees.enumerated() {
        changes.append((batch[index].prefix, TreeNode(.directory, tree)))
        try writer.append(segments[index])
        segments[index].removeAll()
      }
    }
    return try repository.edit(base, changes, writer: writer)
  }

  private static func build(
    _ groups: [Group], on bases: [ObjectID?], of repository: Repository, to segments: [PackSegment]
  ) throws -> [ObjectID] {
    nonisolated(unsafe) let (repository, segments) = (repository, segments)
    // Only one thread at a time may read.
    let lock = Mutex(())
    let results = Mutex([Result<ObjectID, any Error>?](repeating: nil, count: groups.count))
    DispatchQueue.concurrentPerform(iterations: groups.count) { index in
      let result = Result {
        try groups[index].withBuilder(to: segments[index]) { builder in
          var builder = builder
          builder.read = { id in try lock.withLock { _ in try repository.tree(id) } }
          return try builder.tree(of: groups[index].entries.indices, on: bases[index])
        }
      }
      results.withLock { $0[index] = result }
    }
    return try results.withLock { $0 }.map { try $0!.get() }
  }

  private static func concurrently(
    _ groups: inout [Group], _ body: @Sendable (inout Group) -> Void
  ) {
    groups.withUnsafeMutableBufferPointer { buffer in
      nonisolated(unsafe) let buffer = buffer
      DispatchQueue.concurrentPerform(iterations: buffer.count) { body(&buffer[$0]) }
    }
  }
}

extension Repository {
  /// Returns the directory at `path`; nil when there is none.
  fileprivate func directory(at path: String, in tree: ObjectID?) throws -> ObjectID? {
    guard let node = try node(at: path, in: tree), node.isDirectory else { return nil }
    return node.id
  }
}
