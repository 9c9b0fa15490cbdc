internal import CairnDocument
internal import CairnFiles
internal import CairnGit
internal import CairnMerge
internal import CairnStore
internal import SystemPackage

extension Replica {
  /// Returns what the commits reachable from `tip` and not from `known` mean beyond the tip's tree.
  ///
  /// Each of them is compared with its parents, so the cost follows what they changed.
  func amendments(of tip: ObjectID, excluding known: [ObjectID]) throws -> Amendments {
    var byCommit: [ObjectID: Amendments] = [:]
    try repository.walk(from: [tip], excluding: known, oldestFirst: true) { id in
      let commit = try repository.commit(id)
      let parents = commit.parents.map { byCommit[$0] ?? Amendments() }
      byCommit[id] =
        switch parents.count {
        case 0: Amendments()
        case 1: try amendments(of: commit, after: parents[0])
        default: try amendments(ofMerge: id, commit, after: parents)
        }
      return true
    }
    return byCommit[tip] ?? Amendments()
  }

  private func amendments(of commit: Commit, after parent: Amendments) throws -> Amendments {
    var result = parent
    let before = commit.parents[0]
    let old = try repository.commit(before).tree
    // Of a directory that is new, only what comes back is looked at.
    let known = result
    lazy var directories = known.directories
    let entering = { (path: String, isNew: Bool) in !isNew || directories.contains(path[...]) }
    try repository.diff(old, commit.tree, entering: entering) { difference in
      guard let path = DocumentPath(difference.path) else { return }
      // What is new is as it stands, unless it comes back.
      let isNew = difference.old == nil && result.isUnheardOf(difference.path)
      if isNew { return }
      try result.edit(
        path, from: try difference.old.map { try repository.blob($0.id) },
        to: try difference.new.map { try repository.blob($0.id) }, at: commit.author.time
      ) { try past(of: path, upTo: before) }
    }
    return result
  }

  private func amendments(
    ofMerge id: ObjectID, _ commit: Commit, after parents: [Amendments]
  ) throws -> Amendments {
    var result = Amendments()
    var removed: [String: [UInt8]] = [:]
    for (path, bytes) in parents.flatMap(\.removed) {
      removed[path] = removed[path].map { Replica.joined($0, bytes, path) } ?? bytes
    }
    result.removed = try removed.filter { try repository.node(at: $0.key, in: commit.tree) == nil }
    // cairn's own merges hold what is meant.
    if Replica.isJoin(commit) { return result }
    let trees = try commit.parents.map { try repository.commit($0).tree }
    let join = try joinedTree(of: commit.parents)
    // What the parents mean beyond their trees, as far as the join does not know it: a commit before
    // the fork is none of either side.
    var meant = Amendments()
    for (tree, parent) in zip(trees, parents) {
      for (path, amended) in parent.documents {
        let node = try repository.node(at: path, in: tree)
        if let bytes = amended.bytes, node != nil {
          let bytes = Amendments.joined(meant.documents[path]?.bytes ?? nil, bytes, path)
          meant.documents[path] = (bytes, amended.reason)
        } else if try node == repository.node(at: path, in: commit.tree) {
          // git took over that it is there, or not, and neither is meant.
          result.documents[path] = amended
          if amended.bytes == nil { result.removed[path] = removed[path] }
        }
      }
    }
    func merge(_ path: String, _ join: TreeNode?, _ node: TreeNode?) throws {
      guard let document = DocumentPath(path) else { return }
      let meant = meant.documents.removeValue(forKey: path)
      if join == nil, result.documents[path] != nil { return }
      result.documents[path] = nil
      result.merge(
        document, join: try join.map { try repository.blob($0.id) }, meant: meant?.bytes,
        result: try node.map { try repository.blob($0.id) }, removed: removed[path],
        isChosen: try trees.contains { try repository.node(at: path, in: $0) == nil })
      if let meant, result.documents[path]?.bytes == meant.bytes { result.documents[path] = meant }
    }
    try repository.diff(join, commit.tree) { try merge($0.path, $0.old, $0.new) }
    for path in meant.documents.keys {
      let node = try repository.node(at: path, in: commit.tree)
      try merge(path, node, node)
    }
    return result
  }

