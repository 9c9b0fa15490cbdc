package import CairnDocument
internal import CairnFiles
internal import CairnGit
package import CairnStore
internal import SystemPackage

// An erasure is a document, so it reaches every copy. Each copy puts the image on the list of its
// blob store as soon as it has fetched the erasure, deletes the bytes, and asks the image stores of
// its remotes to delete theirs.

extension Replica {
  private static let erasureDirectory = "erasures"

  /// Returns the erasure of a photo's image; nil if it was not erased.
  package func erasure(of photo: PhotoID) throws -> Erasure? {
    guard try isErased(photo), case .erasure(let erasure)? = try document(at: .erasure(photo))
    else {
      return nil
    }
    return erasure
  }

  /// Whether the image of a photo was erased, as far as this copy knows.
  package func isErased(_ photo: PhotoID) throws -> Bool {
    if try directory.blobs.isErased(photo) { return true }
    // A commit that git fetched is on no list yet.
    return try repository.node(at: DocumentPath.erasure(photo).description, in: headTree()) != nil
  }

  /// Returns the photos whose images were erased, as far as this copy knows.
  package func erasedImages() throws -> Set<PhotoID> {
    try directory.blobs.erasedBlobs().union(erasures(in: headTree()))
  }

  /// Returns all erasures of the last commit.
  package func erasures() throws -> [Erasure] { try erasures(of: repository.head()) }

  /// Returns all erasures of a commit.
  func erasures(of commit: ObjectID?) throws -> [Erasure] {
    let tree = try repository.tree(ofCommit: commit)
    return try erasures(in: tree).sorted().compactMap { try erasure($0, in: tree) }
  }

  /// Returns an erasure in a tree; nil if there is none, or it is invalid.
  private func erasure(_ photo: PhotoID, in tree: ObjectID?) throws -> Erasure? {
    let path = DocumentPath.erasure(photo)
    let bytes = try repository.file(at: path.description, in: tree)
    guard case .erasure(let erasure)? = bytes.flatMap({ try? Document(bytes: $0, at: path) })
    else { return nil }
    return erasure
  }

  private func erasures(in tree: ObjectID?) throws -> Set<PhotoID> {
    guard let node = try repository.node(at: Replica.erasureDirectory, in: tree), node.isDirectory
    else { return [] }
    return try erasures(in: tree, below: node)
  }

  private func erasures(in tree: ObjectID?, below node: TreeNode) throws -> Set<PhotoID> {
    if let known = erasureTree, known.id == node.id { return known.photos }
    var photos: Set<PhotoID> = []
    try repository.forEachFile(in: tree, below: Replica.erasureDirectory) { path, _ in
      if case .erasure(let photo)? = DocumentPath(path) { photos.insert(photo) }
    }
    erasureTree = (node.id, photos)
    return photos
  }

  /// Makes the blob store refuse the images that were erased in a commit, and notes the facts that
  /// were.
  func noteErasures(in commit: ObjectID?) throws {
    let tree = try repository.tree(ofCommit: commit)
    let node = try repository.node(at: Replica.erasureDirectory, in: tree)?.directory
    try directory.blobs.refuse(node.map { try erasures(in: tree, below: $0) } ?? [])
    if let node { try noteErasedFacts(below: node) }
  }

  // MARK: This copy

  /// The file with the photos whose images were deleted here, one a line.
  private var erasedHereFile: FilePath { directory.privateDirectory.appending("erased") }

  /// Deletes the bytes of all erased images, and everything derived from them, and notes it in
  /// ``deletedImages``.
  ///
  /// - Parameter again: Photos to look for again, although they were deleted here before.
  func deleteErasedImages(again: Set<PhotoID> = [], session: EditSession) throws {
    try noteErasures(in: repository.head())
    let (blobs, files) = (directory.blobs, environment.files)
    let erased = try blobs.erasedBlobs()
    if erased.isEmpty { return }
    let done = Set(
      String(decoding: try files.read(erasedHereFile) ?? [], as: UTF8.self)
        .split(separator: "\n").compactMap { PhotoID(String($0)) })
    // Other tools may have brought an image back.
    let photos = try erased.filter {
      try !done.contains($0) || again.contains($0) || files.exists(blobs.path(of: $0))
    }
    if photos.isEmpty { return }
    try onErase(photos)
    var changed: [String] = []
    var pointers: [String] = []
    var deleted: Set<PhotoID> = []
    var unsure: Set<PhotoID> = []
    for photo in photos {
      var size: Int?
      do {
        size = try recordedSize(of: photo)
      } catch let error where error is FileError || error is StoreError {
        // Without it, copies under other names are not found: the next session looks again.
        unsure.insert(photo)
      }
      let (known, isThere) = (
        pointers.count, try !blobs.remains(of: photo, size: size ?? 0).isEmpty
      )
      try replaceWorkFiles(of: photo, size: size, &pointers, &changed)
      try blobs.erase(photo, size: size ?? 0)
      if !done.contains(photo) || isThere || pointers.count > known { deleted.insert(photo) }
    }
    try indexImages(pointers)
    let lines = erased.union(done).subtracting(unsure).map { "\($0)\n" }.sorted().joined()
    try files.write(
      Array(lines.utf8), to: erasedHereFile, temporary: FilePath("\(erasedHereFile).new"),
      durable: true)
    deletedImages.photos.formUnion(deleted)
    deletedImages.changed.formUnion(changed)
  }

