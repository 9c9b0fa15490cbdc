internal import CairnDocument
internal import CairnFiles
internal import CairnGit
internal import CairnStore
internal import SystemPackage

// A document that was removed but is still referred to is restored, in its last version.

extension Replica {
  /// Merges each document that one side removed, and the merged tree still has, with its last
  /// version.
  ///
  /// - Parameter dating: Returns a photo with a stamp of when it was added.
  func mergeLastVersions(
    _ removed: [String: [UInt8]], in tree: ObjectID, writer: any ObjectWriter,
    dating: (_ photo: [UInt8], DocumentPath, _ last: [UInt8]) throws -> [UInt8]
  ) throws -> ObjectID {
    if removed.isEmpty { return tree }
    try writer.finish()
    var changes: [Repository.TreeChange] = []
    for (path, last) in removed {
      guard let present = try repository.file(at: path, in: tree) else { continue }
      var version = present
      if let photo = DocumentPath(path), photo.kind == .photo {
        version = try dating(present, photo, last)
      }
      let merged = Replica.merged(version, last, path)
      if merged != present {
        changes.append((path, TreeNode(.file, try writer.write(.blob, merged))))
      }
    }
    return changes.isEmpty ? tree : try repository.edit(tree, changes, writer: writer)
  }

  /// Restores all that one side removed with a photo that the merged tree still refers to: a label
  /// without its photo would be invisible, and so would the labels of a restored photo.
  ///
  /// - Parameter latest: Returns the merge of a version with those that others removed.
  func restorePhotos(
    among removed: [String: [UInt8]], in tree: ObjectID, writer: any ObjectWriter,
    report: inout MergeReport, latest: (_ path: String, _ version: [UInt8]) throws -> [UInt8]
  ) throws -> ObjectID {
    let photos = removed.keys.filter {
      if case .photo = DocumentPath($0) { true } else { false }
    }
    if photos.isEmpty { return tree }
    try writer.finish()
    let wanted = try Set(
      photos.compactMap { path -> PhotoID? in
        guard case .photo(let id) = DocumentPath(path),
          try repository.hasFile(at: path, in: tree)
            || repository.node(at: DocumentPath.labels(of: id), in: tree) != nil
        else { return nil }
        return id
      })
    if wanted.isEmpty { return tree }
    var changes: [Repository.TreeChange] = []
    for (path, bytes) in removed {
      guard let id = DocumentPath(path)?.photo, wanted.contains(id),
        try !repository.hasFile(at: path, in: tree)
      else { continue }
      report.restored.append(path)
      changes.append((path, TreeNode(.file, try writer.write(.blob, latest(path, bytes)))))
    }
    report.restored.sort()
    return try repository.edit(tree, changes, writer: writer)
  }

  /// Returns the removed files that something in a tree still needs: the images of its photos, and
  /// everything that documents changed since `base` refer to.
  ///
  /// - Parameter removed: The last versions of the removed files.
  func restorable(
    _ removed: [String: [UInt8]], in tree: ObjectID, since base: ObjectID?
  ) throws -> [String: [UInt8]] {
    var missing: [DocumentPath: [UInt8]] = [:]
    for (text, bytes) in removed {
      guard let path = DocumentPath(text), path.kind != .label,
        try !repository.hasFile(at: text, in: tree)
      else { continue }
      missing[path] = bytes
    }
    var restored: [String: [UInt8]] = [:]
    func restore(_ path: DocumentPath) {
      guard let bytes = missing.removeValue(forKey: path) else { return }
      restored[path.description] = bytes
      (try? Document(bytes: bytes, at: path))?.references.forEach(restore)
    }
    for path in missing.keys {
      // Nobody can take back that something was erased.
      if path.kind?.isPermanent == true { restore(path) }
      guard case .image(let id, _) = path else { continue }
      let photo = DocumentPath.photo(id).description
      if try repository.hasFile(at: photo, in: tree) { restore(path) }
    }
    let kinds = Set(missing.keys.compactMap(\.kind))
    if kinds.isEmpty { return restored }
    try repository.diff(base, tree) { difference in
      guard let node = difference.new, let path = DocumentPath(difference.path) else { return }
      switch path {
      case .label(let photo, let name) where !kinds.contains(.run):
        restore(.photo(photo))
        restore(.class(name.classKey))
      case .label, .class, .photo:
        let document = try self.document(of: node, at: path)
        document?.references.forEach(restore)
      case .manifest, .pin, .run, .erasure, .redaction, .image, .model: break
      }
    }
    return restored
  }

