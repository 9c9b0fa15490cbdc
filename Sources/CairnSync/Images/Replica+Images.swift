internal import CairnDocument
internal import CairnFiles
internal import CairnGit
internal import CairnImages
internal import CairnStore
internal import CairnTransport
internal import SystemPackage

// Images are transferred before the commits that refer to them.

extension Replica {
  /// Whether a transfer includes images: as requested, otherwise as this copy is configured.
  func wantsImages(_ options: TransferOptions) -> Bool {
    options.images ?? ((try? repository.configuration(Replica.imagesKey)) != "none")
  }

  /// The configuration key of a copy that was cloned without images, and fetches none by default.
  static let imagesKey = "cairn.images"

  /// Returns the images that a commit has and the last commit here does not.
  func newImages(in commit: ObjectID) throws -> [Pointer] {
    let trees = (
      try repository.tree(ofCommit: repository.head()), try repository.tree(ofCommit: commit)
    )
    var pointers: [Pointer] = []
    let entering = { (path: String, _: Bool) in path == "images" || path.hasPrefix("images/") }
    try repository.diff(trees.0, trees.1, entering: entering) { difference in
      guard difference.path.hasPrefix("images/"), let node = difference.new,
        node.mode != .submodule
      else { return }
      let path = DocumentPath(difference.path)
      var pointer: Pointer?
      if try repository.size(of: node.id) < Pointer.sizeLimit {
        pointer = Pointer(bytes: try repository.blob(node.id))
      }
      // A pointer that does not match its path is repaired by the merge.
      if let path, pointer?.id != path.blob {
        pointer = try self.pointer(toImageAt: path, in: trees.1)
      }
      guard let pointer else { return }
      pointers.append(pointer)
    }
    return pointers
  }

  /// Pushes images that the remote lacks. An image that is neither here nor there is skipped if
  /// only earlier commits refer to it, not `commit` itself: perhaps no copy has it any more.
  ///
  /// - Parameter damaged: Images to send although the remote has them.
  /// - Throws: The reason why some are still missing there; the commit must not be pushed then.
  func sendImages(
    _ pointers: [Pointer], to remote: Remote, replacing damaged: Set<PhotoID> = [],
    at commit: ObjectID
  ) throws -> ImageReport {
    let erased = try erasedImages()
    let pointers = pointers.filter { !erased.contains($0.id) }
    if pointers.isEmpty { return ImageReport() }
    let store = try remote.images(
      .upload, imageSettings(at: commit), branch: branch())
    let report = try transfer(with: store).send(pointers, replacing: damaged)
    if let cause = report.cause { throw cause }
    if !report.missing.isEmpty {
      let missing = Set(report.missing.map(\.id))
      let needed = try committedImages(of: nil, at: commit).first {
        missing.contains($0.pointer.id)
      }
      if let needed { throw SyncError.missingImage(needed.pointer.id) }
    }
    return report
  }

  /// Fetches images of a commit into the blob store. Those that cannot be fetched are left for
  /// later: documents are useful without them.
  func fetchImages(
    _ pointers: [Pointer], from remote: Remote, at commit: ObjectID
  ) throws -> ImageFetchReport {
    let erased = try erasedImages()
    let wanted = try pointers.filter {
      try !erased.contains($0.id) && directory.blobs.size(of: $0.id) != $0.size
    }
    if wanted.isEmpty { return ImageFetchReport() }
    do {
      let store = try remote.images(
        .download, imageSettings(at: commit), branch: branch())
      let report = try transfer(with: store).receive(wanted)
      var fetched = ImageFetchReport(
        transferred: report.transferred, bytes: report.bytes,
        left: wanted.count - report.transferred)
      // A server that stores no images has none to fetch.
      if report.cause?.kind != .noImageStore { fetched.failure = report.cause }
      return fetched
    } catch let error as TransportError {
      let failure = error.kind == .noImageStore ? nil : error
      return ImageFetchReport(left: wanted.count, failure: failure)
    } catch let error as SyncError {
      return ImageFetchReport(left: wanted.count, failure: error)
    }
  }

  /// - Throws: ``SyncError/invalidRate(key:_:)``.
  func transfer(with store: any ImageRemote) throws -> ImageTransfer {
    var settings = ImageTransfer.Options()
    settings.isCancelled = environment.isCancelled
    settings.progress = { [onProgress = environment.onProgress] images in
      onProgress(
        OperationProgress(
          images.direction == .upload ? "sending images" : "receiving images", images.images,
          of: images.totalImages,
          bytes: .init(completed: images.bytes, total: images.totalBytes)))
    }
    let connections = try? repository.configuration("lfs.concurrenttransfers")
    if let count = connections.flatMap(GitSettings.number) {
      settings.connections = min(max(1, count), 64)
    }
    settings.bytesPerSecond = try bytesPerSecond ?? configuredRate()
    return ImageTransfer(store, directory.blobs, settings)
  }

  /// The maximum rate of image transfers that git's configuration has, in bytes per second.
  private func configuredRate() throws -> Int? {
    let key = "cairn.bwlimit"
    guard let text = try repository.configuration(key), !text.isEmpty else { return nil }
    guard let rate = TransferRate.bytesPerSecond(text) else {
      throw SyncError.invalidRate(key: key, text)
    }
    return rate
  }

  /// Removes images from the work tree whose photos were being added when a process was interrupted,
  /// and models whose training was not recorded yet.
  func discardHalfAddedImages() throws {
    let tree = try repository.tree(ofCommit: repository.head())
    for path in try directory.journaledPaths() {
      guard let id = path.blob, try repository.node(at: path.description, in: tree) == nil
      else { continue }
      if case .model = path {
        if try hasRun(ofModel: id, in: tree) { continue }
      } else if try hasPhoto(id, in: tree) {
        continue
      }
      try directory.remove(path.description)
    }
  }

  /// Whether a run in the work tree or in `tree` names a model.
  private func hasRun(ofModel id: PhotoID, in tree: ObjectID?) throws -> Bool {
    func isNamed(in bytes: [UInt8]?) -> Bool {
      let run = bytes.flatMap { try? Run(bytes: $0) }
      return run?.members["parameters"]?["digest"]?.string == id.description
    }
    for path in try directory.journaledPaths() where path.kind == .run {
      if isNamed(in: try directory.read(path.description)) { return true }
    }
    var isFound = false
    try repository.forEachFile(in: tree, below: "runs") { _, node in
      if !isFound, node.mode != .submodule { isFound = isNamed(in: try repository.blob(node.id)) }
    }
    return isFound
  }

  /// Whether the document of a photo is in the work tree or in `tree`.
  func hasPhoto(_ id: PhotoID, in tree: @autoclosure () throws -> ObjectID?) throws -> Bool {
    let path = DocumentPath.photo(id).description
    return try environment.files.exists(directory.location(path))
      || repository.node(at: path, in: tree()) != nil
  }

  /// Records in git's index that images of the last commit are in the work tree: git would take the
  /// change of size from pointer to image for a change of the file.
  package func indexImages(_ paths: [String]) throws {
    let tree = try repository.tree(ofCommit: repository.head())
    try updateIndex(
      try paths.compactMap { path in
        guard let node = try repository.node(at: path, in: tree),
          let status = try environment.files.status(try directory.location(path))
        else { return nil }
        return IndexFile.Entry(path: path, node: node, status: IndexStatus(status))
      }, in: tree)
  }
}