  /// Returns what was deleted here since the last call.
  func takeDeletedImages() -> (photos: [PhotoID], changed: [String]) {
    defer { deletedImages = ([], []) }
    return (deletedImages.photos.sorted(), deletedImages.changed.sorted())
  }

  /// Returns the size of an image in bytes, according to the documents; nil if none tells.
  private func recordedSize(of photo: PhotoID) throws -> Int? {
    if case .erasure(let erasure)? = try documentIfValid(at: .erasure(photo)) {
      return erasure.bytes
    }
    if case .photo(let photo)? = try documentIfValid(at: .photo(photo)) { return photo.image.bytes }
    return nil
  }

  private func documentIfValid(at path: DocumentPath) throws -> Document? {
    do {
      return try document(at: path)
    } catch StoreError.invalidDocument {
      return nil
    }
  }

  /// Returns the size of an image in bytes, also of a photo that was pruned; nil if there is no version of the
  /// photo.
  package func imageSize(of photo: PhotoID) throws -> Int? {
    try recordedSize(of: photo) ?? lastVersion(of: photo)?.image.bytes
  }

  /// Returns the document of a photo or, if that was pruned, its last version in the history; nil if there
  /// was none.
  package func lastVersion(of photo: PhotoID) throws -> Photo? {
    if case .photo(let photo)? = try documentIfValid(at: .photo(photo)) { return photo }
    return try lastVersions(of: [photo])[photo]
  }

  /// Returns the last versions of photos in the history, of those that it has as far as it is here.
  private func lastVersions(of photos: Set<PhotoID>) throws -> [PhotoID: Photo] {
    var open = photos.subtracting(formerPhotos.keys)
    if let head = try repository.head(), !open.isEmpty, !repository.isShallow {
      try repository.walk(from: [head]) { commit in
        let tree = try repository.commit(commit).tree
        for id in open {
          let path = DocumentPath.photo(id)
          let bytes = try repository.file(at: path.description, in: tree)
          if case .photo(let photo)? = bytes.flatMap({ try? Document(bytes: $0, at: path) }) {
            formerPhotos[id] = photo
            open.remove(id)
          }
        }
        return !open.isEmpty
      }
    }
    return formerPhotos.filter { photos.contains($0.key) }
  }

  /// Returns the photos whose ids begin with some digits and whose image is erased, or here while the
  /// history has a document of it. With all digits, the image need not be here.
  ///
  /// - Parameter prefix: At least 4 digits.
  package func formerPhotos(startingWith prefix: String) throws -> [PhotoID] {
    let erased = try erasedImages().filter { $0.description.hasPrefix(prefix) }
    // The store also has models, and files that are no photos.
    var candidates = Set(try directory.blobs.ids(startingWith: prefix))
    if let id = PhotoID(prefix) { candidates.insert(id) }
    return try erased.union(lastVersions(of: candidates.subtracting(erased)).keys).sorted()
  }

  /// Replaces the image of a photo in the work tree by its pointer.
  private func replaceWorkFiles(
    of photo: PhotoID, size: Int?, _ pointers: inout [String], _ changed: inout [String]
  ) throws {
    let paths = ImageFormat.allCases.map { DocumentPath.image(photo, $0) } + [.model(photo)]
    for path in paths.map(\.description) {
      let location = try directory.location(path)
      guard let status = try environment.files.status(location), status.kind == .regular else {
        continue
      }
      if status.size < Pointer.sizeLimit, Pointer(bytes: try directory.read(path) ?? []) != nil {
        continue
      }
      guard try BlobStore.hash(location, files: environment.files) == photo else {
        changed.append(path)
        continue
      }
      try directory.write(Pointer(id: photo, size: size ?? Int(status.size)).bytes, to: path)
      pointers.append(path)
    }
  }

