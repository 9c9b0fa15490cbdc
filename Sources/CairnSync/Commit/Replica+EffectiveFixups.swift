package import CairnDocument
internal import CairnFiles
internal import CairnGit
internal import CairnStore

// The effective changes of one side's commits: each edit with its fixup, and without damage that
// can only be a mistake: a pointer to another image, a manifest that does not parse, a document
// whose photo, class or image another tool removed.

extension Replica {
  /// Returns the effective changes of the commits reachable from `tip` and not from `known`,
  /// relative to the tip's tree.
  ///
  /// - Parameters:
  ///   - base: The tree that their changes are compared with; nil for all files.
  ///   - checksAllImages: Whether to check all images, even in a copy that has few of them.
  func effectiveFixups(
    of tip: ObjectID, excluding known: [ObjectID], since base: ObjectID?, readingNew: Bool = false,
    checksAllImages: Bool = false
  ) throws -> CommitFixups {
    var fixups = try fixups(of: tip, excluding: known, readingNew: readingNew)
    let tree = try repository.commit(tip).tree
    fixups.documents.merge(try refusals(in: tree, since: base).documents) { $1 }
    let (old, new) = (try repository.tree(base), try repository.tree(tree))
    // A copy without images checks only those that change.
    if base != nil || sparseCone == nil || checksAllImages {
      try repairPointers(
        of: tip, in: tree, from: old["images"]?.directory, to: new["images"]?.directory,
        checksAllImages: checksAllImages, &fixups)
    }
    let path = DocumentPath.manifest.description
    let manifest = new[path]?.file
    if manifest == nil || manifest != old[path] {
      try repairManifest(of: tip, manifest, &fixups)
    }
    try correctPointers(in: &fixups, tree)
    if fixups.removed.isEmpty { return fixups }
    let writer = AdaptiveObjectWriter(repository)
    let effective = try apply(fixups, to: tree, writer: writer)
    try writer.finish()
    for (path, bytes) in try restorable(fixups.removed, in: effective, since: base) {
      fixups.documents[path] = (bytes, .restored)
      fixups.removed[path] = nil
    }
    return fixups
  }

  // MARK: Pointers

  /// Repairs files below `images/` that are not a pointer to the image or model that their path
  /// names.
  ///
  /// - Parameter checksAllImages: Whether a model on this disk decides its size: a merge must not depend
  ///   on it.
  private func repairPointers(
    of tip: ObjectID, in tree: ObjectID, from old: TreeNode?, to new: TreeNode?,
    checksAllImages: Bool,
    _ fixups: inout CommitFixups
  ) throws {
    let repaired = fixups.documents
    func expected(at path: DocumentPath) throws -> Pointer? {
      // The photo may have been damaged together with its image.
      let photo = path.photo.flatMap { repaired[DocumentPath.photo($0).description]?.bytes }
      return try photo.map { Replica.pointer(toImageAt: path, of: $0) }
        ?? self.pointer(toImageAt: path, in: tree)
        ?? (checksAllImages ? pointer(toModelAt: path) : nil)
    }
    try repository.diff(old?.id, new?.id) { difference in
      let text = "images/" + difference.path
      guard let path = DocumentPath(text), let id = path.blob,
        let node = difference.new, node.mode != .submodule
      else { return }
      let found = try pointer(in: node)
      // The size must match, too: it shows whether the image is here. A new pointer is trusted.
      let size =
        difference.old == nil && !checksAllImages
        ? nil : try expected(at: path)?.size
      if let found, found.id == id, size ?? found.size == found.size {
        if node.mode != .file {
          fixups.documents[text] = (try repository.blob(node.id), .canonicalized)
        }
      } else if found == nil, let pointer = try storeImage(node, id) {
        fixups.documents[text] = (pointer.bytes, .converted)
      } else if let old = difference.old, let pointer = try pointer(in: old), pointer.id == id,
        size ?? pointer.size == pointer.size
      {
        fixups.documents[text] = (try repository.blob(old.id), .pointer)
      } else if let pointer = try expected(at: path) {
        fixups.documents[text] = (pointer.bytes, .pointer)
      } else if found?.id != id, case .model = path,
        let last = try lastVersion(of: path, upTo: tip)
      {
        fixups.documents[text] = (last, .pointer)
      }
    }
  }