  /// Returns the commit that says what `tip` means: the tip itself, or where the commits of other
  /// tools need it, one on top of it, the same on every device.
  func amended(
    _ tip: ObjectID, excluding known: [ObjectID]
  ) throws -> (commit: ObjectID, amendments: [Amendment]) {
    let amendments = try amendments(of: tip, excluding: known)
    return (try amended(tip, by: amendments), amendments.list)
  }

  func amended(_ tip: ObjectID, by amendments: Amendments) throws -> ObjectID {
    if amendments.documents.isEmpty { return tip }
    let writer = AdaptiveObjectWriter(repository)
    let commit = try repository.commit(tip)
    let tree = try apply(amendments, to: commit.tree, writer: writer)
    let cairn = Replica.signature(time: commit.committer.time)
    let amended = try writer.write(
      Commit(
        tree: tree, parents: [tip], author: cairn, committer: cairn,
        message: "Stamp and mend what other tools changed in \(tip.short)"))
    try writer.finish()
    return amended
  }

  func apply(
    _ amendments: Amendments, to tree: ObjectID, writer: any ObjectWriter
  ) throws -> ObjectID {
    if amendments.documents.isEmpty { return tree }
    return try repository.edit(
      tree,
      try amendments.documents.map { path, document in
        (path, try document.bytes.map { TreeNode(.file, try writer.write(.blob, $0)) })
      }, writer: writer)
  }

  /// Returns the join of two versions of a file, neither of which need be a document.
  static func joined(_ a: [UInt8], _ b: [UInt8], _ path: String) -> [UInt8] {
    guard let document = DocumentPath(path), document.kind != nil else { return a }
    return DocumentMerge(a, b, at: document).bytes
  }

  // MARK: Commits of other tools in this copy

  var seenFile: FilePath { directory.privateDirectory.appending("seen") }

  /// Remembers that everything up to `commit` says what it means.
  func noteSeen(_ commit: ObjectID) throws {
    try world.files.write(
      Array("\(commit)\n".utf8), to: seenFile, temporary: FilePath(seenFile.string + ".tmp"))
  }

  /// How far back commits of other tools are looked for in a history that was never looked at.
  private static let lookBack = 100

  /// Returns the newest commit of a history that cairn made to join or to mend, or else one that lies
  /// some way back; nil when the history is short.
  private func ancestor(of tip: ObjectID) throws -> ObjectID? {
    var found: ObjectID?
    var left = Replica.lookBack
    try repository.walk(from: [tip]) { id in
      let commit = try repository.commit(id)
      left -= 1
      let isOurs = commit.committer == Replica.signature(time: commit.committer.time)
      if isOurs || left == 0 { found = id }
      return found == nil
    }
    return found
  }

  /// Stamps and mends what other tools have committed here since cairn last looked.
  func amendOwnCommits(_ session: EditSession) throws -> [Amendment] {
    guard let head = try repository.head() else { return [] }
    let bytes = try world.files.read(seenFile, limit: 256)
    let seen = bytes.flatMap { ObjectID(String(decoding: $0, as: UTF8.self).prefix(40)) }
    if seen == head { return [] }
    // A copy that git made, or a moment ago cairn: the last commits may be another tool's.
    let known = try seen.flatMap { repository.contains($0) ? $0 : nil } ?? ancestor(of: head)
    let (commit, amendments) = try amended(head, excluding: known.map { [$0] } ?? [])
    if commit == head {
      try noteSeen(head)
    } else {
      _ = try checkOut(commit, from: head, because: "amend what others changed", session: session)
    }
    return amendments
  }
}

extension Amendments {
  /// All directories in which something is amended or removed.
  fileprivate var directories: Set<Substring> {
    var directories: Set<Substring> = []
    for path in [documents.keys.map { $0 }, removed.keys.map { $0 }].joined() {
      var rest = path[...]
      while let slash = rest.lastIndex(of: "/") {
        rest = rest[..<slash]
        if !directories.insert(rest).inserted { break }
      }
    }
    return directories
  }

  /// Whether nothing is known of a path.
  fileprivate func isUnheardOf(_ path: String) -> Bool {
    documents[path] == nil && removed[path] == nil
  }
}
