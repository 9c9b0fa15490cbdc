internal import CairnDocument
internal import CairnFiles
internal import CairnGit
internal import CairnMerge
internal import CairnStore
internal import SystemPackage

extension Replica {
  /// Returns the fixups for the commits reachable from `tip` and not from `known`, relative to the
  /// tip's tree.
  ///
  /// Each commit is compared with its parents, so the cost depends on what they changed. The
  /// commits before them are read only when one of them holds an edit without a stamp, or with an
  /// old one: it may follow other unstamped edits, and needs a later stamp than theirs.
  ///
  /// - Parameter readingNew: Whether to also read new documents, to put them in canonical form.
  func amendments(
    of tip: ObjectID, excluding known: [ObjectID], readingNew: Bool = false
  ) throws -> CommitFixups {
    let (amendments, boundary) = try amendments(
      of: tip, excluding: known, after: [:], readingNew: readingNew)
    let isSettled = amendments.documents.isEmpty && !amendments.holdsOlderEdits
    if isSettled || boundary.isEmpty { return amendments }
    var before: [ObjectID: CommitFixups] = [:]
    for commit in boundary {
      let settled = try settledAncestor(of: commit)
      if settled == commit { continue }
      let meant = try self.amendments(
        of: commit, excluding: settled.map { [$0] } ?? [], after: [:]
      ).amendments.documents
      if !meant.isEmpty { before[commit] = CommitFixups(documents: meant) }
    }
    if before.isEmpty { return amendments }
    return try self.amendments(of: tip, excluding: known, after: before, readingNew: readingNew)
      .amendments
  }

  /// - Parameter before: The fixups for commits that are reachable from `known`.
  /// - Returns: The fixups, and the parents of the first commits that were read.
  private func amendments(
    of tip: ObjectID, excluding known: [ObjectID], after before: [ObjectID: CommitFixups],
    readingNew: Bool = false
  ) throws -> (amendments: CommitFixups, boundary: Set<ObjectID>) {
    var byCommit = before
    var boundary: Set<ObjectID> = []
    try repository.walk(from: [tip], excluding: known, oldestFirst: true) { id in
      let commit = try repository.commit(id)
      boundary.formUnion(commit.parents.filter { byCommit[$0] == nil })
      let parents = commit.parents.map { byCommit[$0] ?? CommitFixups() }
      byCommit[id] =
        switch parents.count {
        case 0: CommitFixups()
        case 1: try amendments(of: commit, after: parents[0], readingNew: readingNew)
        default: try amendments(ofMerge: id, commit, after: parents)
        }
      return true
    }
    return (byCommit[tip] ?? CommitFixups(), boundary)
  }

  /// The maximum number of new documents read per commit: more come from an import, which writes
  /// them in canonical form.
  private static let newDocumentLimit = 10_000

  private func amendments(
    of commit: Commit, after parent: CommitFixups, readingNew: Bool
  ) throws -> CommitFixups {
    var result = parent
    let before = commit.parents[0]
    let previous = try repository.commit(before)
    let old = previous.tree
    var left = readingNew ? Replica.newDocumentLimit : 0
    // Unless new documents are read, a new directory is entered only to find restored ones.
    let known = result
    lazy var directories = known.directories
    let entering = { (path: String, isNew: Bool) in
      !isNew || left > 0 || directories.contains(path[...])
    }
    try repository.diff(old, commit.tree, entering: entering) { difference in
      guard let path = DocumentPath(difference.path) else { return }
      // A new document is effective unchanged, unless it was restored.
      let isNew = difference.old == nil && result.isUnheardOf(difference.path)
      if isNew {
        guard left > 0, let node = difference.new, node.mode != .submodule else { return }
        left -= 1
        if let tidied = try canonical(node, at: path) {
          result.documents[difference.path] = (tidied, .tidied)
        }
      } else {
        try result.edit(
          path, from: try difference.old.map(bytes(of:)), to: try difference.new.map(bytes(of:)),
          at: commit.author.time,
          after: previous.author.time
        ) { try past(of: path, upTo: before) }
      }
      // The executable bit has no meaning for a document or an image.
      if let new = difference.new, new.mode == .executable,
        result.documents[path.description] == nil
      {
        result.documents[path.description] = (try repository.blob(new.id), .tidied)
      }
    }
    return result
  }

  /// Returns the bytes of a file; none for a submodule, which is never a document.
  func bytes(of node: TreeNode) throws -> [UInt8] {
    node.mode == .submodule ? [] : try repository.blob(node.id)
  }

