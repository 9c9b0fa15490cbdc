internal import CairnDocument
internal import CairnGit
internal import CairnMerge
internal import CairnStore
internal import CairnSync

/// A comparison of two states of a dataset: the trees of two commits, the second optionally with
/// the changed documents of the work tree.
///
/// Equal subtrees are not read, and at most the photos of one directory are in memory at once.
struct Comparison {
  /// One version of a document.
  enum Version {
    case blob(ObjectID)
    case bytes([UInt8])
  }

  /// A document that differs between the two sides.
  struct Difference {
    let path: DocumentPath
    let old: Version?
    let new: Version?

    var kind: DocumentChange.Kind { old == nil ? .added : new == nil ? .removed : .modified }
  }

  let replica: Replica
  let old: ObjectID?
  let new: ObjectID?
  /// The documents of the work tree that differ from `new`, by path.
  private let working: [String: WorkingChange.Kind]
  private var repository: Repository { replica.repository }

  init(_ replica: Replica, _ old: ObjectID?, _ new: ObjectID?, working: [WorkingChange] = []) {
    (self.replica, self.old, self.new) = (replica, old, new)
    self.working = Dictionary(
      working.filter { $0.path.kind != nil }.map { ($0.path.description, $0.kind) }
    ) { $1 }
  }

  /// Calls `visit` for each difference: first photos by id, each with its labels; then classes,
  /// erasures, pins, runs and the manifest, one at a time.
  func forEach(_ visit: (PhotoID?, [Difference]) throws -> Void) throws {
    try forEachPhoto(visit)
    for top in ["classes", "erasures", "pins", "runs", DocumentPath.manifest.description] {
      let overlay = working.keys.filter { $0 == top || $0.hasPrefix(top + "/") }
      try forEachCommitted(try nodes(at: top), top) { try visit(nil, [$0]) }
      for text in overlay.sorted() {
        if let difference = try workingDifference(text) { try visit(nil, [difference]) }
      }
    }
  }

  /// Returns the differences in one photo and its labels.
  func differences(of photo: PhotoID) throws -> [Difference] {
    try [DocumentPath.photo(photo).description, DocumentPath.labels(of: photo)].flatMap { path in
      let overlay = working.keys.filter { $0 == path || $0.hasPrefix(path + "/") }
      return try differences(try nodes(at: path), path, overlay.sorted())
    }
  }

  /// Returns a document's bytes on the second side; nil if it does not exist there.
  func bytes(at path: DocumentPath) throws -> [UInt8]? {
    let text = path.description
    if let kind = working[text] {
      return kind == .removed ? nil : try replica.read(text)
    }
    return try repository.file(at: text, in: new)
  }

  func bytes(_ version: Version?) throws -> [UInt8]? {
    switch version {
    case .blob(let id)?: try repository.blob(id)
    case .bytes(let bytes)?: bytes
    case nil: nil
    }
  }

  // MARK: Photos

  private typealias Pair = (old: TreeNode?, new: TreeNode?)
  private static let photoDirectories = ["photos", "labels"]

  /// Walks photos and labels in parallel: both fan out by the same digits.
  private func forEachPhoto(_ visit: (PhotoID?, [Difference]) throws -> Void) throws {
    let overlay = Dictionary(
      grouping: working.keys.filter { DocumentPath($0)?.photo != nil },
      by: { $0.split(separator: "/").dropFirst().prefix(2).joined(separator: "/") })
    let tops = try Comparison.photoDirectories.map { try nodes(at: $0) }
    let workingTops = Set(overlay.keys.map { String($0.prefix(2)) })
    for (first, pairs) in try children(tops, workingTops) {
      let workingShards = overlay.keys.filter { $0.hasPrefix(first + "/") }.map {
        String($0.dropFirst(first.count + 1))
      }
      for (second, pairs) in try children(pairs, Set(workingShards)) {
        let shard = "\(first)/\(second)"
        let paths = (overlay[shard] ?? []).sorted()
        let found = try zip(Comparison.photoDirectories, pairs).flatMap { top, pair in
          try differences(pair, "\(top)/\(shard)", paths.filter { $0.hasPrefix(top + "/") })
        }
        let groups = Dictionary(grouping: found.filter { $0.path.photo != nil }) { $0.path.photo! }
        for (photo, group) in groups.sorted(by: { $0.key < $1.key }) { try visit(photo, group) }
      }
    }
  }

  /// Returns the subdirectories in pairs of directories that differ or appear in `names`, sorted by
  /// name.
  private func children(
    _ pairs: [Pair], _ names: Set<String>
  ) throws -> [(name: String, pairs: [Pair])] {
    let inside = try pairs.map { (try directories($0.old), try directories($0.new)) }
    let different = inside.flatMap { old, new in
      Set(old.keys).union(new.keys).filter { old[$0] != new[$0] }
    }
    return names.union(different).sorted().map { name in
      (name, inside.map { old, new in (old[name], new[name]) })
    }
  }

  private func directories(_ node: TreeNode?) throws -> [String: TreeNode] {
    guard let node, node.isDirectory else { return [:] }
    let entries = try repository.tree(node.id).entries.filter(\.node.isDirectory)
    return Dictionary(entries.map { ($0.name, $0.node) }) { $1 }
  }

  // MARK: Single documents

  private func nodes(at path: String) throws -> Pair {
    (try repository.node(at: path, in: old), try repository.node(at: path, in: new))
  }

  /// Returns the differences between two nodes at `path`, with the work tree's documents at
  /// `overlay` taking precedence over the second.
  private func differences(
    _ pair: Pair, _ path: String, _ overlay: [String]
  ) throws -> [Difference] {
    var found: [Difference] = []
    try forEachCommitted(pair, path) { found.append($0) }
    found += try overlay.compactMap(workingDifference)
    return overlay.isEmpty ? found : found.sorted { $0.path.description < $1.path.description }
  }

  /// Calls `visit` for the documents at or below `path` that differ between two nodes, except those
  /// that the work tree overrides.
  private func forEachCommitted(
    _ pair: Pair, _ path: String, _ visit: (Difference) throws -> Void
  ) throws {
    if pair.old == pair.new { return }
    func report(_ text: String, _ old: TreeNode?, _ new: TreeNode?) throws {
      guard working[text] == nil, let document = DocumentPath(text), document.kind != nil else {
        return
      }
      try visit(Difference(path: document, old: old?.version, new: new?.version))
    }
    let (old, new) = (pair.old?.file, pair.new?.file)
    if old != nil || new != nil { try report(path, old, new) }
    try repository.diff(pair.old?.directory?.id, pair.new?.directory?.id) {
      try report("\(path)/\($0.path)", $0.old, $0.new)
    }
  }

  /// Returns the difference of a document of the work tree; nil if it equals the old version.
  private func workingDifference(_ text: String) throws -> Difference? {
    guard let path = DocumentPath(text) else { return nil }
    let before = try repository.node(at: text, in: old)?.file
    let bytes = try bytes(at: path)
    if bytes == nil && before == nil { return nil }
    if let bytes, before?.id == ObjectID(hashing: .blob, bytes) { return nil }
    return Difference(path: path, old: before?.version, new: bytes.map(Version.bytes))
  }
}

extension TreeNode {
  fileprivate var directory: TreeNode? { isDirectory ? self : nil }
  fileprivate var file: TreeNode? { isDirectory ? nil : self }

  /// The document version of this node. A submodule has no bytes here, so it is not a document.
  fileprivate var version: Comparison.Version {
    mode == .submodule ? .bytes([]) : .blob(id)
  }
}
