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
  /// old one, even if it was removed or fixed up later: it may follow other unstamped edits, and
  /// needs a later stamp than theirs.
  ///
  /// - Parameter readingNew: Whether to also read new documents, to put them in canonical form.
  func fixups(
    of tip: ObjectID, excluding known: [ObjectID], readingNew: Bool = false
  ) throws -> CommitFixups {
    let (fixups, boundary) = try fixups(
      of: tip, excluding: known, after: [:], readingNew: readingNew)
    let isSettled = fixups.documents.isEmpty && !fixups.dependsOnEarlierEdits
    if isSettled || boundary.isEmpty { return fixups }
    var before = try committedFixups(of: boundary, upTo: known)
    for commit in boundary {
      let effective = try checkedFixups(upTo: commit)
      if effective.documents.isEmpty { continue }
      before[commit, default: CommitFixups()].modes = effective.modes
      for (path, fixup) in effective.documents {
        let committed = before[commit]?.documents[path]?.bytes
        before[commit]?.documents[path] =
          (CommitFixups.merged(committed, fixup.bytes, path), fixup.reason)
      }
    }
    if before.isEmpty { return fixups }
    return try self.fixups(of: tip, excluding: known, after: before, readingNew: readingNew)
      .fixups
  }

  /// Returns the fixups for the history up to a commit since cairn last checked it, computed once.
  ///
  /// Its commits may follow others than the checked one, whose own fixups then come first. A history
  /// that was never checked is not searched any further.
  func checkedFixups(upTo id: ObjectID) throws -> CommitFixups {
    if let known = checkedFixups[id] { return known }
    var result = CommitFixups()
    let checked = try checkedAncestor(of: id)
    if checked != id {
      let known = checked.map { [$0] } ?? []
      result =
        try checked.map(isOwn) == false
        ? fixups(of: id, excluding: known, after: [:]).fixups
        : fixups(of: id, excluding: known)
    }
    checkedFixups[id] = result
    return result
  }

  /// Returns the fixups of some commits that are committed in the history up to `known`.
  ///
  /// Such a commit holds what its device knew of commits that were replaced, which the history does
  /// not show.
  private func committedFixups(
    of commits: Set<ObjectID>, upTo known: [ObjectID]
  ) throws -> [ObjectID: CommitFixups] {
    var committed: [ObjectID: CommitFixups] = [:]
    // A device makes one fixup for each commit that was replaced, each on top of the last.
    var fixed = Dictionary(uniqueKeysWithValues: commits.map { ($0, $0) })
    try repository.walk(from: known, excluding: commits.sorted(), oldestFirst: true) { id in
      let commit = try repository.commit(id)
      guard let parent = commit.parents.first, let tip = fixed[parent],
        Replica.isFixup(commit, of: parent)
      else { return true }
      fixed[id] = tip
      try repository.diff(repository.commit(tip).tree, commit.tree) { difference in
        guard let path = DocumentPath(difference.path), path.kind != nil, difference.old != nil,
          let bytes = try difference.new.map(bytes(of:))
        else { return }
        // Devices that knew different commits may have committed different fixups.
        let other = committed[tip]?.documents[difference.path]?.bytes
        committed[tip, default: CommitFixups()].documents[difference.path] =
          (CommitFixups.merged(other, bytes, difference.path), .stamped)
      }
      return true
    }
    return committed
  }

  /// - Parameter before: The fixups for commits that are reachable from `known`.
  /// - Returns: The fixups, and the parents of the first commits that were read.
  private func fixups(
    of tip: ObjectID, excluding known: [ObjectID], after before: [ObjectID: CommitFixups],
    readingNew: Bool = false
  ) throws -> (fixups: CommitFixups, boundary: Set<ObjectID>) {
    var byCommit = before
    var boundary: Set<ObjectID> = []
    try repository.walk(from: [tip], excluding: known, oldestFirst: true) { id in
      let commit = try repository.commit(id)
      boundary.formUnion(commit.parents.filter { byCommit[$0] == nil })
      let parents = commit.parents.map { byCommit[$0] ?? CommitFixups() }
      byCommit[id] =
        switch parents.count {
        case 0: CommitFixups()
        // A fixup has the effective versions, and the commit before it, which is not read, may not.
        case 1
        where boundary.contains(commit.parents[0])
          && Replica.isFixup(commit, of: commit.parents[0]):
          CommitFixups()
        case 1: try fixups(of: id, commit, after: parents[0], readingNew: readingNew)
        default: try fixups(ofMerge: id, commit, after: parents)
        }
      return true
    }
    return (byCommit[tip] ?? CommitFixups(), boundary)
  }

  /// The maximum number of new documents read per commit: more come from an import, which writes
  /// them in canonical form.
  private static let newDocumentLimit = 10_000

  private func fixups(
    of id: ObjectID, _ commit: Commit, after parent: CommitFixups, readingNew: Bool
  ) throws -> CommitFixups {
    var result = parent
    let before = commit.parents[0]
    let previous = try repository.commit(before)
    // Looked up at the first removal.
    var emptying: EmptyingCommit??
    var left = readingNew ? Replica.newDocumentLimit : 0
    // Unless new documents are read, a new directory is entered only to find restored ones.
    let known = result
    lazy var directories = known.directories
    let entering = { (path: String, isNew: Bool) in
      !isNew || left > 0 || directories.contains(path[...]) || DocumentPath(path) != nil
        || CommitFixups.refusal(of: path) != nil
    }
    try repository.diff(previous.tree, commit.tree, entering: entering) { difference in
      if difference.new == nil {
        let known = try emptying ?? self.emptying(id, commit, after: previous)
        emptying = .some(known)
        if let known { return try result.keep(difference, removedBy: known, bytes: bytes(of:)) }
      }
      guard let path = DocumentPath(difference.path) else {
        return try result.editOther(difference) {
          try repository.hasFile(at: $0, in: previous.tree)
        }
      }
      // A new document is effective unchanged, unless it was restored.
      let isNew = difference.old == nil && result.isUntouched(difference.path)
      if isNew {
        guard left > 0, let node = difference.new, node.mode != .submodule else { return }
        left -= 1
        if let canonicalized = try canonical(node, at: path) {
          result.documents[difference.path] = (canonicalized, .canonicalized)
        }
      } else {
        try result.edit(
          path, from: try difference.old.map(bytes(of:)), to: try difference.new.map(bytes(of:)),
          at: commit.author.time, after: previous.author.time,
          isFixup: Replica.isFixup(commit, of: before)
        ) { try history(of: path, upTo: before) }
      }
      // The executable bit has no meaning for a document or an image.
      if let new = difference.new, new.mode == .executable,
        result.documents[path.description] == nil
      {
        result.documents[path.description] = (try repository.blob(new.id), .canonicalized)
      }
    }
    return result
  }

  /// Returns the bytes of a file; none for a submodule, which is never a document.
  func bytes(of node: TreeNode) throws -> [UInt8] {
    node.mode == .submodule ? [] : try repository.blob(node.id)
  }

  /// Returns the value in a file; nil if it does not parse.
  func json(of node: TreeNode) throws -> JSON? {
    let bytes = try bytes(of: node)
    return try? JSON(bytes: bytes)
  }

  /// Returns the document in a file; nil if it does not parse.
  func document(of node: TreeNode, at path: DocumentPath) throws -> Document? {
    let bytes = try bytes(of: node)
    return try? Document(bytes: bytes, at: path)
  }

  /// Returns the canonical bytes of a document; nil if it has them already, or does not parse.
  func canonical(_ node: TreeNode, at path: DocumentPath) throws -> [UInt8]? {
    guard path.kind != nil, try repository.size(of: node.id) <= DocumentLimit.size else {
      return nil
    }
    let bytes = try repository.blob(node.id)
    guard let document = try? Document(bytes: bytes, at: path) else { return nil }
    let canonical = document.canonicalBytes
    return canonical == bytes ? nil : canonical
  }

  private func fixups(
    ofMerge id: ObjectID, _ commit: Commit, after parents: [CommitFixups]
  ) throws -> CommitFixups {
    var result = CommitFixups()
    result.dependsOnEarlierEdits = parents.contains(where: \.dependsOnEarlierEdits)
    result.includesMerge = true
    for parent in parents { result.modes.merge(parent.modes) { first, _ in first } }
    var removed: [String: [UInt8]] = [:]
    for (path, bytes) in parents.flatMap(\.removed) {
      removed[path] = removed[path].map { Replica.merged($0, bytes, path) } ?? bytes
    }
    result.removed = try removed.filter { try !repository.hasFile(at: $0.key, in: commit.tree) }
    // cairn's own merges contain the effective versions.
    if Replica.isOwnMerge(commit) { return result }
    let trees = try commit.parents.map { try repository.commit($0).tree }
    let expected = try mergedTree(of: commit.parents)
    // The fixups of the parents, as far as the merge does not include them: a commit before the
    // fork belongs to neither side.
    var effective = CommitFixups()
    for (tree, parent) in zip(trees, parents) {
      for (path, fixup) in parent.documents {
        let node = try repository.node(at: path, in: tree)?.file
        if let bytes = fixup.bytes, node != nil {
          let bytes = CommitFixups.merged(effective.documents[path]?.bytes ?? nil, bytes, path)
          effective.documents[path] = (bytes, fixup.reason)
        } else if try node == repository.node(at: path, in: commit.tree)?.file {
          // git took over its presence or absence, which contradicts the effective version.
          result.documents[path] = fixup
          if fixup.bytes == nil { result.removed[path] = removed[path] }
        }
      }
    }
    // Looked up when first needed.
    var base: ObjectID??
    var renamed: [Set<DocumentKind>]?
    func merge(_ path: String, _ expected: TreeNode?, _ node: TreeNode?) throws {
      guard let document = DocumentPath(path) else { return }
      let effective = effective.documents.removeValue(forKey: path)
      if expected == nil, result.documents[path] != nil { return }
      result.documents[path] = nil
      if expected == nil, node != nil, document.kind != nil {
        // It may have been removed before the commits that are read here.
        for (side, parent) in parents.enumerated()
        where try parent.removed[path] == nil && !repository.hasFile(at: path, in: trees[side]) {
          let last = try lastVersion(of: document, in: [commit.parents[side]])
          removed[path] = CommitFixups.merged(removed[path], last, path)
        }
      }
      try result.merge(
        document, expected: try expected.map(bytes(of:)), effective: effective?.bytes,
        result: try node.map(bytes(of:)), removed: removed[path],
        isChosen: try trees.contains { try !repository.hasFile(at: path, in: $0) },
        at: commit.author.time
      ) {
        func version(in tree: ObjectID?) throws -> JSON? {
          try repository.file(at: path, in: tree).flatMap { try? JSON(bytes: $0) }
        }
        if base == nil { base = .some(try singleBaseTree(of: commit.parents)) }
        let (parents, known) = (try trees.compactMap(version(in:)), try version(in: base ?? nil))
        // Without a version in the base, git may have looked for another document.
        if expected == nil || known != nil { return (parents, known) }
        guard let base = base ?? nil else { return (parents.count == 1 ? [] : parents, nil) }
        let kinds = try renamed ?? kindsThatMayBeRenamed(since: base, in: trees)
        renamed = kinds
        let mayBeRenamed = try zip(trees, kinds).contains { tree, kinds in
          try document.kind.map(kinds.contains) == true && repository.hasFile(at: path, in: tree)
        }
        return (mayBeRenamed ? [] : parents, nil)
      }
      if let effective, result.documents[path]?.bytes == effective.bytes {
        result.documents[path] = effective
      }
      if expected == nil, let node, case .photo = document {
        let photo = try result.documents[path].map(\.bytes) ?? bytes(of: node)
        if let photo { try restoreImage(of: photo, in: commit, &result) }
      }
      // A document that should not exist counts as removed, even if the tree has it.
      if let fixup = result.documents[path], fixup.bytes == nil {
        result.removed[path] = removed[path]
      }
    }
    try repository.diff(expected, commit.tree) { try merge($0.path, $0.old, $0.new) }
    for path in effective.documents.keys {
      let node = try repository.node(at: path, in: commit.tree)?.file
      try merge(path, node, node)
    }
    return result
  }

  /// Returns the tree from which git merged two commits; nil if it merged several bases, or more
  /// commits.
  private func singleBaseTree(of parents: [ObjectID]) throws -> ObjectID? {
    guard parents.count == 2 else { return nil }
    let bases = try repository.mergeBases(parents[0], parents[1])
    return bases.count == 1 ? try repository.tree(ofCommit: bases[0]) : nil
  }

  /// Returns the kinds of documents of which each side removed one that another side changed: git may
  /// have taken one that it added for that one, and merged the lines of both.
  private func kindsThatMayBeRenamed(
    since base: ObjectID, in trees: [ObjectID]
  ) throws -> [Set<DocumentKind>] {
    try trees.map { tree in
      var kinds: Set<DocumentKind> = []
      try repository.diff(base, tree) { difference in
        guard difference.new == nil, let kind = DocumentPath(difference.path)?.kind,
          !kinds.contains(kind)
        else { return }
        let isChanged = try trees.contains {
          let other = try repository.node(at: difference.path, in: $0)?.file
          return other != nil && other != difference.old
        }
        if isChanged { kinds.insert(kind) }
      }
      return kinds
    }
  }

  /// Restores the image of a photo that a merge restored, or the right pointer to it.
  private func restoreImage(
    of bytes: [UInt8], in merge: Commit, _ fixups: inout CommitFixups
  ) throws {
    guard let photo = try? Photo(bytes: bytes) else { return }
    let path = DocumentPath.image(photo.id, photo.image.format)
    let pointer = Pointer(id: photo.id, size: photo.image.bytes).bytes
    if let found = try repository.file(at: path.description, in: merge.tree) {
      // An image that was committed without a filter is converted elsewhere.
      guard found != pointer, Pointer(bytes: found) != nil else { return }
      fixups.documents[path.description] = (pointer, .pointer)
    } else if try lastVersion(of: path, in: merge.parents) != nil {
      fixups.documents[path.description] = (pointer, .restored)
    }
  }

  /// Returns the merge of two versions of a file; the first one if it is not a document.
  static func merged(_ a: [UInt8], _ b: [UInt8], _ path: String) -> [UInt8] {
    guard let document = DocumentPath(path), document.kind != nil else { return a }
    return DocumentMerge(a, b, at: document).bytes
  }
}

extension CommitFixups {
  /// All directories that contain a fixup or a removal.
  fileprivate var directories: Set<Substring> {
    var directories: Set<Substring> = []
    for path in [documents.keys.map { $0 }, removed.keys.map { $0 }].joined() {
      var rest = path[...]
      while let slash = rest.utf8.lastIndex(of: UInt8(ascii: "/")) {
        rest = rest[..<slash]
        if !directories.insert(rest).inserted { break }
      }
    }
    return directories
  }

  /// Whether a path has neither a fixup nor a removal.
  fileprivate func isUntouched(_ path: String) -> Bool {
    documents[path] == nil && removed[path] == nil
  }
}
