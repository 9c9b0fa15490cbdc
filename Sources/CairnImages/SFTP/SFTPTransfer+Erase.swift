internal import CairnDocument
internal import CairnTransport

extension SFTPTransfer {
  /// Deletes an image and the temporary files that begin it.
  func erase(_ image: ImageObject) throws {
    try remove(directory.path(of: image), image)
    // git-lfs's and cairn's own downloads, if the directory is that of a repository.
    for folder in ["tmp", "incomplete"] {
      for name in try names(in: directory.path(folder)) where name.hasPrefix("\(image.id)") {
        try remove(directory.path(folder, name), image)
      }
    }
    let response = try session.exchange(.attributes(directory.path(of: image)))
    guard case .status(let status) = response, status.code == .noSuchFile else {
      throw TransferError(
        TransportError(.forbidden, address, "it still has image \(image.id.short)…"))
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

  /// Returns the names of the files in a directory; none if it does not exist.
  private func names(in path: String) throws -> [String] {
    guard case .handle(let handle) = try session.exchange(.openDirectory(path)) else { return [] }
    var found: [String] = []
    while case .names(let names) = try session.exchange(.readDirectory(handle)), !names.isEmpty {
      found += names.map { String(decoding: $0.name, as: UTF8.self) }
    }
    _ = try session.status(.close(handle))
    return found.filter { $0 != "." && $0 != ".." }
  }
}
