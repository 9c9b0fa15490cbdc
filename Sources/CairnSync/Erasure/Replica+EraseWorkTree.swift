internal import CairnDocument
internal import CairnFiles
internal import CairnGit
internal import CairnMerge
internal import CairnStore
internal import SystemPackage

// The files of the work tree that have facts that are known to be erased, committed or not.

extension Replica {
  /// Erases the facts from the files of the work tree, committed or not.
  ///
  /// - Returns: The changes of git's index.
  func eraseWorkTree(
    from old: ObjectID?, to new: ObjectID?, _ eraser: FactEraser, _ session: EditSession
  ) throws -> IndexFile.Changes {
    try eraseUncommitted(eraser, session)
    var changes = IndexFile.Changes()
    // git has checked nothing out yet.
    if try !hasIndex { return changes }
    let index = try repository.readIndex()
    try repository.diff(old, new) { difference in
      let path = difference.path
      guard let location = try directory.locationIfFollowed(path) else { return }
      var status: FileStatus?
      do {
        if let node = difference.new {
          if try environment.files.status(location) != nil {
            if try erase(path, node, eraser) { status = try environment.files.status(location) }
          } else if difference.old == nil, isCheckedOut(path) {
            var report = CheckoutReport()
            status = try place(node, at: path, DocumentPath(path), report: &report)
          }
        } else {
          try removeErased(path, eraser, session)
        }
      } catch let error as FileError where error.isPathOccupied {
        // Something else is in the way and stays.
      }
      guard index.hasOwnEntry(at: path, sparseCone) else { return }
      guard let node = difference.new else { return changes.removed.append(path) }
      var entry = IndexFile.Entry(
        path: path, node: node, status: status.map(IndexStatus.init) ?? .unknown)
      entry.isSkipped = status == nil && !isCheckedOut(path)
      changes.entries.append(entry)
    }
    // What is staged may have the facts. After a crash, this may be all that is left to do.
    let known = Set(changes.entries.map(\.path) + changes.removed)
    for path in try repository.stagedPaths(index, since: old)
    where !known.contains(path) && eraser.mayChange(path) {
      if let node = try repository.node(at: path, in: new)?.file {
        var entry = IndexFile.Entry(path: path, node: node, status: .unknown)
        entry.isSkipped = !isCheckedOut(path)
        changes.entries.append(entry)
      } else {
        changes.removed.append(path)
      }
    }
    return changes
  }

  /// Erases the facts from a file of the work tree.
  ///
  /// - Returns: Whether it then equals its committed version.
  private func erase(_ path: String, _ node: TreeNode, _ eraser: FactEraser) throws -> Bool {
    guard let bytes = try directory.readIfSmall(path) else { return false }
    let erased = eraser.erased(bytes, at: path) ?? []
    if erased != bytes {
      try directory.write(
        erased, to: path, executable: node.mode == .executable, durable: true)
    }
    return ObjectID(hashing: .blob, erased) == node.id
  }

  /// Removes a file that the rewritten commit lacks: a label of a photo without metadata, or one of an
  /// erased person, which has another name now.
  private func removeErased(
    _ path: String, _ eraser: FactEraser, _ session: EditSession
  ) throws {
    guard let document = DocumentPath(path), case .label(let photo, _) = document,
      !eraser.facts.metadata.contains(photo), let bytes = try directory.readIfSmall(path)
    else { return try removeFile(path) }
    try move(bytes, from: path, eraser, session)
  }

  /// Removes a file of the work tree, unless it is a directory.
  private func removeFile(_ path: String) throws {
    guard let status = try environment.files.status(directory.location(path)),
      status.kind != .directory
    else { return }
    try directory.remove(path)
  }

  /// Moves the label of an erased person to its new name, joined with what is there.
  private func move(
    _ bytes: [UInt8], from path: String, _ eraser: FactEraser, _ session: EditSession
  ) throws {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    if let (file, erased) = eraser.erasedLabel(bytes, named: name) {
      let target = String(path.dropLast(name.utf8.count)) + file
      if let document = DocumentPath(target) {
        let present = try readIfSmall(target)
        let merged = present.map { Replica.merged($0, erased, target) } ?? erased
        if merged != present {
          try session.note([document])
          try directory.write(merged, to: target, durable: true)
        }
      }
    }
    try directory.remove(path)
  }

