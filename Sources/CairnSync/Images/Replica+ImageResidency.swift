public import CairnDocument
internal import CairnFiles
internal import CairnGit
internal import CairnImages
internal import CairnStore
internal import CairnTransport
internal import SystemPackage

// A copy need not have all images: some are only at a remote, and have pointers in the work tree. A
// marker file records that some are missing, so that other copies need not search for them at each
// pull. Images that were dropped on purpose stay away until they are requested.

/// The number of a dataset's images on this disk and elsewhere, and their bytes.
public struct ImageInventory: Equatable, Sendable {
  /// The number of images on this disk.
  public internal(set) var here = 0
  /// Their total size, in bytes.
  public internal(set) var bytesHere = 0
  /// The number of images that are not on this disk.
  public internal(set) var elsewhere = 0
  /// Their total size, in bytes.
  public internal(set) var bytesElsewhere = 0
  /// The number of images that were erased; they do not count as being elsewhere.
  public internal(set) var erased = 0
}

/// The number of a dataset's images, and which of them are not on this disk.
package struct ImageCount: Sendable {
  /// Changes with the images of the last commit and with the dropped ones.
  fileprivate var mark = ""
  /// The number of images of the last commit.
  package fileprivate(set) var total = 0
  fileprivate var missing: [Pointer] = []

  /// The number of images that are not on this disk.
  package var elsewhere: Int { missing.count }

  /// Creates a count of no images, to be updated.
  package init() {}

  fileprivate init(mark: String, total: Int, missing: [Pointer]) {
    (self.mark, self.total, self.missing) = (mark, total, missing)
  }
}

/// Which images of the last commit a remote has, and which other files of git-lfs.
public struct RemoteImageReport: Equatable, Sendable {
  /// The number of images and other files of git-lfs in the last commit.
  public internal(set) var images = 0
  /// Images that the remote does not have.
  public internal(set) var missing: [PhotoID] = []
  /// Images whose copies on the remote are damaged.
  public internal(set) var damaged: [PhotoID] = []
  /// Whether the content of the images was verified, not only that they are there.
  public internal(set) var isContentVerified = false

  /// Whether the remote has all images and, if their content was verified, all are intact.
  public var isComplete: Bool { missing.isEmpty && damaged.isEmpty }
}

extension Replica {
  /// Counts the images of the last commit, and those of photos that are not committed yet.
  ///
  /// - Parameter photos: Nil for all.
  package func imageInventory(of photos: Set<PhotoID>? = nil) throws -> ImageInventory {
    var (here, elsewhere): ([Pointer], [Pointer]) = ([], [])
    for image in try committedImages(of: photos) {
      if try isHere(image.pointer) {
        here.append(image.pointer)
      } else {
        elsewhere.append(image.pointer)
      }
    }
    var inventory = ImageInventory()
    (inventory.here, inventory.bytesHere) = (here.count, Pointer.totalSize(here))
    (inventory.elsewhere, inventory.bytesElsewhere) = (
      elsewhere.count, Pointer.totalSize(elsewhere)
    )
    inventory.erased = try erasedImages().count { photos?.contains($0) ?? true }
    for size in try uncommittedImages(of: photos) {
      inventory.here += 1
      inventory.bytesHere += size
    }
    return inventory
  }

  /// Returns the sizes of the images that are not committed yet.
  private func uncommittedImages(of photos: Set<PhotoID>?) throws -> [Int] {
    let tree = try repository.tree(ofCommit: repository.head())
    return try directory.journaledPaths().compactMap { path in
      guard let id = path.blob, photos?.contains(id) ?? true,
        try repository.node(at: path.description, in: tree) == nil
      else { return nil }
      return try directory.blobs.size(of: id)
    }
  }

  /// Counts the images of the last commit, again only if they have changed or some were dropped
  /// since the last call with the same count; otherwise it looks only for those that were missing.
  package func update(_ count: inout ImageCount) throws {
    let tree = try repository.tree(ofCommit: repository.head())
    let node = try repository.node(at: "images", in: tree)
    let dropped = try environment.files.status(droppedFile)
    let mark =
      "\(node?.id.description ?? "") \(dropped?.size ?? 0) \(dropped?.modified ?? 0) "
      + (try directory.blobs.erasedMark())
    if mark != count.mark {
      let pointers = try committedImages(of: nil).map(\.pointer)
      count = ImageCount(mark: mark, total: pointers.count, missing: pointers)
    }
    count.missing = try count.missing.filter { try !isHere($0) }
  }