  /// Replaces the earlier versions of pointers that are restored, or that would be, by those that
  /// belong there: a pointer may have been changed before.
  private func correctPointers(in fixups: inout CommitFixups, _ tree: ObjectID) throws {
    let restored = fixups.documents.compactMap { $1.reason == .pointer ? $0 : nil }
    for text in restored + fixups.removed.keys where text.hasPrefix("images/") {
      guard let path = DocumentPath(text), let id = path.photo else { continue }
      let photo = DocumentPath.photo(id).description
      let document =
        try fixups.documents[photo].map(\.bytes) ?? repository.file(at: photo, in: tree)
        ?? fixups.removed[photo]
      guard let bytes = document.flatMap({ Replica.pointer(toImageAt: path, of: $0)?.bytes })
      else { continue }
      if fixups.removed[text] != nil {
        fixups.removed[text] = bytes
      } else {
        let isThere = try repository.file(at: text, in: tree) == bytes
        fixups.documents[text] = isThere ? nil : (bytes, .pointer)
      }
    }
  }

  /// Returns the pointer that a file holds; nil if it holds something else.
  func pointer(in node: TreeNode) throws -> Pointer? {
    guard node.mode != .submodule, try repository.size(of: node.id) < Pointer.sizeLimit
    else { return nil }
    return Pointer(bytes: try repository.blob(node.id))
  }

  /// The size limit, in bytes, of an image that is taken out of git's objects, which git reads
  /// whole.
  private static let imageSizeLimit = 1 << 28

  /// Puts an image or a model that was committed without a filter into the blob store.
  ///
  /// - Returns: Nil when its bytes do not match `id`.
  func storeImage(_ node: TreeNode, _ id: PhotoID) throws -> Pointer? {
    guard try repository.size(of: node.id) <= Replica.imageSizeLimit else { return nil }
    var rest: [UInt8]? = try repository.blob(node.id)
    let staged = try directory.blobs.stage {
      defer { rest = nil }
      return rest
    }
    guard staged.id == id else {
      directory.blobs.discard(staged)
      return nil
    }
    if try isErased(id) {
      directory.blobs.discard(staged)
    } else {
      try directory.blobs.install(staged)
    }
    return Pointer(id: id, size: staged.size)
  }

  /// Returns the pointer that belongs at the path of an image, according to its photo; nil when the
  /// photo does not exist.
  func pointer(toImageAt path: DocumentPath, in tree: ObjectID?) throws -> Pointer? {
    guard let id = path.photo else { return nil }
    return try repository.file(at: DocumentPath.photo(id).description, in: tree)
      .flatMap { Replica.pointer(toImageAt: path, of: $0) }
  }

  /// Returns the pointer to a model that is on this disk, intact: no document has its size.
  private func pointer(toModelAt path: DocumentPath) throws -> Pointer? {
    guard case .model(let id) = path, try directory.blobs.isIntact(id) == true else { return nil }
    return try directory.blobs.size(of: id).map { Pointer(id: id, size: $0) }
  }

  /// - Parameter bytes: The document of the photo.
  static func pointer(toImageAt path: DocumentPath, of bytes: [UInt8]) -> Pointer? {
    guard case .image(let id, let format) = path, let photo = try? Photo(bytes: bytes),
      photo.image.format == format
    else { return nil }
    return Pointer(id: id, size: photo.image.bytes)
  }

  /// Whether the last commit has anything other than the right pointer at the path of an image.
  package func isCommittedPointerWrong(at path: DocumentPath) throws -> Bool {
    let tree = try headTree()
    guard let node = try repository.node(at: path.description, in: tree), !node.isDirectory,
      node.mode != .submodule
    else { return false }
    guard let found = try pointer(in: node), found.id == path.blob else { return true }
    return try (pointer(toImageAt: path, in: tree) ?? pointer(toModelAt: path))
      .map { $0 != found } ?? false
  }

  // MARK: The manifest

  /// Restores the last manifest that parses if commits have left none.
  ///
  /// - Parameter node: The manifest in the tip's tree; nil if there is none, or a directory.
  private func repairManifest(
    of tip: ObjectID, _ node: TreeNode?, _ fixups: inout CommitFixups
  ) throws {
    let path = DocumentPath.manifest.description
    let fixup = fixups.documents[path]?.bytes
    guard let error = Replica.manifestError(try fixup ?? node.map(bytes(of:))),
      error.kind != .newerFormat, let valid = try lastManifest(upTo: tip)
    else { return }
    fixups.documents[path] = (valid, node == nil ? .restored : .repaired(error))
  }

  /// Returns why bytes are not a manifest; nil if they are one.
  static func manifestError(_ bytes: [UInt8]?) -> DocumentError? {
    guard let bytes else { return DocumentError(.schema, "there is no manifest") }
    do throws(DocumentError) {
      _ = try Manifest(bytes: bytes)
      return nil
    } catch { return error }
  }
}