  /// Restores documents that are missing from the last commit and that documents about to be
  /// committed refer to: a pull may have removed them after those were written. An edited photo may
  /// never have had its image here.
  ///
  /// - Parameter tree: The tree of the last commit.
  /// - Returns: The restored documents, to be committed with the changes.
  func restoreReferences(
    of changes: [WorkingChange], in tree: ObjectID?, upTo parent: ObjectID?
  ) throws -> [WorkingChange] {
    guard let parent else { return [] }
    var visited = Set(changes.map(\.path))
    var queue = changes.filter { $0.kind != .removed }
    var restored: [WorkingChange] = []
    while let change = queue.popLast() {
      guard change.path.kind != nil, let blob = change.blob,
        let document = try? Document(bytes: blob, at: change.path)
      else { continue }
      for path in document.references where visited.insert(path).inserted {
        let text = path.description
        if case .image = path, change.kind == .modified { continue }
        guard try !repository.hasFile(at: text, in: tree),
          let last = try referencedVersion(of: path, upTo: parent) ?? storedPointer(at: path, blob)
        else { continue }
        var status: IndexStatus?
        if isCheckedOut(text) {
          // It may be a merge of versions, which is not in the repository yet.
          let node = TreeNode(.file, try LooseObjectWriter(repository).write(.blob, last))
          var report = CheckoutReport()
          status = try place(node, at: text, path, report: &report).map(IndexStatus.init)
          if report.imagesMissing > 0 { try noteUnfetchedImages() }
        }
        restored.append(WorkingChange(path: path, kind: .added, blob: last, status: status))
        queue.append(restored[restored.count - 1])
      }
    }
    return restored
  }

  /// Returns the pointer to the image of a photo if its bytes are here, although its file is not.
  private func storedPointer(at path: DocumentPath, _ photo: [UInt8]) throws -> [UInt8]? {
    guard let pointer = Replica.pointer(toImageAt: path, of: photo),
      try directory.blobs.size(of: pointer.id) == pointer.size
    else { return nil }
    return pointer.bytes
  }

  /// Restores, without committing, the removed documents of photos that uncommitted labels or edits
  /// in this copy still refer to, and merges uncommitted documents with the last versions of those
  /// that others have removed: no merge has seen them.
  func restoreReferencedPhotos(
    removedFrom old: ObjectID?, to new: ObjectID, session: EditSession, report: inout CheckoutReport
  ) throws {
    let photos = try report.removed.filter { photo in
      let labels = try directory.location(DocumentPath.labels(of: photo))
      return try environment.files.exists(directory.location(DocumentPath.photo(photo).description))
        || environment.files.list(labels)?.isEmpty == false
    }
    let journaled = try directory.journaledPaths()
    if photos.isEmpty, report.edited.isEmpty, journaled.isEmpty { return }
    let tree = try repository.tree(ofCommit: old)
    // The side that removed the documents may have edited them before.
    let removed = try fixups(of: new, excluding: [old].compactMap { $0 }).removed
    for path in report.edited {
      guard let document = DocumentPath(path), let last = removed[path],
        let working = try directory.read(path)
      else { continue }
      let known = try repository.file(at: path, in: tree)
      let merged = Replica.merged(stampingEdits(working, since: known, session), last, path)
      try session.note([document])
      try directory.write(merged, to: path, durable: true)
      report.merged.append(path)
    }
    let after = try repository.commit(new).tree
    // Added here, perhaps restored by an earlier pull, and added and removed elsewhere.
    for document in journaled {
      let path = document.description
      guard document.kind != nil, let last = removed[path], let working = try directory.read(path),
        try !repository.hasFile(at: path, in: tree), try !repository.hasFile(at: path, in: after),
        let merged = merging(working, since: nil, with: last, at: document, session),
        merged != working
      else { continue }
      try directory.write(merged, to: path, durable: true)
      report.merged.append(path)
    }
    for photo in photos {
      let gone = try files(of: photo, in: tree)
      try session.note(gone.map(\.path))
      for (document, node) in gone {
        let path = document.description
        guard try !environment.files.exists(directory.location(path)) else { continue }
        if document.kind != nil, let last = removed[path] {
          let known = try repository.blob(node.id)
          try directory.write(Replica.merged(known, last, path), to: path, durable: true)
        } else {
          _ = try place(node, at: path, document, report: &report)
        }
      }
      try restoreUnknown(of: photo, among: removed, except: gone.map(\.path), session)
      report.restored.append(photo)
    }
  }

  /// Restores what others have both added to a photo and removed with it, which this copy has never
  /// had.
  private func restoreUnknown(
    of photo: PhotoID, among removed: [String: [UInt8]], except known: [DocumentPath],
    _ session: EditSession
  ) throws {
    for (text, last) in removed {
      guard let path = DocumentPath(text), path.kind != nil, path.photo == photo,
        !known.contains(path), try !environment.files.exists(directory.location(text))
      else { continue }
      try session.note([path])
      try directory.write(last, to: text, durable: true)
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