  /// Fetches images of the last commit, including those that were dropped.
  ///
  /// - Parameter photos: Nil for all.
  package func fetchImages(
    of photos: Set<PhotoID>?, from remoteName: String? = nil
  ) throws -> ImageFetchReport {
    let images = try committedImages(of: photos)
    guard let head = try repository.head(), !images.isEmpty else { return ImageFetchReport() }
    return try fetchImages(images, from: remoteName, at: head)
  }

  private func fetchImages(
    _ images: [CommittedImage], from remoteName: String?, at head: ObjectID
  ) throws -> ImageFetchReport {
    let remote = try openRemote(remoteName).remote
    defer { remote.git.close() }
    let report = try fetchImages(images.map(\.pointer), from: remote, at: head)
    try editing("images fetch") { _ in
      try setDropped(try droppedImages().subtracting(images.map(\.pointer.id)))
      try placeImages(images)
    }
    return report
  }

  /// Fetches a model of the last commit.
  ///
  /// - Parameter limit: Its maximum size in bytes.
  /// - Returns: Nil when the last commit has no pointer to it, or says that it is larger.
  package func fetchModel(_ id: PhotoID, limit: Int) throws -> ImageFetchReport? {
    let path = DocumentPath.model(id).description
    guard let head = try repository.head(),
      let node = try repository.node(at: path, in: headTree())?.file,
      let pointer = try pointer(in: node), pointer.id == id, pointer.size <= limit
    else { return nil }
    return try fetchImages(
      [CommittedImage(path: path, node: node, pointer: pointer)], from: nil, at: head)
  }

  /// Pushes images of the last commit that the remote lacks, including those of earlier pushes.
  ///
  /// - Parameter repairing: Whether to verify the content of those that it has, and to replace the
  ///   damaged ones.
  /// - Returns: The number of images pushed, and their bytes.
  package func sendImages(
    of photos: Set<PhotoID>?, to remoteName: String? = nil, repairing: Bool = false
  ) throws -> (images: Int, bytes: Int) {
    guard let head = try repository.head() else { throw SyncError.nothingCommitted }
    let remote = try openRemote(remoteName, for: .pushing).remote
    defer { remote.git.close() }
    let images = try committedPointers(of: photos)
    var damaged: Set<PhotoID> = []
    if repairing {
      let store = try remote.images(.download, imageSettings(at: head), branch: branch())
      damaged = try verify(images, in: store).damaged
    }
    let sent = try sendImages(images, to: remote, replacing: damaged, at: head)
    if let lost = sent.missing.first { throw SyncError.missingImage(lost.id) }
    return (sent.transferred, sent.bytes)
  }

  /// Returns the number and size of the images of the last commit that are here and that a remote
  /// does not have.
  package func imagesToSend(
    of photos: Set<PhotoID>?, to remoteName: String? = nil
  ) throws -> (count: Int, bytes: Int) {
    guard try repository.head() != nil else { throw SyncError.nothingCommitted }
    let images = try committedPointers(of: photos).filter(isHere)
    let missing = try query(images, onRemote: remoteName, .upload).missing
    return (missing.count, Pointer.totalSize(missing))
  }

  /// Returns the number and size of the images of the last commit that are not here and that a remote
  /// has, and the number of those that it does not have.
  package func imagesToFetch(
    of photos: Set<PhotoID>?, from remoteName: String? = nil
  ) throws -> (images: Int, bytes: Int, missing: Int) {
    let images = try committedImages(of: photos).map(\.pointer).filter { try !isHere($0) }
    let found = try query(images, onRemote: remoteName, .download)
    return (found.known.count, Pointer.totalSize(found.known), found.missing.count)
  }

  /// Asks a remote which images it has.
  private func query(
    _ images: [Pointer], onRemote name: String?, _ direction: ImageDirection
  ) throws -> ImageReport {
    guard let head = try repository.head(), !images.isEmpty else { return ImageReport() }
    let remote = try openRemote(name, for: direction == .upload ? .pushing : .fetching).remote
    defer { remote.git.close() }
    let store = try remote.images(direction, imageSettings(at: head), branch: branch())
    let report = try transfer(with: store).check(images, for: direction)
    if let cause = report.cause { throw cause }
    return report
  }

