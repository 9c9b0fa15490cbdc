internal import CairnBase
internal import CairnDocument
internal import CairnFiles
internal import CairnGit
internal import CairnIndex
internal import CairnStore
internal import CairnSync

extension Dataset {
  /// Updates the index from the differences between the indexed tree and that of the last commit,
  /// and from the documents written since the commit, of which only changed files are read.
  func update(_ index: DatasetIndex) throws {
    let tree = try replica.repository.tree(ofCommit: replica.repository.head())
    let journal = try directory.journaledPaths().filter { $0.kind != nil }
    let isUpToDate = try index.read {
      try journal.isEmpty && $0.tree() == tree?.description && $0.overlay().isEmpty
    }
    if isUpToDate { return }

    let journaled = Set(journal.map(\.description))
    // What is read of all paths, which a clone may not have looked at.
    var areRefused: Bool?
    try index.write { index in
      // Another process may have updated the index in the meantime.
      let (indexed, overlay) = (try index.reader.tree(), try index.reader.overlay())
      let old = indexed.flatMap { ObjectID($0) }
      if old == nil { try index.deferIndexes() }
      var (touched, count) = (Set<String>(), 0)
      let known = old.map { replica.repository.contains($0) || $0 == Tree.emptyID } ?? true
      guard known else { throw IndexError("the indexed tree no longer exists") }
      func put(_ change: DocumentChange) throws {
        if journaled.contains(change.path) { touched.insert(change.path) }
        count += 1
        if count == IndexWriter.bulkCount { try index.deferIndexes() }
        if count % 512 == 0 {
          try environment.checkCancellation()
          report("reading documents", change.share, of: 100)
        }
        if let document = change.document {
          try index.put(document)
        } else if let path = DocumentPath(change.path) {
          try index.remove(path)
        }
      }
      if old == nil {
        try Repository.readingOnce {
          try pipelined(make: { areRefused = try changes(from: old, to: tree, $0) }, use: put)
        }
      } else {
        _ = try changes(from: old, to: tree, put)
      }
      try index.setTree((tree ?? Tree.emptyID).description)

      // The status of a file that could not be read: the next query tries again.
      let unread = "unreadable"
      var noLongerJournaled = Set(overlay.keys)
      for path in journal {
        let text = path.description
        noLongerJournaled.remove(text)
        let version = try fileVersion(text)
        if let version, overlay[text] == version, !touched.contains(text) { continue }
        let (bytes, isRead) = try readable(text)
        if !isRead, overlay[text] == unread, !touched.contains(text) { continue }
        try index.put(bytes, at: path)
        try index.setOverlay(path, status: (isRead ? version : nil) ?? unread)
      }
      // Committed in the meantime, or reverted by a tool other than cairn: read the work tree.
      for text in noLongerJournaled {
        try index.removeOverlay(text)
        guard let path = DocumentPath(text) else { continue }
        let (bytes, isRead) = try readable(text)
        try index.put(bytes, at: path)
        if !isRead { try index.setOverlay(path, status: unread) }
      }
    }
    // The disk may be read-only.
    if let areRefused { try? replica.noteCheckedPaths(areRefused: areRefused) }
    report("reading documents", 1, of: 1)
  }

  /// Calls `visit` for each document that differs between the indexed tree and the last commit's.
  ///
  /// - Returns: Whether one of the other files that differ cannot stay in the dataset.
  /// - Throws: ``IndexError`` when part of the indexed tree no longer exists.
  private func changes(
    from old: ObjectID?, to new: ObjectID?, _ visit: (DocumentChange) throws -> Void
  ) throws -> Bool {
    var (reader, areRefused) = (DocumentReader(), false)
    do {
      try replica.repository.diff(old, new) { difference in
        let (path, node) = (difference.path, difference.new)
        guard reader.isDocument(path), node?.mode != .submodule else {
          if node != nil, Replica.refusal(at: path) != nil { areRefused = true }
          return
        }
        let document = try node.flatMap {
          try replica.repository.withBlob($0.id) { reader.document($0, at: path) }
        }
        if document == nil, node != nil, Replica.refusal(at: path) != nil { areRefused = true }
        try visit(DocumentChange(path: path, document: document))
      }
    } catch {
      guard old != nil, let error = error as? GitError, error.code == .notFound else { throw error }
      throw IndexError(error.message)
    }
    return areRefused
  }

  /// Returns the current bytes of the document at `path`, nil if the path cannot hold a document; or
  /// the committed ones, if the file cannot be read now.
  private func readable(_ path: String) throws -> (bytes: [UInt8]?, isRead: Bool) {
    do {
      return (try replica.read(path), true)
    } catch let error as StoreError {
      switch error {
      case .invalidDocument, .unsafePath, .symbolicLink: return (nil, true)
      default: throw error
      }
    } catch let error as FileError where error.isOfOneFile {
      let head = try replica.repository.tree(ofCommit: replica.repository.head())
      return (try replica.repository.file(at: path, in: head), false)
    }
  }

  /// Returns a text that changes with the file at `path`; nil if its status cannot be read.
  private func fileVersion(_ path: String) throws -> String? {
    do {
      let location = try directory.location(path)
      guard let status = try directory.files.status(location) else { return "none" }
      return "\(status.modified) \(status.changed) \(status.size) \(status.inode)"
    } catch let error as FileError where error.isOfOneFile {
      return nil
    } catch is StoreError {
      // cairn does not follow its path.
      return nil
    }
  }
}

extension Dataset {
  /// Updates the resolutions, in an index that contains all documents.
  func resolve(_ index: DatasetIndex) throws {
    let manifest = try replica.manifest()
    let mailmap = try mailmapText()
    let fingerprint = Dataset.fingerprint(manifest, mailmap)
    if try index.read({ try $0.isResolved(fingerprint: fingerprint) }) { return }
    try index.write { index in
      var rules = try rules(from: index.reader)
      if rules.people == .dawidSkene {
        rules.consensus = try index.updateConsensus(rules) {
          ObjectID(hashing: .blob, $0.bytes).description
        }
      }
      try index.resolve(rules, fingerprint: fingerprint) {
        report("resolving labels", $0, of: $1)
      }
    }
    report("resolving labels", 1, of: 1)
  }

  /// Returns a fingerprint of the parts of the rules that are not in the index.
  private static func fingerprint(_ manifest: Manifest, _ mailmap: String) -> String {
    let thresholds = manifest.thresholds.sorted { $0.key < $1.key }
      .map { "\($0.key)=\($0.value.value?.value ?? -1)" }
    let text =
      ["\(manifest.people.value)", "\(manifest.threshold.value.value)"] + thresholds + [mailmap]
    return ObjectID(hashing: .blob, Array(text.joined(separator: "\n").utf8)).description
  }
}

/// A document that differs between a commit and the index.
private struct DocumentChange {
  let path: String
  /// The document now; nil if there is none, or none that is valid at this path.
  let document: Document?

  /// The approximate percentage of all documents that precede this one in path order.
  var share: Int {
    let isLabel = path.hasPrefix("labels/")
    guard isLabel || path.hasPrefix("photos/") else { return path.hasPrefix("classes/") ? 0 : 99 }
    let first = Int(Hex.number(path.dropFirst(7).prefix(2).utf8) ?? 0)
    return isLabel ? first * 75 / 256 : 75 + first * 25 / 256
  }
}