  // MARK: Records

  /// Records that images are erased, and deletes them from this copy.
  ///
  /// - Parameters:
  ///   - reason: The reason; nil only if all of them were erased before.
  package func erase(
    _ photos: [PhotoID], reason: String?, session: EditSession
  ) throws -> ErasureReport {
    var report = ErasureReport()
    _ = try repairLocally(session)
    if try repository.head() == nil { try commit(session: session) }
    var new: [Erasure] = []
    for id in Set(photos).sorted() where try erasure(of: id) == nil {
      guard let reason, let bytes = try imageSize(of: id) else { continue }
      new.append(
        Erasure(
          id, bytes: bytes, by: try person(), reason: reason, stamp: session.stamp()))
    }
    report.recorded = new.map(\.photo)
    // From now on, nothing takes them in, even if this process is killed.
    try directory.blobs.refuse(Set(report.recorded))
    if !new.isEmpty {
      try commit(
        new.map { .erasure($0) }, on: branch(), message: Replica.erasureSummary(new),
        session: session)
    }
    try deleteErasedImages(again: Set(photos), session: session)
    // The person who erases them may be erased, too.
    rewriteHistoryIfPossible(session)
    (report.photos, report.changed) = takeDeletedImages()
    return report
  }

  private static func erasureSummary(_ erasures: [Erasure]) -> String {
    let images =
      erasures.count == 1
      ? "the image of photo \(erasures[0].photo.short)" : "\(erasures.count) images"
    return "Erase \(images)"
  }

  /// Records on a branch what image stores have done.
  func record(
    _ stores: [ErasureStoreReport], on branch: String, session: EditSession
  ) throws {
    let tree = try repository.tree(ofCommit: repository.reference(branch))
    var changed: [PhotoID: Erasure] = [:]
    for store in stores {
      for (photos, state) in [(store.erased, Erasure.StoreState.erased), (store.kept, .kept)] {
        for photo in photos {
          guard var erasure = try changed[photo] ?? self.erasure(photo, in: tree) else { continue }
          let previous = erasure.stores[store.address]
          if previous?.value == state { continue }
          erasure.record(
            state, ofStore: store.address, stamp: session.stamp(replacing: previous?.stamp))
          changed[photo] = erasure
        }
      }
    }
    let summary =
      "Record which image stores erased \(changed.count == 1 ? "an image" : "\(changed.count) images")"
    try commit(
      changed.values.sorted { $0.photo < $1.photo }.map { .erasure($0) }, on: branch,
      message: summary, session: session)
  }

  /// Commits records of erasures to a branch, and nothing else of the work tree.
  func commit(
    _ records: [Document], on branch: String, message: String, session: EditSession
  ) throws {
    if records.isEmpty { return }
    try leaveOutRefusedPaths(
      session, changing: records.map(\.path.description) + [GitAttributes.path])
    guard let head = try repository.reference(branch) else { return }
    let old = try repository.commit(head).tree
    let writer = AdaptiveObjectWriter(repository)
    var changes = try records.map { record -> Repository.TreeChange in
      (record.path.description, TreeNode(.file, try writer.write(.blob, record.canonicalBytes)))
    }
    let attributes = GitAttributes.addingErasures(
      to: try repository.file(at: GitAttributes.path, in: old) ?? [])
    changes.append((GitAttributes.path, TreeNode(.file, try writer.write(.blob, attributes))))
    let tree = try repository.edit(old, changes, writer: writer)
    let commit = try writer.write(
      Commit(
        tree: tree, parents: [head], author: try recorder(author),
        committer: try recorder(committer), message: message))
    try writer.finish()
    let reason = "erase: \(message)"
    if try repository.headBranch() == branch {
      _ = try checkOut(commit, from: head, reason: reason, session: session)
    } else {
      try repository.moveReference(
        branch, from: head, to: commit, log: (try recorder(committer), reason))
    }
  }

  /// Returns the current user's signature; cairn's if git has no name or email address, so that a
  /// pull can record what stores did.
  private func recorder(_ signature: () throws -> Signature) throws -> Signature {
    do {
      return try signature()
    } catch SyncError.noIdentity {
      return Replica.signature(time: environment.now() / 1000)
    }
  }
}
