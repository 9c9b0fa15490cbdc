internal import CairnGit
internal import CairnStore
internal import CairnTransport
internal import SystemPackage

/// Where a dataset's commits go, and its images.
struct Remote {
  let git: any GitRemote
  /// Nil where images go nowhere: a server that has git alone.
  let images: BlobStore?

  /// Opens the remote at `address`, as far as that can be done without asking it.
  ///
  /// - Parameters:
  ///   - name: What the repository calls it; nil outside of any.
  ///   - base: Where a relative path starts.
  ///   - pusher: Who pushes; nil where nothing is pushed.
  /// - Throws: ``SyncError/unsupportedAddress(_:reason:)``, ``SyncError/unreachable(_:reason:)``.
  init(
    _ address: String, named name: String? = nil, settings: GitSettings,
    in repository: Repository? = nil, relativeTo base: FilePath,
    pusher: DirectoryRemote.Pusher? = nil, credentials: CredentialMemory = CredentialMemory(),
    world: World
  ) throws {
    switch try Remote.parsed(address) {
    case .directory(let path):
      let directory = try DirectoryRemote(
        path, address: address, relativeTo: base, pusher: pusher, world: world)
      (git, images) = (directory, try directory.repository.blobStore(world))
    case let place:
      var context = TransportContext(
        settings, git: world.findProgram("git").map { GitProgram(path: $0) },
        gitDirectory: repository?.gitDirectory)
      context.memory = credentials
      (git, images) = (try SmartRemote(place, named: name, context), nil)
    }
  }

  static func parsed(_ address: String) throws -> RemoteAddress {
    do throws(RemoteAddress.Malformed) {
      return try RemoteAddress(address)
    } catch {
      throw SyncError.unsupportedAddress(
        RemoteAddress.withoutSecret(address), reason: error.reason)
    }
  }

  /// Returns an address as it is kept in git's configuration, which everybody may read: a path is
  /// absolute, and a password is left out.
  static func stored(_ address: String, relativeTo base: FilePath) throws -> String {
    guard RemoteAddress.isDirectory(address) else { return RemoteAddress.withoutSecret(address) }
    return base.pushing(FilePath(address)).lexicallyNormalized().string
  }
}
