internal import CairnDocument
internal import CairnFiles
internal import CairnGit
internal import CairnIndex
internal import CairnStore
internal import CairnSync

extension Dataset {
  /// Brings the index up to date: by the difference between the tree it has read and the last
  /// commit's, and by the documents written since, of which only those are read whose files changed.
  func update(_ index: DatasetIndex) throws {
    let tree = try replica.repository.tree(ofCommit: replica.repository.head())
    let journal = try directory.journaledPaths().filter { $0.kind != nil }
    let isLevel = try index.read {
      try journal.isEmpty && $0.tree() == tree?.description && $0.overlay().isEmpty
    }
    if isLevel { return }

    let noted = Set(journal.map(\.description))
    try index.write { index in
      // Another process may have brought it up to date meanwhile.
      let (indexed, overlay) = (try index.reader.tree(), try index.reader.overlay())
      let old = indexed.flatMap { ObjectID($0) }
      if old == nil { try index.deferIndexes() }
      var (touched, count) = (Set<String>(), 0)
      let known = old.map { replica.repository.contains($0) || $0 == Tree.emptyID } ?? true
      guard known else { throw IndexError("the tree it has read is gone") }
      try diff(old, tree) { difference in
        guard let path = DocumentPath(difference.path), path.kind != nil else { return }
        if noted.contains(difference.path) { touched.insert(difference.path) }
        count += 1
        if count == IndexWriter.bulkCount { try index.deferIndexes() }
        if count % 512 == 0 { onProgress("reading documents", path.share, 100) }
        let bytes = try difference.new.map { try replica.repository.blob($0.id) }
        try index.put(bytes, at: path)
      }
      try index.setTree((tree ?? Tree.emptyID).description)

      var gone = Set(overlay.keys)
      for path in journal {
        let text = path.description
        gone.remove(text)
        let status = try directory.files.status(try directory.location(text))
        let fingerprint = status.map { "\($0.modified) \($0.size) \($0.inode)" } ?? "none"
        if overlay[text] == fingerprint, !touched.contains(text) { continue }
        try index.put(readable(text), at: path)
        try index.setOverlay(path, status: fingerprint)
      }
      // Committed meanwhile, or taken back by other means than cairn: the work tree tells.
      for text in gone {
        try index.removeOverlay(text)
        guard let path = DocumentPath(text) else { continue }
        try index.put(readable(text), at: path)
      }
    }
    onProgress("reading documents", 1, 1)
  }

  /// Calls `visit` for each file that differs between the tree that was read and the last commit's.
  ///
  /// - Throws: ``IndexError`` when a part of what was read is gone.
  private func diff(
    _ old: ObjectID?, _ new: ObjectID?, _ visit: (TreeDifference) throws -> Void
  ) throws {
    do {
      try replica.repository.diff(old, new, visit)
    } catch {
      guard old != nil, let error = error as? GitError, error.code == .notFound else { throw error }
      throw IndexError(error.message)
    }
  }

  /// Returns the bytes of the document at `path` as it is now; nil where what lies there cannot be one.
  private func readable(_ path: String) throws -> [UInt8]? {
    do {
      return try replica.read(path)
    } catch let error as StoreError {
      switch error {
      case .invalidDocument, .unsafePath, .symbolicLink: return nil
      default: throw error
      }
    }
  }
}

extension Dataset {
  /// Brings what stands up to date, in an index that knows all documents.
  func resolve(_ index: DatasetIndex) throws {
    let manifest = try replica.manifest()
    let mailmap = try mailmapText()
    let fingerprint = Dataset.fingerprint(manifest, mailmap)
    if try index.read({ try $0.isResolved(fingerprint: fingerprint) }) { return }
    try index.write { index in
      try index.resolve(try rules(from: index.reader), fingerprint: fingerprint) {
        onProgress("resolving labels", $0, $1)
      }
    }
    onProgress("resolving labels", 1, 1)
  }

  /// Tells rules from others by what does not stand in the index.
  private static func fingerprint(_ manifest: Manifest, _ mailmap: String) -> String {
    let thresholds = manifest.thresholds.sorted { $0.key < $1.key }
      .map { "\($0.key)=\($0.value.value?.value ?? -1)" }
    let text =
      ["\(manifest.people.value)", "\(manifest.threshold.value.value)"] + thresholds + [mailmap]
    return ObjectID(hashing: .blob, Array(text.joined(separator: "\n").utf8)).description
  }
}

extension DocumentPath {
  /// About how many hundredths of all documents come before this one, in the order of their paths.
  fileprivate var share: Int {
    guard let first = photo?.digest.first.map(Int.init) else { return kind == .class ? 0 : 99 }
    return kind == .label ? first * 75 / 256 : 75 + first * 25 / 256
  }
}
