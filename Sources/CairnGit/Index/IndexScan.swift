package import CairnFiles
internal import LibC
internal import SystemPackage

/// What a comparison of git's index with the work tree needs: where the entry of each file is, and
/// which names each directory has.
///
/// Unlike ``IndexFile``, it creates no value for each file. It is valid as long as the bytes of the
/// index are, and may be used by several threads.
package struct IndexScan: @unchecked Sendable {
  /// A directory that contains files.
  package struct Directory {
    fileprivate let path: UnsafeRawBufferPointer
    /// The names of its files and directories.
    package let names: DirectoryFingerprint
  }

  private let bytes: UnsafeRawBufferPointer
  /// See ``IndexFile/modified``.
  private let modified: Int64
  /// The offsets of the files' entries.
  private var offsets: [Int] = []
  /// The directories, each after those that it contains.
  package private(set) var directories: [Directory] = []
  /// The files and directories at the top.
  package private(set) var top: [String: TreeNode] = [:]

  package var fileCount: Int { offsets.count }

  /// Scans the bytes of an index that was written at `modified`.
  ///
  /// - Parameter names: The names at the top to scan: files, or directories with all that they contain.
  /// - Returns: Nil if the index is in another format than that of nearly all, or the entry of a file has
  ///   any mark, such as a side of a conflict: ``IndexFile`` reads all of these.
  init?(_ bytes: UnsafeRawBufferPointer, modified: Int64, below names: [String]) {
    (self.bytes, self.modified) = (bytes, modified)
    guard let (_, count) = IndexScan.header(bytes) else { return nil }
    var builder = DirectoryBuilder()
    let wanted = names.map { Array($0.utf8) }
    var position = IndexScan.headerLength
    for _ in 0..<count {
      guard let entry = IndexScan.entry(bytes, at: position) else { return nil }
      let path = entry.path
      if builder.contains(path) || wanted.contains(where: { IndexScan.isBelow(path, $0) }) {
        guard let node = plainNode(ofEntryAt: position), builder.add(path, node) else { return nil }
        offsets.append(position)
      }
      position = entry.end
    }
    guard IndexScan.hasOnlyOptionalExtensions(bytes, after: position) else { return nil }
    builder.closeAll()
    (directories, top) = (builder.directories, builder.top)
  }

  // MARK: Format

  // Source: git's Documentation/gitformat-index.txt, versions 2 and 3.
  static let headerLength = 12
  /// Offsets in an entry.
  static let (modifiedOffset, sizeOffset) = (8, 36)
  private static let (hashLength, idOffset, pathOffset) = (20, 40, 62)

  /// Returns the version of an index and the number of its entries; nil for a version other than 2 and 3,
  /// or no index.
  static func header(_ bytes: UnsafeRawBufferPointer) -> (version: UInt32, count: Int)? {
    guard bytes.count >= headerLength + hashLength, bytes.prefix(4).elementsEqual("DIRC".utf8)
    else { return nil }
    let (version, count) = (number(bytes, at: 4), Int(number(bytes, at: 8)))
    return 2...3 ~= version && count <= bytes.count / pathOffset ? (version, count) : nil
  }

  static func number(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> UInt32 {
    UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
  }

  private func number(at offset: Int) -> UInt32 { IndexScan.number(bytes, at: offset) }

  /// An entry of any kind.
  struct Entry {
    let flags: Int
    /// Followed by a zero byte.
    let path: UnsafeRawBufferPointer
    /// The offset of the next entry.
    let end: Int
  }

  /// Returns the entry at an offset; nil if there is none.
  static func entry(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Entry? {
    guard offset + pathOffset + hashLength < bytes.count, let base = bytes.baseAddress else {
      return nil
    }
    let flags = Int(number(bytes, at: offset + pathOffset - 4) & 0xFFFF)
    // More flags follow.
    let header = flags & 0x4000 == 0 ? pathOffset : pathOffset + 2
    let start = offset + header
    let limit = bytes.count - hashLength - start
    guard limit > 0,
      let length = memchr(base + start, 0, limit).map({ UnsafeRawPointer($0) - (base + start) })
    else { return nil }
    return Entry(
      flags: flags, path: UnsafeRawBufferPointer(rebasing: bytes[start..<(start + length)]),
      end: offset + ((header + length + 8) & ~7))
  }

  /// Returns the node of an entry that is a file without any mark: no conflict, not excluded from the
  /// work tree, not assumed unchanged, not only intended.
  private func plainNode(ofEntryAt offset: Int) -> TreeNode? {
    let flags = number(at: offset + IndexScan.pathOffset - 4) & 0xF000
    guard flags == 0, let mode = FileMode(rawValue: number(at: offset + 24)),
      mode == .file || mode == .executable, let base = bytes.baseAddress
    else { return nil }
    return TreeNode(mode, ObjectID(reading: base + offset + IndexScan.idOffset))
  }

  /// Whether all extensions may be ignored: the name of one that must be understood is in lowercase.
  static func hasOnlyOptionalExtensions(
    _ bytes: UnsafeRawBufferPointer, after start: Int
  ) -> Bool {
    var position = start
    while position + 8 + hashLength <= bytes.count {
      if 0x61...0x7A ~= bytes[position] { return false }
      position += 8 + Int(number(bytes, at: position + 4))
    }
    return position == bytes.count - hashLength
  }

  /// Returns whether an entry may be a side of a conflict: false if none is, true also for an index that
  /// only ``IndexFile`` can read.
  static func mayHaveConflicts(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard let (_, count) = header(bytes) else { return true }
    var position = headerLength
    for _ in 0..<count {
      guard let entry = entry(bytes, at: position), entry.flags & 0x3000 == 0 else { return true }
      position = entry.end
    }
    return !hasOnlyOptionalExtensions(bytes, after: position)
  }

  /// Whether a path is a name, or in the directory of that name.
  private static func isBelow(_ path: UnsafeRawBufferPointer, _ name: [UInt8]) -> Bool {
    path.starts(with: name) && (path.count == name.count || path[name.count] == UInt8(ascii: "/"))
  }

  // MARK: Files

  private func path(_ file: Int) -> UnsafeRawBufferPointer {
    IndexScan.entry(bytes, at: offsets[file])!.path
  }

  /// The path of a file.
  package func text(_ file: Int) -> String { GitName.text(path(file)) }

  package func node(_ file: Int) -> TreeNode { plainNode(ofEntryAt: offsets[file])! }

  /// Returns whether a file below a directory is unchanged since the index was written, by its status
  /// alone.
  package func isUnchanged(_ file: Int, in root: OpenDirectory) -> Bool {
    let entry = bytes.baseAddress! + offsets[file]
    let path = (entry + IndexScan.pathOffset).assumingMemoryBound(to: CChar.self)
    guard let status = root.status(path), status.kind == .regular else { return false }
    return IndexStatus(reading: entry) == IndexStatus(status) && status.modified < modified
  }

  // MARK: Directories

  /// Calls `body` with the path of a directory, followed by a zero byte.
  package func withPath<Result>(
    _ directory: Directory, _ body: (UnsafePointer<CChar>) -> Result
  ) -> Result {
    let count = directory.path.count
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: count + 1) { buffer in
      UnsafeMutableRawBufferPointer(buffer).copyMemory(from: directory.path)
      buffer[count] = 0
      return body(UnsafePointer(buffer.baseAddress!))
    }
  }

  package func text(_ directory: Directory) -> String { GitName.text(directory.path) }

  /// Returns the names of the files and directories in a directory.
  package func names(in directory: Directory) -> Set<String> {
    var names: Set<String> = []
    let start = directory.path.count + 1
    var file = firstFile { IndexScan.order($0, directory.path, last: UInt8(ascii: "/")) >= 0 }
    while file < fileCount {
      let path = path(file)
      guard path.count > start, IndexScan.order(path, directory.path, last: UInt8(ascii: "/")) == 0
      else { break }
      let rest = path[start...]
      guard let slash = rest.firstIndex(of: UInt8(ascii: "/")) else {
        names.insert(GitName.text(rest))
        file += 1
        continue
      }
      names.insert(GitName.text(path[start..<slash]))
      // The next path that is not in this directory; a damaged index may not be sorted.
      let inside = UnsafeRawBufferPointer(rebasing: path[..<slash])
      file = max(file + 1, firstFile { IndexScan.order($0, inside, last: UInt8(ascii: "/")) > 0 })
    }
    return names
  }

  /// Compares the beginning of a path with a directory and a last byte: returns 0 if the path begins
  /// with them, otherwise a value below or above 0 if it comes before or after.
  private static func order(
    _ path: UnsafeRawBufferPointer, _ directory: UnsafeRawBufferPointer, last: UInt8
  ) -> Int {
    let shared = min(path.count, directory.count)
    let order = memcmp(path.baseAddress!, directory.baseAddress!, shared)
    if order != 0 { return Int(order) }
    return path.count > directory.count ? Int(path[directory.count]) - Int(last) : -1
  }

  /// Returns the first file whose path fulfills a condition that all later ones fulfill as well.
  private func firstFile(where condition: (UnsafeRawBufferPointer) -> Bool) -> Int {
    var (low, high) = (0, fileCount)
    while low < high {
      let middle = (low + high) / 2
      if condition(path(middle)) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}

/// Collects directories and their trees from paths in the order of an index.
private struct DirectoryBuilder {
  private struct Open {
    /// The length of its path with the final “/”.
    let end: Int
    /// The offset of the bytes of its tree in `trees`.
    let tree: Int
    var names = DirectoryFingerprint()
  }

  var directories: [IndexScan.Directory] = []
  var top: [String: TreeNode] = [:]
  /// The last path that was added.
  private var path = UnsafeRawBufferPointer(start: nil, count: 0)
  /// The directories that contain it, from the top.
  private var open: [Open] = []
  /// The bytes of their trees so far, one after the other.
  private var trees: [UInt8] = []

  /// Whether a path is in the same directory at the top as the one before.
  func contains(_ next: UnsafeRawBufferPointer) -> Bool {
    guard let end = open.first?.end, next.count > end else { return false }
    return memcmp(next.baseAddress!, path.baseAddress!, end) == 0
  }

  /// Adds a file; returns false if no dataset has such a path.
  mutating func add(_ next: UnsafeRawBufferPointer, _ node: TreeNode) -> Bool {
    let limit = min(path.count, next.count)
    var shared = 0
    while shared < limit, path[shared] == next[shared] { shared += 1 }
    while let last = open.last, last.end > shared { close() }
    path = next
    var start = open.last?.end ?? 0
    while let slash = next[start...].firstIndex(of: UInt8(ascii: "/")) {
      // Neither “..” nor `.git`, which git would refuse as well.
      if slash == start || next[start] == UInt8(ascii: ".") { return false }
      start = slash + 1
      open.append(Open(end: start, tree: trees.count))
    }
    if start == next.count || next[start] == UInt8(ascii: ".") { return false }
    let name = UnsafeRawBufferPointer(rebasing: next[start...])
    if open.isEmpty {
      top[GitName.text(name)] = node
    } else {
      open[open.count - 1].names.add(name, isDirectory: false)
      Tree.append(node.mode, name, node.id, to: &trees)
    }
    return true
  }

  mutating func closeAll() { while !open.isEmpty { close() } }

  private mutating func close() {
    let last = open.removeLast()
    let id = ObjectID(hashing: .tree, trees[last.tree...])
    trees.removeSubrange(last.tree...)
    let start = open.last?.end ?? 0
    let name = UnsafeRawBufferPointer(rebasing: path[start..<(last.end - 1)])
    directories.append(
      IndexScan.Directory(
        path: UnsafeRawBufferPointer(rebasing: path[..<(last.end - 1)]), names: last.names))
    if open.isEmpty {
      top[GitName.text(name)] = TreeNode(.directory, id)
    } else {
      open[open.count - 1].names.add(name, isDirectory: true)
      Tree.append(.directory, name, id, to: &trees)
    }
  }
}

extension IndexStatus {
  /// Reads the status in an entry of the index.
  init(reading entry: UnsafeRawPointer) {
    func number(_ offset: Int) -> UInt32 {
      UInt32(bigEndian: entry.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }
    self.init()
    changed = (number(0), number(4))
    modified = (number(8), number(12))
    (device, inode) = (number(16), number(20))
    (user, group, size) = (number(28), number(32), number(36))
  }
}

extension Repository {
  /// Calls `body` with a scan of the index.
  ///
  /// - Parameter names: The names at the top to scan.
  /// - Returns: Nil without a call if the index does not have exactly the files of `tree` there, or has
  ///   anything unusual.
  package func withIndexScan<Result>(
    of tree: ObjectID?, below names: [String], _ body: (IndexScan) throws -> Result?
  ) throws -> Result? {
    let path = gitDirectory.appending("index")
    guard let status = try files.status(path), status.kind == .regular else { return nil }
    let root = try self.tree(tree)
    return try files.withMapping(of: path) { bytes in
      guard let scan = IndexScan(bytes, modified: status.modified, below: names),
        names.allSatisfy({ root[$0] == scan.top[$0] })
      else { return nil }
      return try body(scan)
    }
  }
}
