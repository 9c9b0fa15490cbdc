internal import CairnFiles
internal import CairnGit
internal import CairnImages
package import CairnStore
internal import CairnTransport
package import SystemPackage

// The image URL is stored in the dataset, in the file where git-lfs looks for it, so that clones
// need no configuration.

extension Replica {
  /// The git-lfs configuration that people share. Source: git-lfs, docs/man/git-lfs-config.adoc.
  static let sharedConfiguration = ".lfsconfig"

  private static let sharedLimit = 64 << 10

  /// Returns git's configuration together with the image settings in a commit of the dataset.
  func imageSettings(at commit: ObjectID?) throws -> GitSettings {
    var settings = try repository.settings()
    let tree = try repository.tree(ofCommit: commit)
    guard let node = try repository.node(at: Replica.sharedConfiguration, in: tree)?.file,
      try repository.size(of: node.id) <= Replica.sharedLimit
    else { return settings }
    let text = String(decoding: try repository.blob(node.id), as: UTF8.self)
    do throws(ConfigParser.Malformed) {
      settings.addImageURLs(try ConfigParser.entries(of: text))
    } catch {
      throw SyncError.invalidImageURLs(line: error.line)
    }
    return settings
  }

  /// Sets the image URL of a remote, for all users of the dataset, and commits it.
  ///
  /// - Parameters:
  ///   - address: Nil to derive it from the remote's own address again. A user name for a web server is
  ///     left out.
  ///   - base: The directory that a relative path starts from.
  ///   - key: The key file to encrypt images with; it is created if it does not exist. Nil to store
  ///     them as they are.
  /// - Returns: Whether the key file was created.
  @discardableResult
  package func setImageURL(
    ofRemote name: String, _ address: String?, relativeTo base: FilePath, key: FilePath? = nil,
    session: EditSession
  ) throws -> Bool {
    guard try repository.remoteURL(name) != nil else { throw SyncError.noRemote(name) }
    if let text = address {
      try checkPassword(inImageURL: text)
      _ = try Remote.imageAddress(text)
    }
    // Nor a user name, which may be a token, and is not that of everyone.
    var (address, isNewKey) = (address.map(RemoteAddress.withoutWebLogin), false)
    if let text = address {
      switch try Remote.imageAddress(text) {
      case .directory(let path): address = try existingDirectory(path, relativeTo: base)
      case .encrypted(.directory(let path), _, let recipient):
        address = ImageAddress.encrypted(
          try existingDirectory(path, relativeTo: base), to: recipient)
      default: break
      }
      if let key {
        let path = base.pushing(key).lexicallyNormalized()
        (address, isNewKey) = try encrypted(address ?? text, with: path)
      }
    }
    // Pending changes get a commit with their own summary.
    try commit(session: session)
    let recipientKey = ImageKeys.recipientKey(ofRemote: name)
    let (recipient, former) = (
      try address.flatMap(recipientOfStore), try repository.configuration(recipientKey)
    )
    let (head, configuration) = (
      try repository.head(), try directory.read(Replica.sharedConfiguration)
    )
    do {
      // A crash never leaves a store that should be encrypted without the record.
      if let recipient { try repository.setConfiguration(recipientKey, recipient) }
      try environment.files.write(
        Array("\(name)\n\(address ?? "")".utf8), to: imageURLFile,
        temporary: FilePath(imageURLFile.string + ".tmp"))
      try finishImageURLChange(session)
    } catch {
      // What cannot be taken back is finished by the next command.
      if (try? repository.head()) == head, (try? restore(configuration)) != nil {
        try? environment.files.remove(imageURLFile)
        try? repository.setConfiguration(recipientKey, former)
      }
      throw error
    }
    if recipient == nil, former != nil { try repository.setConfiguration(recipientKey, nil) }
    return isNewKey
  }

  /// Gives the file with the image URLs its former bytes; nil if there was none.
  private func restore(_ configuration: [UInt8]?) throws {
    let path = Replica.sharedConfiguration
    if try directory.read(path) == configuration { return }
    guard let configuration else { return try directory.remove(path) }
    try directory.write(configuration, to: path, durable: true)
  }

  /// Throws if an image URL has a password: it would be committed, and pushed to everyone.
  private func checkPassword(inImageURL text: String) throws {
    let hasPassword: Bool
    if case .web(let web)? = try? RemoteAddress(text) {
      hasPassword = web.password != nil
    } else {
      hasPassword = RemoteAddress.withoutPassword(text).count < text.count
    }
    if hasPassword { throw SyncError.passwordInImageURL(RemoteAddress.withoutSecret(text)) }
  }

  /// Returns the public key to which the images at a URL are encrypted; nil if they are not.
  private func recipientOfStore(_ url: String) throws -> String? {
    guard case .encrypted(_, _, let recipient) = try Remote.imageAddress(url) else { return nil }
    return "\(recipient)"
  }

  /// Returns the absolute path of an existing directory.
  private func existingDirectory(
    _ path: String, relativeTo base: FilePath
  ) throws -> String {
    let resolved = base.pushing(FilePath(path)).lexicallyNormalized()
    guard environment.files.directoryExists(resolved) else {
      throw SyncError.imageStoreUnreachable(path, reason: "there is no directory \(resolved)")
    }
    return resolved.string
  }

