internal import CairnDocument
internal import CairnTransport

extension SFTPTransfer {
  /// Deletes an image and the temporary files that begin it.
  func erase(_ image: ImageObject) throws {
    try remove(directory.path(of: image), image)
    for path in try leftovers(of: image) { try remove(path, image) }
    if try isFile(image) {
      throw TransferError(
        TransportError(.forbidden, address, "it still has image \(image.id.short)…"))
    }
  }

  /// Whether there is anything with the name of an image, or a temporary file that begins it.
  func has(_ image: ImageObject) throws -> Bool {
    try isFile(image) || !leftovers(of: image).isEmpty
  }

  private func isFile(_ image: ImageObject) throws -> Bool {
    switch try session.exchange(.attributes(directory.path(of: image))) {
    case .attributes: return true
    case .status(let status) where status.code == .noSuchFile: return false
    case .status(let status) where !status.isDone:
      throw TransferError(
        status, address, cannot: "look for image \(image.id.short)…", scope: .image)
    default: throw session.unexpected()
    }
  }

  /// Returns the paths of the temporary files that begin an image: uploads, and the downloads of
  /// git-lfs and cairn, if the directory is that of a repository.
  private func leftovers(of image: ImageObject) throws -> [String] {
    try ["tmp", "incomplete"].flatMap { folder in
      try names(in: directory.path(folder), beginningWith: "\(image.id)")
        .map { directory.path(folder, $0) }
    }
  }

  private func remove(_ path: String, _ image: ImageObject) throws {
    var status = try session.status(.remove(path))
    if status.isDone || status.code == .noSuchFile { return }
    // Some servers do not delete what is not writable, as all images are.
    _ = try session.status(.setMode(path, 0o644))
    status = try session.status(.remove(path))
    if status.isDone || status.code == .noSuchFile { return }
    throw TransferError(
      status, address, cannot: "delete image \(image.id.short)…", scope: .image)
  }

  /// Maximum number of responses that list a directory: OpenSSH puts 100 names in each.
  private static let listingLimit = 1000

  /// Returns the names in a directory that begin with a text; none if it does not exist.
  private func names(in path: String, beginningWith text: String) throws -> [String] {
    guard case .handle(let handle) = try session.exchange(.openDirectory(path)) else { return [] }
    var found: [String] = []
    var left = SFTPTransfer.listingLimit
    while case .names(let names) = try session.exchange(.readDirectory(handle)), !names.isEmpty {
      left -= 1
      if left == 0 { throw session.broken("its list of a directory does not end") }
      found += names.map { String(decoding: $0.name, as: UTF8.self) }.filter { $0.hasPrefix(text) }
    }
    _ = try session.status(.close(handle))
    return found
  }
}
