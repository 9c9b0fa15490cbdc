internal import Dispatch
internal import Synchronization

/// New contents for very many files of a tree: gathered compactly, then made into trees on all
/// cores. For a handful, ``Repository/edit(_:_:writer:)`` is the same with less ado.
///
/// Files are kept in groups by the first two parts of their paths (`labels/3f`), which is how a
/// dataset fans out; each group is one subtree, made by one core.
public struct BulkTreeEdit {
  private var groups: [Group] = []
  private var places: [String: Int] = [:]
  private var last = (prefix: [UInt8](), place: 0)

  /// The number of files.
  public private(set) var count = 0

  public init() {}

  /// Notes that the file at `path` shall be the blob `id`.
  ///
  /// - Parameter tag: A number that the caller knows the file by, such as a line's.
  public mutating func set(
    _ path: UnsafeBufferPointer<UInt8>, to id: ObjectID, tag: UInt32
  ) {
    let end = BulkTreeEdit.prefixLength(of: path)
    groups[place(of: path[..<end])].append(path[end...], id, tag)
    count += 1
  }

  /// The length of the first parts of a path, at most two and never the last, their slashes included.
  private static func prefixLength(of path: UnsafeBufferPointer<UInt8>) -> Int {
    var (end, left) = (0, 2)
    for index in path.indices where path[index] == UInt8(ascii: "/") {
      (end, left) = (index + 1, left - 1)
      if left == 0 { break }
    }
    return end
  }

  private mutating func place(of prefix: Slice<UnsafeBufferPointer<UInt8>>) -> Int {
    if last.prefix.elementsEqual(prefix), !groups.isEmpty { return last.place }
    let text = String(decoding: prefix, as: UTF8.self)
    let place = places[text] ?? groups.count
    if place == groups.count {
      groups.append(Group(prefix: text))
      places[text] = place
    }
    last = (Array(prefix), place)
    return place
  }

  /// Decides on the files that were set more than once.
  ///
  /// - Parameter resolve: Returns the blob of a path, of those it was set to, in the order of tags.
  public mutating func settle(
    _ resolve: (_ path: String, [ObjectID], _ tag: UInt32) throws -> ObjectID
  ) throws {
    BulkTreeEdit.concurrently(&groups) { $0.sort() }
    for index in groups.indices { try groups[index].settle(resolve) }
    count = groups.reduce(0) { $0 + $1.entries.count }
  }

  /// Calls `visit` for each file.
  public func forEach(_ visit: (_ path: String, ObjectID, _ tag: UInt32) throws -> Void) rethrows {
    for group in groups {
      for entry in group.entries { try visit(group.path(of: entry), entry.id, entry.tag) }
    }
  }

  /// Takes files out again.
  public mutating func removeAll(where isUnwanted: (_ path: String) -> Bool) {
    for index in groups.indices { groups[index].removeAll(where: isUnwanted) }
    count = groups.reduce(0) { $0 + $1.entries.count }
  }

  /// Returns `base` with the files in it; writes the trees of the directories they lie in.
  ///
  /// Where the base has nothing below a directory, nothing is read.
  public mutating func finish(
    on base: ObjectID?, of repository: Repository, to writer: PackWriter
  ) throws -> ObjectID {
    BulkTreeEdit.concurrently(&groups) { $0.sort() }
    let parts = (0..<8).map { _ in PackPart() }
    var changes: [Repository.TreeChange] = []
    var start = 0
    while start < groups.count {
      let batch = Array(groups[start..<min(start + parts.count, groups.count)])
      let bases = try batch.map { group in
        group.entries.isEmpty ? nil : try repository.directory(at: group.prefix, in: base)
      }
      let trees = try BulkTreeEdit.build(batch, on: bases, of: repository, to: parts)
      for (index, group) in batch.enumerated() {
        if let tree = trees[index] {
          changes.append((group.prefix, TreeNode(.directory, tree)))
        }
        try writer.append(parts[index])
        parts[index].removeAll()
      }
      start += batch.count
    }
    // What lies at the top itself is in no subtree.
    if let top = groups.first(where: { $0.prefix.isEmpty }) {
      changes += top.entries.map { (top.path(of: $0), TreeNode(.file, $0.id)) }
    }
    return try repository.edit(base, changes, writer: writer)
  }

  private static func build(
    _ groups: [Group], on bases: [ObjectID?], of repository: Repository, to parts: [PackPart]
  ) throws -> [ObjectID?] {
    nonisolated(unsafe) let (repository, parts) = (repository, parts)
    // One thread at a time may read.
    let lock = Mutex(())
    let results = Mutex([Result<ObjectID?, any Error>](repeating: .success(nil), count: groups.count))
    DispatchQueue.concurrentPerform(iterations: groups.count) { index in
      if groups[index].prefix.isEmpty || groups[index].entries.isEmpty { return }
      let result = Result {
        try groups[index].withBuilder(to: parts[index]) { builder in
          var builder = builder
          builder.read = { id in try lock.withLock { _ in try repository.tree(id) } }
          return Optional(try builder.tree(of: groups[index].entries.indices, on: bases[index]))
        }
      }
      results.withLock { $0[index] = result }
    }
    return try results.withLock { $0 }.map { try $0.get() }
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