  /// Returns the URL of a store whose images are encrypted with a key file, and whether that was
  /// created.
  private func encrypted(_ url: String, with path: FilePath) throws -> (String, isNewKey: Bool) {
    if case .encrypted(_, _, let recipient) = try Remote.imageAddress(url) {
      try useKeyFile(path, of: recipient)
      return (url, false)
    }
    do throws(RemoteAddress.Malformed) {
      // Checked before a key is created.
      _ = try ImageAddress(ImageAddress.encrypted(url, to: AgeIdentity().recipient))
    } catch {
      throw SyncError.unsupportedImageURL(RemoteAddress.withoutSecret(url), reason: error.reason)
    }
    let (recipient, isNew) = try useKeyFile(path, of: nil)
    return (ImageAddress.encrypted(url, to: recipient), isNew)
  }

  /// Records the key file of a remote's encrypted images in this copy's configuration.
  package func setImageKey(
    ofRemote name: String, _ key: FilePath, relativeTo base: FilePath
  ) throws {
    guard try repository.remoteURL(name) != nil else { throw SyncError.noRemote(name) }
    guard
      let url = try imageSettings(at: repository.head()).imageURL(ofRemote: name, .upload),
      case .encrypted(_, _, let recipient) = try Remote.imageAddress(url)
    else { throw SyncError.notEncrypted(name) }
    try useKeyFile(base.pushing(key).lexicallyNormalized(), of: recipient)
    try repository.setConfiguration(ImageKeys.recipientKey(ofRemote: name), "\(recipient)")
  }

  /// The file that records a change in progress, so that the next command can finish it.
  private var imageURLFile: FilePath { directory.privateDirectory.appending("image-url") }

  /// Whether a command was interrupted, or failed, before it finished its change.
  var hasUnfinishedImageURLChange: Bool {
    get throws { try environment.files.exists(imageURLFile) }
  }

  /// Finishes the change that was recorded, if there is one.
  func finishImageURLChange(_ session: EditSession) throws {
    guard let note = try environment.files.read(imageURLFile, limit: Replica.sharedLimit) else {
      return
    }
    let lines = String(decoding: note, as: UTF8.self).split(
      separator: "\n", maxSplits: 1, omittingEmptySubsequences: false
    ).map(String.init)
    if lines.count == 2, try repository.remoteURL(lines[0]) != nil {
      try commitImageURL(ofRemote: lines[0], lines[1].isEmpty ? nil : lines[1], session: session)
    }
    try environment.files.remove(imageURLFile)
  }

  private func commitImageURL(
    ofRemote name: String, _ address: String?, session: EditSession
  ) throws {
    let path = Replica.sharedConfiguration
    // git-lfs looks for the name. Other copies may use it for another repository.
    let remote = try repository.remoteURL(name).flatMap { try? RemoteAddress($0) }
    let names = Set([name] + (try remote?.sharedName.map(namesOfImageURL) ?? []))
    try repository.setConfiguration(
      names.sorted().map { ("remote.\($0).lfsurl", address) }, inFile: directory.location(path))
    let (tree, bytes) = (try headTree(), try directory.read(path))
    let node = try repository.node(at: path, in: tree)
    guard let bytes, node?.id != ObjectID(hashing: .blob, bytes) else {
      // A process that was killed may have committed it without updating git's index.
      if let node, bytes != nil {
        try updateIndex([IndexFile.Entry(path: path, node: node, status: .unknown)], in: tree)
      }
      return
    }
    let message =
      address.map { "Set the image URL of “\(name)” to \($0)" }
      ?? "Reset the image URL of “\(name)”"
    try commit(message: message, others: [path], session: session)
  }

  /// Whether a remote has an image store: its image URL is not `none`.
  func storesImages(_ remote: String, at commit: ObjectID?) throws -> Bool {
    let url = try imageSettings(at: commit).imageURL(ofRemote: remote, .upload)
    return url != "none"
  }

  /// Returns a repository's host and path, and the names of remotes that have the same image URL: other
  /// copies may have set it.
  private func namesOfImageURL(_ repositoryName: String) throws -> [String] {
    let text = String(
      decoding: try directory.read(Replica.sharedConfiguration) ?? [], as: UTF8.self)
    let entries = (try? ConfigParser.entries(of: text)) ?? []
    guard let url = entries.last(where: { $0.key == "remote.\(repositoryName).lfsurl" })?.value
    else { return [repositoryName] }
    return [repositoryName]
      + entries.filter { $0.value == url && !$0.key.contains("/") && $0.key.hasSuffix(".lfsurl") }
      .map { String($0.key.dropFirst("remote.".count).dropLast(".lfsurl".count)) }
  }

  /// Returns the configured image URL of a remote; nil if it is derived from the remote's address.
  package func imageURL(ofRemote name: String) throws -> String? {
    try imageSettings(at: repository.head()).imageURL(ofRemote: name, .upload)
      .map(RemoteAddress.withoutSecret)
  }

  /// Returns the image store that a remote's address implies: the URL of a web server's Git LFS server,
  /// otherwise the address itself.
  package func ownImageStore(ofAddress address: String) -> String {
    guard case .web? = try? RemoteAddress(address),
      let endpoint = (try? RemoteAddress(address)).flatMap(LFSEndpoint.init(ofRemote:))
    else { return address }
    return endpoint.web.text
  }
}
