package import CairnGit
package import CairnTransport

/// The image URL of a remote.
package enum ImageAddress: Sendable, Equatable {
  /// No image store: images are not transferred.
  case none
  /// A path on this machine, as given.
  case directory(String)
  case lfs(LFSEndpoint)
  case sftp(SSHAddress)
  case bucket(S3Address)
  case webDAV(WebDAVAddress)
  case rclone(RcloneAddress)
  /// The URL of a store whose images are encrypted to a key: `age+URL#age1…`.
  indirect case encrypted(ImageAddress, url: String, AgeRecipient)

  package init(_ text: String) throws(RemoteAddress.Malformed) {
    if text == "none" {
      self = .none
      return
    }
    if text.prefix(ImageAddress.encryption.count).lowercased() == ImageAddress.encryption {
      self = try ImageAddress.encrypted(text.dropFirst(ImageAddress.encryption.count))
      return
    }
    if let address = try WebDAVAddress(text) {
      self = .webDAV(address)
      return
    }
    if let address = try RcloneAddress(text) {
      self = .rclone(address)
      return
    }
    if text.prefix(7).lowercased() == "sftp://" {
      self = .sftp(try SSHAddress(sftp: text))
      return
    }
    if text.prefix(5).lowercased() == "s3://" {
      do throws(S3Address.Malformed) {
        self = .bucket(try S3Address(text))
        return
      } catch {
        throw RemoteAddress.Malformed(reason: error.reason)
      }
    }
    switch try RemoteAddress(text) {
    case .directory(let path): self = .directory(path)
    case .web(let web): self = .lfs(LFSEndpoint(web: web))
    case .ssh(let ssh):
      guard let endpoint = LFSEndpoint(ofRemote: .ssh(ssh)) else {
        throw RemoteAddress.Malformed(reason: "its host is invalid")
      }
      self = .lfs(endpoint)
    }
  }

  // MARK: Encryption

  private static let encryption = "age+"

  /// Returns the URL of a store whose images are encrypted to a key.
  package static func encrypted(_ url: String, to recipient: AgeRecipient) -> String {
    "\(encryption)\(url)#\(recipient)"
  }

  private static func encrypted(_ text: Substring) throws(RemoteAddress.Malformed) -> ImageAddress {
    guard let mark = text.lastIndex(of: "#"),
      let recipient = AgeRecipient(text[text.index(after: mark)...])
    else {
      throw RemoteAddress.Malformed(
        reason: "“\(encryption)” needs an age public key at the end of the URL: #age1…")
    }
    let url = String(text[..<mark])
    let address = try ImageAddress(url)
    switch address {
    case .directory, .sftp, .bucket, .webDAV, .rclone: break
    case .lfs:
      throw RemoteAddress.Malformed(
        reason: "a Git LFS server names images by their content, so they cannot be encrypted there")
    case .none, .encrypted: throw RemoteAddress.Malformed(reason: "there is nothing to encrypt")
    }
    return .encrypted(address, url: url, recipient)
  }
}

extension GitSettings {
  /// Adds the image URLs that a dataset shares with its users; ignores other settings in such a
  /// file, which are only for its author.
  ///
  /// The name of a remote belongs to one copy. Therefore a URL may also be set for the remote's host
  /// and path (``RemoteAddress/sharedName``). Then the name counts only in copies whose remote of
  /// that name is the same repository. Source: git-lfs, config/git_fetcher.go, `safeKeys`.
  package mutating func addImageURLs(_ shared: [(key: String, value: String)]) {
    var byName: [String: String] = [:]
    var added = shared.filter { $0.key == "lfs.url" || $0.key == "lfs.pushurl" }
    for (key, value) in shared where key.hasPrefix("remote.") && key.hasSuffix(".lfsurl") {
      byName[String(key.dropFirst("remote.".count).dropLast(".lfsurl".count))] = value
    }
    let ofRepositories = byName.filter { $0.key.contains("/") }
    for name in remoteNames {
      let address = address(ofRemote: name, for: .fetching).flatMap { try? RemoteAddress($0) }
      let ofRepository = address?.sharedName.flatMap { ofRepositories[$0] }
      let ofName = byName[name].flatMap { ofRepositories.values.contains($0) ? nil : $0 }
      if let url = ofRepository ?? ofName { added.append(("remote.\(name).lfsurl", url)) }
    }
    // This copy's own settings come later and take precedence.
    entries.insert(contentsOf: added, at: 0)
  }

  /// Returns the configured image URL of a remote; nil when it is derived from the remote.
  ///
  /// Source: git-lfs, lfsapi/endpoint_finder.go.
  package func imageURL(ofRemote name: String?, _ direction: ImageDirection) -> String? {
    let isUpload = direction == .upload
    let keys = [
      isUpload ? "lfs.pushurl" : nil, "lfs.url",
      isUpload ? name.map { "remote.\($0).lfspushurl" } : nil, name.map { "remote.\($0).lfsurl" },
    ]
    return keys.compactMap { $0 }.lazy.compactMap { self[$0] }.first { !$0.isEmpty }
      .map { rewritten($0, for: isUpload ? .pushing : .fetching) }
  }
}
