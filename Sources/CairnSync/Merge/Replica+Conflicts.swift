internal import CairnDocument
internal import CairnFiles
internal import CairnGit
internal import CairnMerge
internal import CairnStore

// Conflicts that git left in its index.

extension Replica {
  /// Merges the documents that git left in conflict, as after a rebase, a cherry-pick, a revert or
  /// a stash, restores the images of their photos and models, and updates git's index.
  ///
  /// - Returns: Their paths.
  func resolveConflicts() throws -> [String] {
    let conflicts = Dictionary(grouping: try repository.conflictedEntries(), by: \.path)
    var resolved: [String: IndexFile.Entry?] = [:]
    var misplaced: [(path: DocumentPath, bytes: [UInt8])] = []
    for (path, entries) in conflicts.sorted(by: { $0.key < $1.key }) {
      guard let document = DocumentPath(path), document.kind != nil else { continue }
      let versions = try entries.map { (stage: $0.stage, bytes: try repository.blob($0.node.id)) }
      let places = versions.map { (try? Document(bytes: $0.bytes))?.path ?? document }
      let own = zip(versions, places).filter { $1 == document }.map(\.0)
      // git's rename detection may pair two different labels: each belongs at its own path.
      misplaced += zip(versions, places).filter { $1 != document && $0.stage > 1 }
        .map { ($1, $0.bytes) }
      if let bytes = try resolution(of: own, at: document) {
        resolved[path] = try resolve(document, bytes)
      } else {
        try directory.remove(path)
        resolved[path] = .some(nil)
      }
    }
    // Such a path may be in conflict, too, and is merged with what was made of that.
    for (path, bytes) in misplaced {
      let there = try read(path.description)
      let merged = there.map { Replica.merged($0, bytes, path.description) } ?? bytes
      resolved[path.description] = try resolve(path, merged)
    }
    for (path, entries) in conflicts {
      guard let document = DocumentPath(path), document.blob != nil else { continue }
      let entry = try resolveBlob(document, entries)
      if entry == nil { try directory.remove(path) }
      resolved[path] = .some(entry)
    }
    try updateIndex(
      resolved.values.compactMap { $0 }, removing: resolved.filter { $0.value == nil }.map(\.key),
      in: try headTree())
    return resolved.keys.sorted()
  }

  /// Writes the image or model that belongs at a path, or the pointer to it, and returns its entry for
  /// git's index; nil when the photo of the image does not exist, or no side has the model or a pointer
  /// to it.
  private func resolveBlob(
    _ path: DocumentPath, _ entries: [IndexFile.Entry]
  ) throws -> IndexFile.Entry? {
    var pointer: Pointer?
    if let id = path.photo {
      pointer = try read(DocumentPath.photo(id).description)
        .flatMap { Replica.pointer(toImageAt: path, of: $0) }
    } else if let id = path.blob {
      pointer = try entries.compactMap { try self.pointer(in: $0.node) }.first { $0.id == id }
      // It may have been committed without a filter.
      for entry in entries where pointer == nil && entry.node.mode != .submodule {
        pointer = try storeImage(entry.node, id)
      }
    }
    guard let pointer else { return nil }
    let node = TreeNode(.file, try LooseObjectWriter(repository).write(.blob, pointer.bytes))
    var report = CheckoutReport()
    let status = try place(node, at: path.description, path, report: &report)
    if report.imagesMissing > 0 { try noteUnfetchedImages() }
    return IndexFile.Entry(
      path: path.description, node: node, status: status.map(IndexStatus.init) ?? .unknown)
  }

  /// Returns the merge of a document that git left in conflict; nil when it is not in conflict.
  func mergedConflict(at path: DocumentPath) throws -> Document? {
    let entries = try repository.conflictedEntries().filter { $0.path == path.description }
    let versions = try entries.map { (stage: $0.stage, bytes: try repository.blob($0.node.id)) }
    let bytes = versions.isEmpty ? nil : try resolution(of: versions, at: path)
    return bytes.flatMap { try? Document(bytes: $0, at: path) }
  }

  /// Writes the merged document to the work tree, and returns its entry for git's index.
  private func resolve(_ path: DocumentPath, _ bytes: [UInt8]) throws -> IndexFile.Entry {
    let status = try directory.write(bytes, to: path.description, durable: true)
    let blob = try LooseObjectWriter(repository).write(.blob, bytes)
    return IndexFile.Entry(
      path: path.description, node: TreeNode(.file, blob),
      status: status.map(IndexStatus.init) ?? .unknown)
  }

  /// Returns the merged document of a conflict: a person's own version, otherwise the merge of both
  /// sides, otherwise the only side that has it.
  private func resolution(
    of versions: [(stage: UInt8, bytes: [UInt8])], at document: DocumentPath
  ) throws -> [UInt8]? {
    func version(_ stage: UInt8) -> [UInt8]? { versions.first { $0.stage == stage }?.bytes }
    let (base, ours, theirs) = (version(1), version(2), version(3))
    if let working = try directory.read(document.description), working != ours, working != theirs,
      (try? Document(bytes: working, at: document)) != nil
    {
      return working
    }
    guard let ours, let theirs else { return ours ?? theirs }
    let seconds = try replayTime()
    if try environment.files.exists(mergeHead) {
      return DocumentMerge(base: base, ours, theirs, madeAt: seconds, at: document).bytes
    }
    let there = try effectiveInHead(ours, at: document)
    let replayed = Replica.stampingContradictions(theirs, of: there, at: seconds)
    return DocumentMerge(base: base, there, replayed, madeAt: seconds, at: document).bytes
  }

  /// Returns the effective version of a document in the last commit: a plain git user may have
  /// edited it there, and git replays a change on it before cairn has stamped that edit.
  private func effectiveInHead(_ bytes: [UInt8], at path: DocumentPath) throws -> [UInt8] {
    guard let head = try repository.head() else { return bytes }
    if headFixups?.head != head {
      let known = try checkedAncestor(of: head)
      headFixups = (head, try fixups(of: head, excluding: known.map { [$0] } ?? []))
    }
    return headFixups?.fixups.documents[path.description].flatMap(\.bytes) ?? bytes
  }

  /// Returns a version that git replays, with a new stamp on everything that has the stamp of the
  /// version that is already there, but another value: it was edited by hand.
  private static func stampingContradictions(
    _ replayed: [UInt8], of there: [UInt8], at seconds: Int64
  ) -> [UInt8] {
    guard let json = try? JSON(bytes: replayed), let known = try? JSON(bytes: there) else {
      return replayed
    }
    return json.stampingContradictions(of: [known]) { $0.successorByOtherTools(at: seconds) }
      .canonicalBytes
  }
}
