public import CairnDocument
internal import CairnFiles
internal import CairnGit
internal import CairnImages
internal import CairnStore
internal import CairnTransport
internal import SystemPackage

/// The result of dropping images.
public struct ImageDropReport: Equatable, Sendable {
  /// The number of images that were deleted from this disk.
  public internal(set) var dropped = 0
  /// The bytes that were freed.
  public internal(set) var bytes = 0
  /// Images that were kept because the remote does not have them.
  public internal(set) var notOnRemote: [PhotoID] = []
  /// Images that were kept because the remote's copies are damaged.
  public internal(set) var damaged: [PhotoID] = []
  /// Files that were kept because somebody has changed them.
  public internal(set) var changed: [String] = []
}

extension Replica {
  /// Removes images from this disk that a remote, asked at this moment, confirms to have, and whose
  /// content there is verified: by a checksum that it keeps, or by reading it.
  ///
  /// - Parameters:
  ///   - photos: Nil for all.
  ///   - trustsSize: Whether it is enough that the remote has a file of the right size.
  package func dropImages(
    of photos: Set<PhotoID>?, onRemote remoteName: String? = nil, trustsSize: Bool = false
  ) throws -> ImageDropReport {
    let images = try committedImages(of: photos).filter { try isHere($0.pointer) }
    var report = ImageDropReport()
    guard let head = try repository.head(), !images.isEmpty else { return report }
    let remote = try openRemote(remoteName).remote
    defer { remote.git.close() }
    let store = try remote.images(.download, imageSettings(at: head), branch: branch())
    try checkIsElsewhere(store)
    let pointers = images.map(\.pointer)
    let found: ImageReport
    if trustsSize {
      found = try transfer(with: store).check(pointers)
      if let cause = found.cause { throw cause }
    } else {
      found = try verify(pointers, in: store)
    }
    let missing = Set(found.missing.map(\.id))
    report.notOnRemote = pointers.map(\.id).filter(missing.contains)
    report.damaged = found.damaged.sorted()
    let kept = missing.union(report.damaged)
    try editing("images drop") { _ in
      try drop(images.filter { !kept.contains($0.pointer.id) }, &report)
    }
    return report
  }

  private func drop(_ images: [CommittedImage], _ report: inout ImageDropReport) throws {
    // Record the drop first: a crash after that loses no image.
    try setDropped(try droppedImages().union(images.map(\.pointer.id)))
    let index = try repository.readIndex()
    var pointers: [String] = []
    for image in images {
      if try isCheckedOut(image.path) && environment.files.exists(directory.location(image.path)) {
        let committed = TreeDifference(path: image.path, old: image.node, new: nil)
        let location = try directory.location(image.path)
        guard try isClean(committed, at: location, index: index, known: []) else {
          report.changed.append(image.path)
          continue
        }
        try directory.write(image.pointer.bytes, to: image.path)
        pointers.append(image.path)
      }
      try directory.blobs.remove(image.pointer.id)
      report.dropped += 1
      report.bytes += image.pointer.size
    }
    try indexImages(pointers)
  }

  /// Throws if an image store is this copy's own, whatever path or protocol leads there: adds a
  /// small blob to this copy's store, and checks whether the other store has it.
  private func checkIsElsewhere(_ store: any ImageRemote) throws {
    let blobs = directory.blobs
    var noise: [UInt8]? = (0..<4).flatMap { _ in Array("\(environment.random())\n".utf8) }
    let staged = try blobs.stage {
      defer { noise = nil }
      return noise
    }
    defer { try? blobs.remove(staged.id) }
    try blobs.install(staged)
    let probe = Pointer(id: staged.id, size: staged.size)
    if try hasImage(probe, store) { throw SyncError.ownImageStore(store.address) }
  }

  /// Returns whether a store has an image. Some stores report a missing image as forbidden, or as a
  /// missing repository.
  private func hasImage(_ image: Pointer, _ store: any ImageRemote) throws -> Bool {
    let found = try transfer(with: store).check([image])
    if let cause = found.cause, ![.forbidden, .noRepository].contains(cause.kind) { throw cause }
    return !found.known.isEmpty
  }

  /// The file of the images that were dropped, one ID per line.
  var droppedFile: FilePath { directory.privateDirectory.appending("images-dropped") }

  /// Returns the images that were dropped on purpose; they stay away until they are requested.
  func droppedImages() throws -> Set<PhotoID> {
    let text = String(decoding: try environment.files.read(droppedFile) ?? [], as: UTF8.self)
    return Set(text.split(separator: "\n").compactMap { PhotoID(String($0)) })
  }

  func setDropped(_ ids: Set<PhotoID>) throws {
    if ids.isEmpty { return try environment.files.remove(droppedFile) }
    let lines = ids.map { "\($0)\n" }.sorted().joined()
    try environment.files.write(
      Array(lines.utf8), to: droppedFile, temporary: FilePath("\(droppedFile).new"))
  }
}
