internal import CairnDocument
internal import CairnFiles
internal import CairnGit
internal import CairnMerge
internal import CairnStore
internal import SystemPackage

// Fixups become a commit on top of the commits that they correct.

extension Replica {
  /// Returns the commit with the effective documents of `tip`: the tip itself or, if commits of
  /// other tools need fixups, one on top of it, the same on every device.
  ///
  /// - Parameters:
  ///   - last: The last tip of this branch. If the history was rewritten since, the new values count
  ///     as later ones.
  ///   - restoresReferences: Whether to also check the references of new documents, as cairn does
  ///     before it commits them.
  func commitWithFixups(
    _ tip: ObjectID, excluding known: [ObjectID], replacing last: ObjectID? = nil,
    readingNew: Bool = true, restoresReferences: Bool = false
  ) throws -> (commit: ObjectID, fixups: [Fixup]) {
    let base = try known.first.map { try repository.commit($0).tree }
    var fixups = try effectiveFixups(
      of: tip, excluding: known, since: base, readingNew: readingNew)
    if let last, try !repository.isAncestor(last, of: tip) {
      try stampContradictions(of: tip, replacing: last, &fixups)
    }
    if let known = known.first, restoresReferences {
      // git may have rewritten the history that was checked.
      let common = try repository.tree(ofCommit: repository.mergeBases(known, tip).first)
      try restoreReferences(in: repository.commit(tip).tree, since: common, upTo: tip, &fixups)
    }
    if !fixups.documents.isEmpty, try hasUncheckedPaths() {
      let tree = try repository.commit(tip).tree
      if try hasRefusedPaths(near: Array(fixups.documents.keys), in: tree) {
        acceptedTree = nil
        fixups.documents.merge(try refusals(in: tree, since: nil).documents) { $1 }
      }
    }
    return (try commitWithFixups(tip, by: fixups), fixups.list)
  }

  /// Gives a later stamp to each value of a commit that has the stamp of another value in a commit
  /// that it replaces, as after `git commit --amend`.
  func stampContradictions(
    of tip: ObjectID, replacing old: ObjectID, _ fixups: inout CommitFixups
  ) throws {
    let commit = try repository.commit(tip)
    try repository.diff(repository.commit(old).tree, commit.tree) { difference in
      guard let path = DocumentPath(difference.path), path.kind != nil,
        let before = try difference.old.flatMap(json(of:)),
        let after = try difference.new.flatMap(json(of:))
      else { return }
      var effective = after
      if let fixup = fixups.documents[difference.path] {
        guard let version = fixup.bytes.flatMap({ try? JSON(bytes: $0) }) else { return }
        effective = version
      }
      // A value with the old commit's stamp may have lost as an edit of the new commit's parent.
      let stamped = effective.taking(after, overEqual: before).stampingContradictions(of: [before])
      {
        $0.successorByOtherTools(at: commit.committer.time)
      }
      if stamped != effective {
        fixups.documents[difference.path] = (stamped.canonicalBytes, .stamped)
      }
    }
  }

  /// Returns the commit that makes every possible repair to the documents of a commit.
  func fullyRepaired(
    _ tip: ObjectID
  ) throws -> (commit: ObjectID, fixups: [Fixup]) {
    var fixups = try effectiveFixups(of: tip, excluding: [tip], since: nil, checksAllImages: true)
    let tree = try repository.commit(tip).tree
    for name in DocumentPath.topLevel {
      try repository.forEachFile(in: tree, below: name) { text, node in
        guard let path = DocumentPath(text), path.kind != nil, node.mode != .submodule,
          fixups.documents[text] == nil, let canonicalized = try canonical(node, at: path)
        else { return }
        fixups.documents[text] = (canonicalized, .canonicalized)
      }
    }
    try restoreReferences(in: tree, since: nil, upTo: tip, creatingClasses: true, &fixups)
    return (try commitWithFixups(tip, by: fixups), fixups.list)
  }

  /// Restores documents that a tree lacks and that its documents changed since `base` refer to.
  ///
  /// - Parameter creatingClasses: Whether to create a class of which no version is here, the same on
  ///   every device.
  private func restoreReferences(
    in tree: ObjectID, since base: ObjectID?, upTo tip: ObjectID, creatingClasses: Bool = false,
    _ fixups: inout CommitFixups
  ) throws {
    func lastVersion(of path: DocumentPath) throws -> [UInt8]? {
      if let last = try referencedVersion(of: path, upTo: tip) { return last }
      guard creatingClasses, case .class(let key) = path else { return nil }
      // A partial clone may have left its last version out.
      try repository.complete()
      return LabelClass(key: key, name: key.text, stamp: .initial).canonicalBytes
    }
    var visited: Set<DocumentPath> = []
    func restore(_ references: [DocumentPath]) throws {
      var queue = references
      while let path = queue.popLast() {
        let text = path.description
        guard visited.insert(path).inserted, fixups.documents[text] == nil,
          try !repository.hasFile(at: text, in: tree),
          let last = try lastVersion(of: path)
        else { continue }
        fixups.documents[text] = (last, .restored)
        queue += (try? Document(bytes: last, at: path))?.references ?? []
      }
    }
    // What a restored document refers to may have been removed before the commits that were read.
    for (text, fixup) in fixups.documents {
      guard let path = DocumentPath(text), let bytes = fixup.bytes,
        try !repository.hasFile(at: text, in: tree)
      else { continue }
      try restore((try? Document(bytes: bytes, at: path))?.references ?? [])
    }
    try repository.diff(base, tree) { difference in
      guard let node = difference.new, let path = DocumentPath(difference.path), path.kind != nil
      else { return }
      let bytes = try fixups.documents[difference.path].map(\.bytes) ?? self.bytes(of: node)
      let document = bytes.flatMap { try? Document(bytes: $0, at: path) }
      try restore(document?.references ?? [])
    }
  }

  /// Whether a commit is a fixup of another one: it holds the effective versions of its documents.
  static func isFixup(_ commit: Commit, of tip: ObjectID) -> Bool {
    commit.parents == [tip] && commit.author == signature(time: commit.author.time)
      && commit.committer == commit.author && commit.summary == fixupSummary(tip)
  }

  static func fixupSummary(_ tip: ObjectID) -> String {
    "Fix up changes by other tools in \(tip.short)"
  }

  func commitWithFixups(_ tip: ObjectID, by fixups: CommitFixups) throws -> ObjectID {
    if fixups.documents.isEmpty { return tip }
    let writer = AdaptiveObjectWriter(repository)
    let commit = try repository.commit(tip)
    let tree = try apply(fixups, to: commit.tree, writer: writer)
    let cairn = Replica.signature(time: commit.committer.time)
    let fixup = try writer.write(
      Commit(
        tree: tree, parents: [tip], author: cairn, committer: cairn,
        message: Replica.fixupSummary(tip)))
    try writer.finish()
    return fixup
  }

  func apply(
    _ fixups: CommitFixups, to tree: ObjectID, writer: any ObjectWriter
  ) throws -> ObjectID {
    if fixups.documents.isEmpty { return tree }
    return try repository.edit(
      tree,
      try fixups.documents.map { path, document in
        let mode = fixups.modes[path] ?? .file
        return (path, try document.bytes.map { TreeNode(mode, try writer.write(.blob, $0)) })
      }, writer: writer)
  }
}
