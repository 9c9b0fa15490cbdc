internal import CairnFiles

/// The type of a tree entry.
package enum FileMode: UInt32, Sendable {
  case file = 0o100644
  case executable = 0o100755
  case symlink = 0o120000
  case directory = 0o40000
  case submodule = 0o160000

  /// Parses the mode of a tree entry; old tools wrote group-writable files.
  init?(octal mode: UInt32) {
    if mode & 0o170000 == 0o100000 {
      self = mode & 0o100 == 0 ? .file : .executable
    } else {
      self.init(rawValue: mode)
    }
  }

  /// The mode as written in a tree.
  var octal: String {
    switch self {
    case .file: "100644"
    case .executable: "100755"
    case .symlink: "120000"
    case .directory: "40000"
    case .submodule: "160000"
    }
  }
}

/// The object and the type that a tree entry records.
package struct TreeNode: Hashable, Sendable {
  package let mode: FileMode
  package let id: ObjectID

  package init(_ mode: FileMode, _ id: ObjectID) { (self.mode, self.id) = (mode, id) }

  package var isDirectory: Bool { mode == .directory }

  package var directory: TreeNode? { isDirectory ? self : nil }
  /// The node if it is a file or a submodule.
  package var file: TreeNode? { isDirectory ? nil : self }
}

/// A git tree: entries sorted by name, where a directory's name counts as if it ended in “/”.
///
/// Source: git's tree.c, `base_name_compare`.
package struct Tree: Equatable, Sendable {
  package struct Entry: Hashable, Sendable {
    package let name: String
    package let node: TreeNode

    package init(name: String, node: TreeNode) { (self.name, self.node) = (name, node) }

    package static func == (a: Entry, b: Entry) -> Bool {
      a.node == b.node && FileName(a.name) == FileName(b.name)
    }

    package func hash(into hasher: inout Hasher) {
      hasher.combine(FileName(name))
      hasher.combine(node)
    }
  }

  package var entries: [Entry]

  package init(entries: [Entry] = []) { self.entries = entries }

  /// The id of the empty tree.
  package static let emptyID = ObjectID("4b825dc642cb6eb9a060e54bf8d69288fbee4904")!

  /// Parses the bytes of a tree object.
  init(bytes: UnsafeRawBufferPointer) throws(GitError) {
    var entries: [Entry] = []
    var reader = TreeReader(bytes)
    while let entry = try reader.next() {
      entries.append(Entry(name: entry.text, node: entry.node))
    }
    self.entries = entries
  }

  /// Returns the entry with the given name in a tree object, without decoding the other names.
  static func node(
    named name: UnsafeRawBufferPointer, in bytes: UnsafeRawBufferPointer
  ) throws(GitError) -> TreeNode? {
    var reader = TreeReader(bytes)
    while let entry = try reader.next() {
      if entry.name.elementsEqual(name) { return entry.node }
    }
    return nil
  }

  /// The bytes of the tree object.
  var bytes: [UInt8] {
    var out: [UInt8] = []
    out.reserveCapacity(entries.count * 40)
    for entry in entries {
      FileName(entry.name).withBytes { Tree.append(entry.node.mode, $0, entry.node.id, to: &out) }
    }
    return out
  }

  /// Appends the bytes of an entry.
  static func append(
    _ mode: FileMode, _ name: some Collection<UInt8>, _ id: ObjectID, to out: inout [UInt8]
  ) {
    out.append(contentsOf: mode.octal.utf8)
    out.append(0x20)
    out.append(contentsOf: name)
    out.append(0)
    id.withBytes { out.append(contentsOf: $0) }
  }

  package subscript(name: String) -> TreeNode? {
    entries.first { FileName($0.name) == FileName(name) }?.node
  }

  /// The entries by name.
  var nodes: [FileName: TreeNode] {
    Dictionary(entries.lazy.map { (FileName($0.name), $0.node) }) { $1 }
  }
}

/// A file name, compared by bytes: “é” as one code point and as two are different names.
struct FileName: Hashable, Comparable {
  let text: String

  init(_ text: String) { self.text = text }

  /// Returns the components of a path.
  static func parts(of path: String) -> [FileName] {
    path.utf8.split(separator: UInt8(ascii: "/")).map { FileName(String(Substring($0))) }
  }

  static func == (a: FileName, b: FileName) -> Bool { a.text.utf8.elementsEqual(b.text.utf8) }

  static func < (a: FileName, b: FileName) -> Bool { a.precedes(b) }

  /// Returns whether the bytes of this name, and then a last byte, come before those of another.
  func precedes(_ other: FileName, last: UInt8 = 0, otherLast: UInt8 = 0) -> Bool {
    var (x, y) = (text.utf8.makeIterator(), other.text.utf8.makeIterator())
    while true {
      let (p, q) = (x.next(), y.next())
      if p == GitName.leadOfOtherBytes || q == GitName.leadOfOtherBytes {
        return (GitName.bytes(text) + [last])
          .lexicographicallyPrecedes(GitName.bytes(other.text) + [otherLast])
      }
      if let p, p == q { continue }
      return p ?? last < q ?? otherLast
    }
  }

  func hash(into hasher: inout Hasher) {
    withBytes { hasher.combine(bytes: $0) }
  }

  /// Calls `body` with the name's bytes in git.
  func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
    var text = text
    if GitName.mayHaveOtherBytes(text) { return try GitName.bytes(text).withUnsafeBytes(body) }
    return try text.withUTF8 { try body(UnsafeRawBufferPointer($0)) }
  }
}

extension Tree.Entry: Comparable {
  package static func < (a: Tree.Entry, b: Tree.Entry) -> Bool {
    FileName(a.name).precedes(FileName(b.name), last: a.terminator, otherLast: b.terminator)
  }

  private var terminator: UInt8 { node.isDirectory ? UInt8(ascii: "/") : 0 }
}

extension Repository {
  /// Returns a tree; the empty tree need not be in the repository.
  package func tree(_ id: ObjectID?) throws -> Tree { try withTree(id) { try Tree(bytes: $0) } }

  /// Calls `body` with the bytes of a tree: no bytes for the empty tree and for nil.
  func withTree<Result>(
    _ id: ObjectID?, _ body: (UnsafeRawBufferPointer) throws -> Result
  ) throws -> Result {
    guard let id, id != Tree.emptyID else {
      return try body(UnsafeRawBufferPointer(start: nil, count: 0))
    }
    return try withObject(id) { kind, bytes in
      guard kind == .tree else { throw GitError(.corrupt, "\(id) is a \(kind.rawValue)") }
      return try body(bytes)
    }
  }

  /// Returns the bytes of the file at `path` in a tree; nil when it does not exist.
  package func file(at path: String, in tree: ObjectID?) throws -> [UInt8]? {
    guard let node = try node(at: path, in: tree)?.file else { return nil }
    return try blob(node.id)
  }

  /// Whether there is a file at `path` below a tree; neither a directory nor a submodule is one.
  package func hasFile(at path: String, in tree: ObjectID?) throws -> Bool {
    try node(at: path, in: tree).map { !$0.isDirectory && $0.mode != .submodule } ?? false
  }

  /// Returns the node at `path` below a tree; nil when it does not exist.
  package func node(at path: String, in tree: ObjectID?) throws -> TreeNode? {
    var node = TreeNode(.directory, tree ?? Tree.emptyID)
    for name in FileName.parts(of: path) {
      guard node.isDirectory,
        let next = try withTree(
          node.id,
          { bytes in
            try name.withBytes { try Tree.node(named: $0, in: bytes) }
          })
      else { return nil }
      node = next
    }
    return node
  }
}