  /// Returns the ids of the versions of documents with the facts in the work tree: of those that were
  /// edited since the last commit, and of photos with erased facts.
  func uncommittedVersions(_ eraser: FactEraser) throws -> Set<ObjectID> {
    var paths = Set(try directory.journaledPaths())
    paths.formUnion(eraser.facts.photos.map { .photo($0) })
    for photo in eraser.facts.metadata {
      let labels = DocumentPath.labels(of: photo)
      guard let location = try directory.locationIfFollowed(labels) else { continue }
      for name in try environment.files.list(location) ?? [] {
        if let path = DocumentPath("\(labels)/\(name)") { paths.insert(path) }
      }
    }
    var found: Set<ObjectID> = []
    for path in paths where path.kind != nil {
      guard let bytes = try directory.readIfSmall(path.description) else { continue }
      if eraser.erased(bytes, at: path.description) != bytes {
        found.insert(ObjectID(hashing: .blob, bytes))
      }
    }
    if let bytes = try uncommittedMailmap(eraser) {
      found.insert(ObjectID(hashing: .blob, bytes))
    }
    return found
  }

  private static let mailmap = ".mailmap"

  /// Returns the bytes of the mailmap in the work tree if it has the facts.
  func uncommittedMailmap(_ eraser: FactEraser) throws -> [UInt8]? {
    guard !eraser.facts.people.isEmpty, let bytes = try directory.readIfSmall(Replica.mailmap),
      eraser.erased(bytes, at: Replica.mailmap) != bytes
    else { return nil }
    return bytes
  }

  /// Erases the facts from documents, and the mailmap, that are not committed.
  private func eraseUncommitted(_ eraser: FactEraser, _ session: EditSession) throws {
    var paths = Set(try directory.journaledPaths())
    paths.formUnion(eraser.facts.photos.map { .photo($0) })
    for photo in eraser.facts.metadata {
      guard let labels = try directory.locationIfFollowed(DocumentPath.labels(of: photo)),
        try environment.files.status(labels) != nil
      else { continue }
      try environment.files.removeTree(labels)
      environment.files.removeEmptyDirectories(above: labels, upTo: directory.root)
    }
    for document in paths where document.kind != nil {
      let path = document.description
      guard let bytes = try directory.readIfSmall(path) else { continue }
      if case .label(let photo, let label) = document {
        if eraser.facts.metadata.contains(photo) {
          try removeFile(path)
        } else if eraser.erasedLabel(bytes, named: "\(label).json") != nil {
          try move(bytes, from: path, eraser, session)
        }
      } else if let erased = eraser.erased(bytes, at: path), erased != bytes {
        try directory.write(erased, to: path, durable: true)
      }
    }
    if let bytes = try uncommittedMailmap(eraser) {
      let status = try environment.files.status(directory.location(Replica.mailmap))
      try directory.write(
        eraser.erased(bytes, at: Replica.mailmap) ?? [], to: Replica.mailmap,
        executable: status?.isExecutable ?? false, durable: true)
    }
  }
}

extension FactEraser {
  /// Whether the document or mailmap at a path may have facts that are erased.
  func mayChange(_ path: String) -> Bool {
    if path == ".mailmap" { return !facts.people.isEmpty }
    guard let document = DocumentPath(path) else { return false }
    switch document.kind {
    case .photo: return document.photo.map { facts.photos.contains($0) } ?? false
    case .label:
      return !facts.people.isEmpty
        || document.photo.map { facts.metadata.contains($0) } ?? false
    case .run, .erasure, .redaction: return !facts.people.isEmpty
    case .dataset, .pin, .class, nil: return false
    }
  }

  /// Returns the bytes of a file at a path without the facts; nil if there must be no such file.
  func erased(_ bytes: [UInt8], at path: String) -> [UInt8]? {
    let document = DocumentPath(path)
    switch document?.kind {
    case .label:
      if let photo = document?.photo, facts.metadata.contains(photo) { return nil }
      let name = path.split(separator: "/").last.map(String.init) ?? path
      return erasedLabel(bytes, named: name)?.bytes ?? bytes
    case let kind:
      if path == ".mailmap" { return erasedMailmap(bytes) }
      return erased(bytes, as: kind, of: document?.photo)
    }
  }
}
