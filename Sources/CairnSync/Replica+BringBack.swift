internal import CairnDocument
internal import CairnFiles
internal import CairnGit
internal import CairnStore
internal import SystemPackage

// What was removed for good and is spoken of all the same comes back, as it was when it went.

extension Replica {
  /// Joins what one side removed, and the merged tree has all the same, with what was last said of it.
  func joinLastVersions(
    _ removed: [String: [UInt8]], in tree: ObjectID, writer: any ObjectWriter
  ) throws -> ObjectID {
    if removed.isEmpty { return tree }
    try writer.finish()
    var changes: [Repository.TreeChange] = []
    for (path, last) in removed {
      guard let present = try repository.file(at: path, in: tree) else { continue }
      let joined = Replica.joined(present, last, path)
      if joined != present {
        changes.append((path, TreeNode(.file, try writer.write(.blob, joined))))
      }
    }
    return changes.isEmpty ? tree : try repository.edit(tree, changes, writer: writer)
  }

  /// Puts back all that one side removed of photos that the merged tree still speaks of: a label
  /// without its photo would be lost from sight, and so would the labels of a photo that was restored.
  func bringBackPhotos(
    among removed: [String: [UInt8]], in tree: ObjectID, writer: any ObjectWriter,
    report: inout MergeReport
  ) throws -> ObjectID {
    let photos = removed.keys.filter {
      if case .photo = DocumentPath($0) { true } else { false }
    }
    if photos.isEmpty { return tree }
    try writer.finish()
    let wanted = try Set(
      photos.compactMap { path -> PhotoID? in
        guard case .photo(let id) = DocumentPath(path),
          try repository.node(at: path, in: tree) != nil
            || repository.node(at: DocumentPath.labels(of: id), in: tree) != nil
        else { return nil }
        return id
      })
    if wanted.isEmpty { return tree }
    var changes: [Repository.TreeChange] = []
    for (path, bytes) in removed {
      guard let id = DocumentPath(path)?.photo, wanted.contains(id),
        try repository.node(at: path, in: tree) == nil
      else { continue }
      report.broughtBack.append(path)
      changes.append((path, TreeNode(.file, try writer.write(.blob, bytes))))
    }
    report.broughtBack.sort()
    return try repository.edit(tree, changes, writer: writer)
  }

  /// Puts back the pins that one side removed and that photos changed on the other side name.
  func bringBackPins(
    among removed: [String: [UInt8]], in tree: ObjectID, since base: ObjectID?,
    writer: any ObjectWriter, report: inout MergeReport
  ) throws -> ObjectID {
    let pins = removed.keys.filter { DocumentPath($0)?.kind == .pin }
    if pins.isEmpty { return tree }
    try writer.finish()
    var wanted = Set<String>()
    try repository.diff(base, tree) { difference in
      guard let path = DocumentPath(difference.path), path.kind == .photo,
        let blob = difference.new, let photo = try? Photo(bytes: try repository.blob(blob.id)),
        let pin = photo.pin.value
      else { return }
      wanted.insert(DocumentPath.pin(pin).description)
    }
    var changes: [Repository.TreeChange] = []
    for path in pins where wanted.contains(path) {
      guard let bytes = removed[path], try repository.node(at: path, in: tree) == nil else {
        continue
      }
      report.broughtBack.append(path)
      changes.append((path, TreeNode(.file, try writer.write(.blob, bytes))))
    }
    return changes.isEmpty ? tree : try repository.edit(tree, changes, writer: writer)
  }

  /// Puts back, not committed, what went of photos that this copy still speaks of, in labels or edits
  /// that were not committed: no merge has seen those.
  func bringBack(
    goneFrom old: ObjectID?, to new: ObjectID, session: EditSession, report: inout CheckoutReport
  ) throws {
    let photos = try report.removed.filter { photo in
      let labels = try directory.location(DocumentPath.labels(of: photo))
      return try world.files.exists(directory.location(DocumentPath.photo(photo).description))
        || world.files.list(labels)?.isEmpty == false
    }
    if photos.isEmpty, report.edited.isEmpty { return }
    let tree = try repository.tree(ofCommit: old)
    // Those who removed them may have said more of them before they did.
    let removed = try amendments(of: new, excluding: [old].compactMap { $0 }).removed
    for path in report.edited {
      guard let document = DocumentPath(path), let last = removed[path],
        let working = try directory.read(path)
      else { continue }
      let known = try repository.node(at: path, in: tree).map { try repository.blob($0.id) }
      let joined = Replica.joined(stampingEdits(working, since: known, session), last, path)
      try session.note([document])
      try directory.write(joined, to: path, durable: true)
      report.joined.append(path)
    }
    for photo in photos {
      let gone = try files(of: photo, in: tree)
      try session.note(gone.map(\.path))
      for (document, node) in gone {
        let path = document.description
        guard try !world.files.exists(directory.location(path)) else { continue }
        if document.kind != nil, let last = removed[path] {
          let known = try repository.blob(node.id)
          try directory.write(Replica.joined(known, last, path), to: path, durable: true)
        } else {
          _ = try place(node, at: path, document, report: &report)
        }
      }
      report.broughtBack.append(photo)
    }
  }

  /// Returns the documents of a photo and its image.
  private func files(
    of photo: PhotoID, in tree: ObjectID?
  ) throws -> [(path: DocumentPath, node: TreeNode)] {
    let image = ImageFormat.allCases.map { DocumentPath.image(photo, $0) }
    var found = try ([.photo(photo)] + image).compactMap { path in
      try repository.node(at: path.description, in: tree).map { (path, $0) }
    }
    try repository.forEachFile(in: tree, below: DocumentPath.labels(of: photo)) { path, node in
      if let document = DocumentPath(path) { found.append((document, node)) }
    }
    return found
  }
}
