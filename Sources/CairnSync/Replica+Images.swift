internal import CairnDocument
internal import CairnFiles
internal import CairnGit
internal import CairnImages
internal import CairnStore
internal import CairnTransport
internal import SystemPackage

// Images travel before the commits that name them.

extension Replica {
  /// Whether a transfer brings images along: as it was asked to, else as this copy was made.
  func wantsImages(_ options: TransferOptions) -> Bool {
    options.images ?? ((try? repository.configuration(Replica.imagesKey)) != "none")
  }

  /// A copy that was made without images gets none by itself.
  static let imagesKey = "cairn.images"

  /// Returns the images that a commit has and the last one here has not.
  func newImages(in commit: ObjectID) throws -> [Pointer] {
    let trees = (
      try repository.tree(ofCommit: repository.head()), try repository.tree(ofCommit: commit)
    )
    var pointers: [Pointer] = []
    let entering = { (path: String, _: Bool) in path == "images" || path.hasPrefix("images/") }
    try repository.diff(trees.0, trees.1, entering: entering) { difference in
      guard difference.path.hasPrefix("images/"), let node = difference.new,
        try repository.size(of: node.id) < Pointer.sizeLimit,
        let pointer = Pointer(bytes: try repository.blob(node.id))
      else { return }
      pointers.append(pointer)
    }
    return pointers
  }

  /// Sends images that the remote lacks. What is neither here nor there, and not of the commit itself but
  /// of those before it, is left: no copy may have it any more.
  ///
  /// - Throws: Why not all are there now; the commit must not be pushed then.
  func sendImages(
    _ pointers: [Pointer], to remote: Remote, at commit: ObjectID, options: TransferOptions
  ) throws -> ImageReport {
    if pointers.isEmpty { return ImageReport() }
    let place = try remote.images(
      .upload, imageSettings(at: commit), branch: branch())
    let report = try transfer(with: place, options).send(pointers)
    if let failure = report.failure { throw failure.cause }
    if !report.missing.isEmpty {
      let missing = Set(report.missing.map(\.id))
      let needed = try committedImages(of: nil, at: commit).first {
        missing.contains($0.pointer.id)
      }
      if let needed { throw SyncError.imageNowhere(needed.pointer.id) }
    }
    return report
  }

  /// Brings images of a commit into the blob store. What cannot come is left for another time: documents
  /// are worth having without.
  func fetchImages(
    _ pointers: [Pointer], from remote: Remote, at commit: ObjectID, options: TransferOptions
  ) throws -> ImageArrival {
    let wanted = try pointers.filter { try directory.blobs.size(of: $0.id) != $0.size }
    if wanted.isEmpty { return ImageArrival() }
    do {
      let place = try remote.images(
        .download, imageSettings(at: commit), branch: branch())
      let report = try transfer(with: place, options).receive(wanted)
      var arrival = ImageArrival(
        moved: report.moved, bytes: report.bytes, left: wanted.count - report.moved)
      // A server that keeps no images has none to bring.
      if report.failure?.cause.kind != .takesNoImages { arrival.failure = report.failure?.cause }
      return arrival
    } catch let error as TransportError {
      let failure = error.kind == .takesNoImages ? nil : error
      return ImageArrival(left: wanted.count, failure: failure)
    } catch let error as SyncError {
      return ImageArrival(left: wanted.count, failure: error)
    }
  }

  func transfer(with place: any ImageRemote, _ options: TransferOptions) -> ImageTransfer {
    var settings = ImageTransfer.Options()
    settings.progress = options.imageProgress
    if let text = try? repository.configuration("lfs.concurrenttransfers"), let lines = Int(text) {
      settings.lines = min(max(1, lines), 64)
    }
    return ImageTransfer(place, directory.blobs, settings)
  }

  /// Takes images out of the work tree whose photos were being added when a process was cut short.
  func discardHalfAddedImages() throws {
    let tree = try repository.tree(ofCommit: repository.head())
    for path in try directory.journaledPaths() {
      guard case .image(let id, _) = path,
        try directory.read(DocumentPath.photo(id).description) == nil,
        try repository.node(at: path.description, in: tree) == nil
      else { continue }
      try directory.remove(path.description)
    }
  }

  /// Tells git's index that images of the last commit are in the work tree: git would take the
  /// change of size from pointer to image for a change of the file.
  public func indexImages(_ paths: [String]) throws {
    let tree = try repository.tree(ofCommit: repository.head())
    try updateIndex(
      try paths.compactMap { path in
        guard let node = try repository.node(at: path, in: tree),
          let status = try world.files.status(try directory.location(path))
        else { return nil }
        return IndexFile.Entry(path: path, node: node, status: IndexStatus(status))
      }, in: tree)
  }
}
