internal import CairnBase
internal import CairnFiles
internal import CairnGit
internal import CairnImages
internal import CairnStore
internal import SystemPackage

/// The private keys of encrypted image stores: in a file that the user keeps, outside of any
/// repository, and that this copy's configuration names (`cairn.imageKey`).
struct ImageKeys {
  /// The key in git's configuration; it never counts in a file that people share.
  static let configurationKey = "cairn.imagekey"

  /// Returns the key in git's configuration of the public key to which this copy encrypts the images
  /// of a remote. It never counts in a file that people share.
  static func recipientKey(ofRemote name: String) -> String {
    "remote.\(name).cairnimagerecipient"
  }

  private static let sizeLimit = 1 << 20

  private let path: FilePath?
  private let files: FileSystem

  init(_ settings: GitSettings, _ files: FileSystem) {
    path = settings[ImageKeys.configurationKey].flatMap(ImageKeys.path)
    self.files = files
  }

  /// Returns the path that a value of the setting names, which may begin with `~/`; nil if it is empty.
  static func path(_ text: String) -> FilePath? {
    if text.isEmpty { return nil }
    guard text.hasPrefix("~/"), let home = environmentVariable("HOME") else {
      return FilePath(text)
    }
    return FilePath(home + text.dropFirst())
  }

  /// Returns the private key of a store.
  ///
  /// - Parameter url: The URL of the store, for the error.
  /// - Throws: ``SyncError/noImageKey(_:key:reason:)``.
  func identity(for recipient: AgeRecipient, url: String) throws -> AgeIdentity {
    func error(_ reason: String) -> SyncError {
      .noImageKey(url, key: "\(recipient)", reason: reason)
    }
    guard let path else { throw error("this copy has no key file") }
    let identities: [AgeIdentity]
    do {
      identities = try ImageKeys.identities(in: path, files)
    } catch let failure as SyncError {
      throw error("\(failure.keyFileReason ?? "it cannot be read")")
    }
    guard let identity = identities.first(where: { $0.recipient == recipient }) else {
      throw error("the key file \(path) has other keys")
    }
    return identity
  }

  /// Reads the keys of a file.
  ///
  /// - Throws: ``SyncError/invalidKeyFile(_:reason:)``.
  static func identities(in path: FilePath, _ files: FileSystem) throws -> [AgeIdentity] {
    guard let bytes = try files.read(path, limit: sizeLimit) else {
      throw SyncError.invalidKeyFile(path.string, reason: "there is no such file")
    }
    do throws(AgeIdentity.MalformedFile) {
      return try AgeIdentity.identities(inFile: String(decoding: bytes, as: UTF8.self))
    } catch {
      throw SyncError.invalidKeyFile(path.string, reason: error.reason)
    }
  }
}

extension SyncError {
  /// The file and the reason of an error of a key file.
  fileprivate var keyFileReason: String? {
    if case .invalidKeyFile(let path, let reason) = self { "\(path): \(reason)" } else { nil }
  }
}

extension Replica {
  /// Reads a key file, or creates one if there is none, and records it in this copy's
  /// configuration.
  ///
  /// - Parameters:
  ///   - path: Absolute, outside of the dataset.
  ///   - recipient: The public key whose private key the file must have; nil to use its first key, or to
  ///     create one.
  /// - Returns: The public key, and whether the file is new.
  @discardableResult
  func useKeyFile(
    _ path: FilePath, of recipient: AgeRecipient?
  ) throws -> (recipient: AgeRecipient, isNew: Bool) {
    for root in [directory.root, repository.commonDirectory] {
      let (key, root) = (
        environment.files.resolve(path.removingLastComponent()) ?? path,
        environment.files.resolve(root)
      )
      guard let root, !key.starts(with: root) else {
        throw SyncError.invalidKeyFile(
          path.string, reason: "it is inside the dataset, and could be committed or copied with it")
      }
    }
    let known = try repository.configuration(ImageKeys.configurationKey)
    let knownPath = known.flatMap(ImageKeys.path)
    if let known, let knownPath, knownPath.lexicallyNormalized() != path {
      throw SyncError.invalidKeyFile(
        path.string,
        reason: "this copy already uses \(known), which may have several keys")
    }
    var isNew = false
    if recipient == nil, try !environment.files.exists(path) {
      let text = AgeIdentity().file(now: environment.now())
      try environment.files.create(
        path, Array(text.utf8), durable: true, permissions: .ownerReadWrite, isNew: true)
      isNew = true
    }
    if try environment.files.isReadableByOthers(path) {
      environment.onMessage(
        "other users of this computer can read the key file; to prevent this: "
          + "`chmod 600 \(shellArgument(path.string))`")
    }
    let recipients = try ImageKeys.identities(in: path, environment.files).map(\.recipient)
    if let recipient, !recipients.contains(recipient) {
      throw SyncError.invalidKeyFile(
        path.string, reason: "it does not have the private key of \(recipient)")
    }
    if knownPath == nil { try repository.setConfiguration(ImageKeys.configurationKey, path.string) }
    return (recipient ?? recipients[0], isNew)
  }
}