  /// Returns which images of the last commit a remote has, and which other files of git-lfs.
  ///
  /// - Parameter readsContent: Whether to verify their content, too, which may cost a download.
  package func checkImages(
    onRemote remoteName: String? = nil, readsContent: Bool
  ) throws -> RemoteImageReport {
    let images = try committedPointers(of: nil)
    guard let head = try repository.head(), !images.isEmpty else { return RemoteImageReport() }
    let remote = try openRemote(remoteName).remote
    defer { remote.git.close() }
    let store = try remote.images(.download, imageSettings(at: head), branch: branch())
    let found: ImageReport
    if readsContent {
      found = try verify(images, in: store)
    } else {
      found = try transfer(with: store).check(images)
      if let cause = found.cause { throw cause }
    }
    return RemoteImageReport(
      images: images.count, missing: found.missing.map(\.id).sorted(),
      damaged: found.damaged.sorted(), isContentVerified: readsContent)
  }

  /// Verifies the content of a remote's images.
  ///
  /// - Throws: Why some could not be verified.
  func verify(_ images: [Pointer], in store: any ImageRemote) throws -> ImageReport {
    let report = try transfer(with: store).verify(images)
    if let cause = report.unverified { throw cause }
    return report
  }

  // MARK: Unfetched images

  private var unfetchedImagesFile: FilePath {
    directory.privateDirectory.appending("images-unfetched")
  }

  func noteUnfetchedImages() throws {
    if try environment.files.exists(unfetchedImagesFile) { return }
    try environment.files.create(unfetchedImagesFile, [])
  }

  /// Returns the images that pulls should have fetched; nil when there are none.
  func unfetchedImages() throws -> [CommittedImage]? {
    guard try environment.files.exists(unfetchedImagesFile) else { return nil }
    let dropped = try droppedImages()
    return try committedImages(of: nil).filter { !dropped.contains($0.pointer.id) }
  }

  /// Replaces the pointers of unfetched images with the images that a fetch got.
  func placeUnfetchedImages(_ fetched: Fetched) throws {
    try placeImages(fetched.unfetched)
    if fetched.hasFetchedAll { try environment.files.remove(unfetchedImagesFile) }
  }

  /// Replaces the pointers of the images that are on this disk with those images.
  private func placeImages(_ images: [CommittedImage]) throws {
    var placed: [String] = []
    for image in images where isCheckedOut(image.path) {
      guard try isHere(image.pointer) else { continue }
      let location = try directory.location(image.path)
      let size = try environment.files.status(location)?.size ?? 0
      // Replace only a pointer or a missing file, never an image that somebody changed.
      guard size < Pointer.sizeLimit,
        try size == 0 || Pointer(bytes: directory.read(image.path) ?? []) != nil
      else { continue }
      if try directory.placeImage(image.pointer.id, at: image.path) { placed.append(image.path) }
    }
    try indexImages(placed)
  }

  // MARK: The images of the last commit

  struct CommittedImage: Sendable {
    let path: String
    let node: TreeNode
    let pointer: Pointer
  }

  /// Returns the images of a commit, without the erased ones.
  ///
  /// - Parameters:
  ///   - photos: Nil for all.
  ///   - commit: Nil for the last one.
  ///   - path: A directory or a file; other ones than `images` have other files of git-lfs.
  func committedImages(
    of photos: Set<PhotoID>?, at commit: ObjectID? = nil, below path: String = "images"
  ) throws -> [CommittedImage] {
    var images: [CommittedImage] = []
    let erased = try erasedImages()
    let tree = try repository.tree(ofCommit: commit ?? repository.head())
    try repository.forEachFile(in: tree, below: path) { path, node in
      if let photos {
        guard let photo = DocumentPath(path)?.photo, photos.contains(photo) else { return }
      }
      guard node.mode != .submodule, try repository.size(of: node.id) < Pointer.sizeLimit,
        let pointer = Pointer(bytes: try repository.blob(node.id)), !erased.contains(pointer.id)
      else { return }
      images.append(CommittedImage(path: path, node: node, pointer: pointer))
    }
    return images
  }

  /// Returns the distinct pointers of the last commit, without the erased ones.
  ///
  /// - Parameter photos: The photos whose images are wanted; nil for everything that a push sends, which
  ///   includes other files that are stored with git-lfs.
  private func committedPointers(of photos: Set<PhotoID>?) throws -> [Pointer] {
    var images = try committedImages(of: photos)
    if photos == nil, let tree = try repository.tree(ofCommit: repository.head()) {
      for entry in try repository.tree(tree).entries
      where !DocumentPath.topLevel.contains(entry.name) {
        images += try committedImages(of: nil, below: entry.name)
      }
    }
    var seen: Set<PhotoID> = []
    return images.map(\.pointer).filter { seen.insert($0.id).inserted }
  }

  func isHere(_ pointer: Pointer) throws -> Bool {
    try directory.blobs.size(of: pointer.id) == pointer.size
  }
}
