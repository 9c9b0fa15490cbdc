internal import CairnFiles
internal import CairnGit
internal import CairnImages
internal import CairnStore
internal import CairnTransport
internal import SystemPackage

/// Where a dataset's commits go, and its images.
final class Remote {
  let git: any GitRemote
  /// What the repository calls it; nil outside of any.
  let name: String?
  private let address: RemoteAddress
  private let context: TransportContext
  private let base: FilePath
  private let world: World
  private var images: [ImageDirection: any ImageRemote] = [:]

  /// Opens the remote at `address`, as far as that can be done without asking it.
  ///
  /// - Parameters:
  ///   - base: Where a relative path starts.
  ///   - pusher: Who pushes; nil where nothing is pushed.
  /// - Throws: ``SyncError/unsupportedAddress(_:reason:)``, ``SyncError/unreachable(_:reason:)``.
  init(
    _ address: String, named name: String? = nil, settings: GitSettings,
    in repository: Repository? = nil, relativeTo base: FilePath,
    pusher: DirectoryRemote.Pusher? = nil, credentials: CredentialMemory = CredentialMemory(),
    world: World
  ) throws {
    (self.name, self.base, self.world) = (name, base, world)
    self.address = try Remote.parsed(address)
    var context = TransportContext(
      settings, git: world.findProgram("git").map { GitProgram(path: $0) },
      gitDirectory: repository?.gitDirectory)
    context.memory = credentials
    self.context = context
    git =
      if case .directory(let path) = self.address {
        try DirectoryRemote(
          path, address: address, relativeTo: base, pusher: pusher, world: world)
      } else {
        try SmartRemote(self.address, named: name, context)
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

  // MARK: Images

  /// Returns where its images are: where somebody said so, else where they follow from its address.
  ///
  /// - Parameters:
  ///   - settings: What git's configuration and the dataset say.
  ///   - branch: The branch that is pushed or fetched.
  /// - Throws: ``TransportError`` with `.takesNoImages` where there is no place for them.
  func images(
    _ direction: ImageDirection, _ settings: GitSettings, branch: String
  ) throws -> any ImageRemote {
    if let open = images[direction] { return open }
    let opened = try openImages(direction, settings, branch: branch)
    images[direction] = opened
    return opened
  }

  private func openImages(
    _ direction: ImageDirection, _ settings: GitSettings, branch: String
  ) throws -> any ImageRemote {
    guard let text = settings.imagePlace(ofRemote: name, direction) else {
      if let directory = git as? DirectoryRemote {
        return DirectoryImages(try directory.repository.blobStore(world))
      }
      return try openServer(LFSEndpoint(ofRemote: address), direction, branch: branch)
    }
    switch try Remote.imageAddress(text) {
    case .none: throw TransportError(.takesNoImages, git.address, "its images go nowhere")
    case .directory(let path): return DirectoryImages(try directoryStore(path))
    case .lfs(let endpoint): return try openServer(endpoint, direction, branch: branch)
    case .sftp(let address): return try SFTPImages(address, context)
    case .bucket(let address):
      return S3Images(
        address, context, remote: name, now: world.now, environment: { environment($0) })
    }
  }

  private func openServer(
    _ endpoint: LFSEndpoint?, _ direction: ImageDirection, branch: String
  ) throws -> any ImageRemote {
    guard let endpoint else {
      throw TransportError(.takesNoImages, git.address, "no Git LFS server belongs to it")
    }
    if let ssh = endpoint.ssh {
      if let images = try LFSImages(
        ssh: endpoint, direction, branch: branch, context, world: world)
      {
        return images
      }
      // A machine with git and sshd alone keeps them beside a bare repository, where git-lfs has them.
      guard ssh.path.hasSuffix(".git") else {
        throw TransportError(.takesNoImages, git.address, "it has no git-lfs-authenticate")
      }
      return try SFTPImages(ssh, root: ssh.path + "/lfs", context)
    }
    var web: WebAddress?
    if case .web(let address) = address { web = address }
    return LFSImages(endpoint, git: web, branch: branch, context, world: world)
  }

  /// Returns the store of a repository, or of a directory that is for images alone.
  private func directoryStore(_ path: String) throws -> BlobStore {
    let place = base.pushing(FilePath(path)).lexicallyNormalized()
    guard world.files.directoryExists(place) else {
      throw SyncError.unreachable(place.string, reason: "there is no such directory")
    }
    if let repository = try? Repository.open(place, files: world.files) {
      return try repository.blobStore(world)
    }
    return BlobStore(directory: place, world: world)
  }

  static func imageAddress(_ text: String) throws -> ImageAddress {
    do throws(RemoteAddress.Malformed) {
      return try ImageAddress(text)
    } catch {
      throw SyncError.unsupportedAddress(RemoteAddress.withoutSecret(text), reason: error.reason)
    }
  }
}
