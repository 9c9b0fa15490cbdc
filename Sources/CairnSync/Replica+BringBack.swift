internal import CairnDocument
internal import CairnFiles
internal import CairnGit
internal import CairnStore
internal import SystemPackage

// What was removed for good and is spoken of all the same comes back, as it was when it went.

extension Replica {
  /// Puts back what one side removed of photos that the merged tree still has labels of: a label
  /// without its photo would be lost from sight.
  func bringBackPhotos(
    among removed: [String: [UInt8]], in tree: ObjectID, writer: any ObjectWriter,
    report: inout MergeReport
  ) throws -> ObjectID {
    let photos = removed.keys.filter {
      if case .photo = DocumentPath($0) { true } else { false }
    }
    if photos.isEmpty { return tree }
    try writer.finish()
    let homeless = try photos.compactMap { path -> PhotoID? in
      guard case .photo(let id) = DocumentPath(path),
        try repository.node(at: path, in: tree) == nil,
        try repository.node(at: DocumentPath.labels(of: id), in: tree) != nil
      else { return nil }
      return id
    }
    if homeless.isEmpty { return tree }
    let wanted = Set(homeless)
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

  /// Puts back, not committed, what went of photos that labels here still speak of: those labels were
  /// not committed, so no merge has seen them.
  func bringBackPhotos(
    goneFrom old: ObjectID?, to new: ObjectID, session: EditSession, report: inout CheckoutReport
  ) throws {
    if report.removed.isEmpty { return }
    for photo in report.removed {
      let labels = DocumentPath.labels(of: photo)
      guard try world.files.list(directory.location(labels))?.isEmpty == false else { continue }
      var gone: [(path: DocumentPath, node: TreeNode)] = []
      for path in ["photos", "images"].map({ "\($0)/\(labels.dropFirst("labels/".count))" }) {
        for suffix in ["json"] + ImageFormat.allCases.map(\.fileExtension) {
          if let document = DocumentPath("\(path).\(suffix)"),
            let node = try repository.node(at: document.description, in: old)
          {
            gone.append((document, node))
          }
        }
      }
      try repository.forEachFile(in: old, below: labels) { path, node in
        if let document = DocumentPath(path) { gone.append((document, node)) }
      }
      try session.note(gone.map(\.path))
      for (document, node) in gone {
        let path = document.description
        guard try !world.files.exists(directory.location(path)) else { continue }
        _ = try place(node, at: path, document, report: &report)
      }
      report.broughtBack.append(photo)
    }
  }
}