  /// Returns the canonical bytes of a document; nil if it has them already, or does not parse.
  private func canonical(_ node: TreeNode, at path: DocumentPath) throws -> [UInt8]? {
    guard path.kind != nil, try repository.size(of: node.id) <= DocumentLimit.size else {
      return nil
    }
    let bytes = try repository.blob(node.id)
    guard let document = try? Document(bytes: bytes, at: path) else { return nil }
    let canonical = document.canonicalBytes
    return canonical == bytes ? nil : canonical
  }

  private func amendments(
    ofMerge id: ObjectID, _ commit: Commit, after parents: [CommitFixups]
  ) throws -> CommitFixups {
    var result = CommitFixups()
    result.holdsOlderEdits = parents.contains(where: \.holdsOlderEdits)
    var removed: [String: [UInt8]] = [:]
    for (path, bytes) in parents.flatMap(\.removed) {
      removed[path] = removed[path].map { Replica.joined($0, bytes, path) } ?? bytes
    }
    result.removed = try removed.filter { try repository.node(at: $0.key, in: commit.tree) == nil }
    // cairn's own merges contain the effective versions.
    if Replica.isJoin(commit) { return result }
    let trees = try commit.parents.map { try repository.commit($0).tree }
    let join = try joinedTree(of: commit.parents)
    // The fixups of the parents, as far as the merge does not include them: a commit before the
    // fork belongs to neither side.
    var meant = CommitFixups()
    for (tree, parent) in zip(trees, parents) {
      for (path, amended) in parent.documents {
        let node = try repository.node(at: path, in: tree)
        if let bytes = amended.bytes, node != nil {
          let bytes = CommitFixups.joined(meant.documents[path]?.bytes ?? nil, bytes, path)
          meant.documents[path] = (bytes, amended.reason)
        } else if try node == repository.node(at: path, in: commit.tree) {
          // git took over its presence or absence, which contradicts the effective version.
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
        document, join: try join.map(bytes(of:)), meant: meant?.bytes,
        result: try node.map(bytes(of:)), removed: removed[path],
        isChosen: try trees.contains { try repository.node(at: path, in: $0) == nil })
      if let meant, result.documents[path]?.bytes == meant.bytes { result.documents[path] = meant }
      // What the tree has and nobody means to be there is removed all the same.
      if let fixup = result.documents[path], fixup.bytes == nil {
        result.removed[path] = removed[path]
      }
    }
    try repository.diff(join, commit.tree) { try merge($0.path, $0.old, $0.new) }
    for path in meant.documents.keys {
      let node = try repository.node(at: path, in: commit.tree)
      try merge(path, node, node)
    }
    return result
  }

  /// Returns the commit with the effective documents of `tip`: the tip itself or, if commits of
  /// other tools need fixups, one on top of it, the same on every device.
  ///
  /// - Parameter restoresReferences: Whether to also check the references of new documents, as
  ///   cairn does before it commits them.
  func amended(
    _ tip: ObjectID, excluding known: [ObjectID], readingNew: Bool = true,
    restoresReferences: Bool = false
  ) throws -> (commit: ObjectID, amendments: [Fixup]) {
    let base = try known.first.map { try repository.commit($0).tree }
    var amendments = try meaning(
      of: tip, excluding: known, since: base, readingNew: readingNew)
    if let base, restoresReferences {
      try restoreReferences(in: repository.commit(tip).tree, since: base, upTo: tip, &amendments)
    }
    return (try amended(tip, by: amendments), amendments.list)
  }

  /// Returns the commit that makes every possible repair to the documents of a commit.
  private func repairedThroughout(
    _ tip: ObjectID
  ) throws -> (commit: ObjectID, amendments: [Fixup]) {
    var amendments = try meaning(of: tip, excluding: [tip], since: nil, isWhole: true)
    let tree = try repository.commit(tip).tree
    for name in DocumentPath.topLevel {
      try repository.forEachFile(in: tree, below: name) { text, node in
        guard let path = DocumentPath(text), path.kind != nil, node.mode != .submodule,
          amendments.documents[text] == nil, let tidied = try canonical(node, at: path)
        else { return }
        amendments.documents[text] = (tidied, .tidied)
      }
    }
    try restoreReferences(in: tree, since: nil, upTo: tip, &amendments)
    return (try amended(tip, by: amendments), amendments.list)
  }

  /// Restores documents that a tree lacks and that its documents changed since `base` refer to.
  private func restoreReferences(
    in tree: ObjectID, since base: ObjectID?, upTo tip: ObjectID, _ amendments: inout CommitFixups
  ) throws {
    var looked: Set<DocumentPath> = []
    func restore(_ references: [DocumentPath]) throws {
      var queue = references
      while let path = queue.popLast() {
        let text = path.description
        guard looked.insert(path).inserted, amendments.documents[text] == nil,
          try repository.node(at: text, in: tree) == nil,
          let last = try lastVersion(of: path, upTo: tip)
        else { continue }
        amendments.documents[text] = (last, .restored)
        queue += (try? Document(bytes: last, at: path))?.references ?? []
      }
    }
    try repository.diff(base, tree) { difference in
      guard let node = difference.new, let path = DocumentPath(difference.path), path.kind != nil
      else { return }
      let bytes = try amendments.documents[difference.path].map(\.bytes) ?? self.bytes(of: node)
      let document = bytes.flatMap { try? Document(bytes: $0, at: path) }
      try restore(document?.references ?? [])
    }
  }

  func amended(_ tip: ObjectID, by amendments: CommitFixups) throws -> ObjectID {
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
    _ amendments: CommitFixups, to tree: ObjectID, writer: any ObjectWriter
  ) throws -> ObjectID {
    if amendments.documents.isEmpty { return tree }
    return try repository.edit(
      tree,
      try amendments.documents.map { path, document in
        (path, try document.bytes.map { TreeNode(.file, try writer.write(.blob, $0)) })
      }, writer: writer)
  }

  /// Returns the merge of two versions of a file; the first one if it is not a document.
  static func joined(_ a: [UInt8], _ b: [UInt8], _ path: String) -> [UInt8] {
    guard let document = DocumentPath(path), document.kind != nil else { return a }
    return DocumentMerge(a, b, at: document).bytes
  }

  // MARK: Commits of other tools in this copy

  var seenFile: FilePath { directory.privateDirectory.appending("seen") }

  /// Records that everything up to `commit` has been checked and fixed.
  func noteSeen(_ commit: ObjectID) throws {
    try environment.files.write(
      Array("\(commit)\n".utf8), to: seenFile, temporary: FilePath(seenFile.string + ".tmp"))
  }

  /// How many commits back other tools' commits are searched for in a history not yet checked.
  private static let lookBack = 100

  /// Returns the newest commit of a history that is one of cairn's merges or fixups, or otherwise
  /// the last one within ``lookBack``; nil when the history is short.
  private func settledAncestor(of tip: ObjectID) throws -> ObjectID? {
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

  /// Stamps and repairs what other tools have committed here since cairn last checked.
  ///
  /// - Parameter everywhere: Whether to check everything that is committed, regardless of its age.
  func amendOwnCommits(_ session: EditSession, everywhere: Bool = false) throws -> [Fixup] {
    guard let head = try repository.head() else { return [] }
    if everywhere {
      let since = try amendOwnCommits(session)
      let (commit, amendments) = try repairedThroughout(repository.head() ?? head)
      if amendments.isEmpty { return since }
      _ = try checkOut(
        commit, from: repository.head(), reason: "repair what others changed", session: session)
      return since + amendments
    }
    let bytes = try environment.files.read(seenFile, limit: 256)
    let seen = bytes.flatMap { ObjectID(String(decoding: $0, as: UTF8.self).prefix(40)) }
    if seen == head { return [] }
    let (commit, amendments): (ObjectID, [Fixup])
    do {
      // A clone made by git, or just now by cairn: the last commits may be another tool's.
      let known =
        try seen.flatMap { repository.contains($0) ? $0 : nil } ?? settledAncestor(of: head)
      (commit, amendments) = try amended(
        head, excluding: known.map { [$0] } ?? [], readingNew: seen != nil,
        restoresReferences: seen != nil)
    } catch let error as GitError where error.code == .incomplete {
      // A shallow clone that is offline: it is checked once the full history is here.
      hasSkippedFixups = true
      return []
    }
    if commit == head {
      try noteSeen(head)
    } else {
      _ = try checkOut(commit, from: head, reason: "amend what others changed", session: session)
    }
    return amendments
  }
}

extension CommitFixups {
  /// All directories that contain a fixup or a removal.
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

  /// Whether a path has neither a fixup nor a removal.
  fileprivate func isUnheardOf(_ path: String) -> Bool {
    documents[path] == nil && removed[path] == nil
  }
}
