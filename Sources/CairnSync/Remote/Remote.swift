internal import CairnFiles
internal import CairnGit
internal import CairnImages
internal import CairnStore
internal import CairnTransport
internal import SystemPackage

/// A remote for a dataset's commits and images.
final class Remote {
  let git: any GitRemote
  /// The remote's name in the repository; nil outside of a repository.
  let name: String?
  private let address: RemoteAddress
  private let context: TransportContext
  private let base: FilePath
  private let environment: Environment
  private let repository: Repository?
  private var images: [ImageDirection: any ImageRemote] = [:]

  /// Opens the remote at `address`, as far as possible without contacting it.
  ///
  /// - Parameters:
  ///   - base: The directory that a relative path starts from.
  ///   - pusher: The identity of the push; nil when nothing is pushed.
  ///   - mayPrompt: Whether programs may ask the user for a password.
  /// - Throws: ``SyncError/unsupportedAddress(_:reason:)``, ``SyncError/unreachable(_:reason:)``.
  init(
    _ address: String, named name: String? = nil, settings: GitSettings,
    in repository: Repository? = nil, relativeTo base: FilePath,
    pusher: DirectoryRemote.PushIdentity? = nil, credentials: CredentialCache = CredentialCache(),
    mayPrompt: Bool = true, environment: Environment
  ) throws {
    (self.name, self.base, self.environment) = (name, base, environment)
    self.repository = repository
    self.address = try Remote.parsed(address)
    var context = TransportContext(
      settings, git: environment.git,
      gitDirectory: repository?.gitDirectory)
    (context.credentialCache, context.mayPrompt) = (credentials, mayPrompt)
    context.isCancelled = environment.isCancelled
    context.now = environment.now
    self.context = context
    git =
      if case .directory(let path) = self.address {
        try DirectoryRemote(
          path, address: address, relativeTo: base, pusher: pusher, context: context,
          environment: environment)
      } else {
        SmartRemote(self.address, named: name, context)
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

  /// Returns an address as stored in git's configuration, which everyone can read: a path is
  /// absolute, and a password is left out.
  static func stored(_ address: String, relativeTo base: FilePath) throws -> String {
    guard RemoteAddress.isDirectory(address) else { return RemoteAddress.withoutPassword(address) }
    return base.pushing(FilePath(address)).lexicallyNormalized().string
  }

  // MARK: Images

  /// Returns the remote's image store: the configured one, or otherwise the one its address
  /// implies.
  ///
  /// - Parameters:
  ///   - settings: The configuration of git and of the dataset.
  ///   - branch: The branch that is pushed or fetched.
  /// - Throws: ``TransportError`` with `.noImageStore` when there is no image store.
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
    let text = settings.imageURL(ofRemote: name, direction)
    if direction == .upload { try checkEncryption(text, settings) }
    guard let text else {
      if let directory = git as? DirectoryRemote {
        return DirectoryImages(try directory.repository.blobStore(environment))
      }
      return try openServer(LFSEndpoint(ofRemote: address), direction, branch: branch, context)
    }
    let images = try Remote.imageAddress(text)
    let isOwn = context.settings.imageURL(ofRemote: name, direction) == text
    return try openImages(
      images, direction, settings, branch: branch, isOwn ? context : limitedContext(for: images))
  }

  /// Returns the context for an image URL that the dataset names, and not this copy's configuration.
  ///
  /// Anyone who can push can choose its server. It gets no headers that are for all servers
  /// (`http.extraHeader`), which may be a token, unless the repository is on it.
  private func limitedContext(for images: ImageAddress) -> TransportContext {
    let web: WebAddress
    switch images {
    case .lfs(let endpoint): web = endpoint.web
    case .webDAV(let address): web = address.directory
    case .encrypted(let images, _, _): return limitedContext(for: images)
    case .none, .directory, .sftp, .bucket, .rclone: return context
    }
    let isOfRepository =
      switch address {
      case .web(let address): address.isSameServer(as: web)
      case .ssh(let address): address.host.lowercased() == web.host.lowercased()
      case .directory: false
      }
    var limited = context
    if !isOfRepository { limited.settings.entries.removeAll { $0.key == "http.extraheader" } }
    return limited
  }

  /// Throws if this copy encrypts the images of this remote, and its image URL does not say so:
  /// anyone who can push can change it. For an address that is no remote's, those of all remotes count.
  private func checkEncryption(_ url: String?, _ settings: GitSettings) throws {
    let recorded = (name.map { [$0] } ?? settings.remoteNames).compactMap { name in
      settings[ImageKeys.recipientKey(ofRemote: name)].map { (name: name, recipient: $0) }
    }.filter { !$0.recipient.isEmpty }
    guard let first = recorded.first else { return }
    if let url {
      switch try Remote.imageAddress(url) {
      case .none: return
      case .encrypted(_, _, let recipient)
      where recorded.contains(where: { $0.recipient == "\(recipient)" }):
        return
      default: break
      }
    }
    if name == nil { throw SyncError.unencryptedAddress(git.address, remote: first.name) }
    throw SyncError.encryptionChanged(first.name, url: url.map(RemoteAddress.withoutSecret))
  }

  private func openImages(
    _ address: ImageAddress, _ direction: ImageDirection, _ settings: GitSettings, branch: String,
    _ context: TransportContext
  ) throws -> any ImageRemote {
    switch address {
    case .none: throw TransportError(.noImageStore, git.address, "its image URL is “none”")
    case .directory(let path): return DirectoryImages(try directoryStore(path))
    case .lfs(let endpoint): return try openServer(endpoint, direction, branch: branch, context)
    case .sftp(let address): return try SFTPImages(address, context)
    case .bucket(let address):
      return S3Images(
        address, context, remote: name, now: environment.now,
        environment: { environmentVariable($0) })
    case .webDAV(let address): return WebDAVImages(address, context, remote: name)
    case .rclone(let address):
      return RcloneImages(address, program: environment.findProgram("rclone"), context)
    case .encrypted(let address, let url, let recipient):
      let identity = try ImageKeys(settings, environment.files).identity(
        for: recipient, url: RemoteAddress.withoutSecret(url))
      return try EncryptedImages(
        openImages(address, direction, settings, branch: branch, context), identity,
        staging: staging())
    }
  }

  private func openServer(
    _ endpoint: LFSEndpoint?, _ direction: ImageDirection, branch: String,
    _ context: TransportContext
  ) throws -> any ImageRemote {
    guard let endpoint else {
      throw TransportError(.noImageStore, git.address, "it has no Git LFS server")
    }
    if let ssh = endpoint.ssh {
      return try endpoint.images(
        over: ssh, direction, branch: branch, context, environment: environment)
    }
    var web: WebAddress?
    if case .web(let address) = address { web = address }
    return LFSImages(endpoint, git: web, branch: branch, context, environment: environment)
  }

  /// Returns where encrypted images wait to be sent: the blob store of this copy.
  private func staging() throws -> BlobStore {
    try repository?.blobStore(environment)
      ?? BlobStore(directory: base.appending(".cairn-images"), environment: environment)
  }

  /// Returns the blob store of a repository, or of a directory that holds only images.
  private func directoryStore(_ path: String) throws -> BlobStore {
    let directory = base.pushing(FilePath(path)).lexicallyNormalized()
    guard environment.files.directoryExists(directory) else {
      throw SyncError.imageStoreUnreachable(
        directory.string, reason: "the directory does not exist")
    }
    do {
      let repository = try Repository.open(directory, files: environment.files)
      return try repository.blobStore(environment)
    } catch let error as GitError where error.code == .notFound {
      return BlobStore(directory: directory, environment: environment)
    }
  }

  static func imageAddress(_ text: String) throws -> ImageAddress {
    do throws(RemoteAddress.Malformed) {
      return try ImageAddress(text)
    } catch {
      throw SyncError.unsupportedImageURL(RemoteAddress.withoutSecret(text), reason: error.reason)
    }
  }
}
