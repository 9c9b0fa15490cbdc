internal import CairnFiles
internal import CairnGit
internal import CairnStore
internal import SystemPackage

/// A remote in a directory: a bare repository on a disk or a share, or another dataset.
struct DirectoryRemote {
  /// The address as the person knows it.
  let address: String
  let path: FilePath
  let repository: Repository
  let blobs: BlobStore

  /// Opens the remote at `address`.
  ///
  /// - Parameter base: Where a relative path starts.
  /// - Throws: ``SyncError/unsupportedAddress(_:)``, ``SyncError/unreachable(_:reason:)``.
  init(_ address: String, relativeTo base: FilePath, world: World) throws {
    self.address = address
    let text: String
    if address.hasPrefix("file://") {
      text = DirectoryRemote.percentDecoded(String(address.dropFirst("file://".count)))
    } else if DirectoryRemote.isDirectory(address) {
      text = address
    } else {
      throw SyncError.unsupportedAddress(address)
    }
    path = base.pushing(FilePath(text)).lexicallyNormalized()
    guard world.files.directoryExists(path) else {
      throw SyncError.unreachable(address, reason: "there is no directory \(path)")
    }
    do {
      repository = try Repository.open(path, files: world.files)
    } catch {
      guard error.code == .notFound else { throw error }
      throw SyncError.unreachable(address, reason: "\(path) is not a git repository")
    }
    blobs = try repository.blobStore(world)
  }

  /// True for a path; false for `https://…`, `ssh://…` and `host:path`, as git tells them apart.
  static func isDirectory(_ address: String) -> Bool {
    if address.contains("://") { return false }
    guard let colon = address.firstIndex(of: ":") else { return !address.isEmpty }
    return address[..<colon].contains("/")
  }

  private static func percentDecoded(_ text: String) -> String {
    var out: [UInt8] = []
    var bytes = Array(text.utf8)[...]
    while let byte = bytes.popFirst() {
      if byte == UInt8(ascii: "%"), bytes.count >= 2,
        let code = UInt8(String(decoding: bytes.prefix(2), as: UTF8.self), radix: 16)
      {
        out.append(code)
        bytes = bytes.dropFirst(2)
      } else {
        out.append(byte)
      }
    }
    return String(decoding: out, as: UTF8.self)
  }
}
