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
    let (indexed, overlay) = try index.read { (try $0.tree(), try $0.overlay()) }
    if indexed == tree?.description, overlay.isEmpty, journal.isEmpty { return }

    let old = indexed.flatMap { ObjectID($0) }
    try index.write { index in
      var touched = Set<String>()
      let known = old.map { replica.repository.contains($0) || $0 == Tree.emptyID } ?? true
      guard known else { throw IndexError("the tree it has read is gone") }
      try replica.repository.diff(old, tree) { difference in
        guard let path = DocumentPath(difference.path), path.kind != nil else { return }
        touched.insert(difference.path)
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
        try index.put(try? replica.read(text), at: path)
        try index.setOverlay(path, status: fingerprint)
      }
      // Committed meanwhile, or taken back by other means than cairn: the work tree tells.
      for text in gone {
        try index.removeOverlay(text)
        guard let path = DocumentPath(text) else { continue }
        try index.put(try? replica.read(text), at: path)
      }
    }
  }
}

extension IndexWriter {
  /// Puts the document in whose bytes these are; takes it out when there are none, or none that read.
  fileprivate func put(_ bytes: [UInt8]?, at path: DocumentPath) throws {
    if let bytes, let document = try? Document(bytes: bytes, at: path) {
      try put(document)
    } else {
      try remove(path)
    }
  }
}
