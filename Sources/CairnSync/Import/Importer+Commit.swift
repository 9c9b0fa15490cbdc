internal import CairnDocument
internal import CairnGit

// Decisions that need all lines.

extension Importer {
  /// Leaves out labels without a photo, merges lines for the same document, counts the rest and
  /// creates the classes that they name.
  func consolidate() throws {
    try dropLabelsWithoutPhoto()
    try edit.deduplicate { path, ids in
      var versions = try ids.map { try content(of: $0) }
      var merged = versions.removeFirst()
      for version in versions { merged = Replica.merged(merged, version, path) }
      notify(merged, path)
      return segment.add(.blob, merged)
    }
    report.added = try count(where: { !$0.isChange })
    report.changed = try count(where: \.isChange)
    try createClasses()
    try writer.append(segment)
    segment.removeAll()
  }

  /// Leaves out new labels of photos that do not exist; those in the dataset may be imported again.
  private func dropLabelsWithoutPhoto() throws {
    // In path order, each directory is read once.
    let missing = Set(try labeled.subtracting(photos).sorted().filter { try !hasPhoto($0) })
    if missing.isEmpty { return }
    report.reportedAllDocuments = false
    try edit.removeAll { path, number in
      let tag = Tag(number)
      guard !tag.isChange, path.hasPrefix("labels/"),
        case .label(let photo, _)? = DocumentPath(path), missing.contains(photo)
      else { return false }
      report.note("there is no photo \(photo.short)…", line: tag.line)
      return true
    }
    classes = []
    try edit.forEach { path, _, number in
      guard !Tag(number).isChange, path.hasPrefix("labels/"),
        case .label(_, let name)? = DocumentPath(path)
      else { return }
      classes.insert(name.classKey)
    }
  }

  private func count(where isCounted: (Tag) -> Bool) throws -> [DocumentKind: Int] {
    var counts: [DocumentKind: Int] = [:]
    for (directory, count) in try edit.counts(where: { isCounted(Tag($0)) }) where count > 0 {
      if let kind = DocumentPath.kinds[directory] { counts[kind] = count }
    }
    return counts
  }

  private func createClasses() throws {
    for key in classes.subtracting(ownClasses).sorted()
    where try key != .favorite && !hasClass(key) {
      let labelClass = LabelClass(key: key, name: names.name(of: key))
      try set(DocumentPath.class(key).description, labelClass.canonicalBytes)
      onDocuments?([.class(labelClass)])
      report.created.append(key)
    }
  }

  private func content(of id: ObjectID) throws -> [UInt8] {
    try writer.content(of: id) ?? replica.repository.blob(id)
  }

  private func hasPhoto(_ id: PhotoID) throws -> Bool {
    try exists(DocumentPath.photo(id).description)
  }

  private func hasClass(_ key: ClassKey) throws -> Bool {
    try exists(DocumentPath.class(key).description)
  }

  private func exists(_ path: String) throws -> Bool {
    try overlay[path].map { $0 != nil }
      ?? Array(path.utf8).withUnsafeBufferPointer {
        try cursor.node(at: $0) != nil
      }
  }

  /// Writes the trees, after merging what was committed since lines were compared with ``base``:
  /// changes that were uncommitted then, and commits made with git meanwhile.
  ///
  /// - Parameter tree: The tree of the last commit now.
  func finish(on tree: ObjectID?) throws -> ObjectID {
    let repository = replica.repository
    if !overlay.isEmpty || tree != base { report.reportedAllDocuments = false }
    if tree != base {
      let since = try repository.diff(base, tree).compactMap { change in
        change.new.map { (change.path, $0.id) }
      }
      let committed = Dictionary(since) { $1 }
      try edit.replace { path, id in
        guard let other = committed[path] else { return nil }
        return segment.add(
          .blob, Replica.merged(try repository.blob(other), try content(of: id), path))
      }
      try writer.append(segment)
      segment.removeAll()
    }
    return try edit.finish(on: tree, of: repository, to: writer)
  }
}
