internal import CairnDocument
package import CairnTransport
internal import SystemPackage
internal import CairnStore

/// An image store in a directory of another machine, reached through the sftp server that every
/// sshd has. The directory is laid out like a repository's `lfs`, so that it may be the one of a
/// bare repository there.
///
/// An image is written to a temporary file and renamed when it is complete: no file under an
/// image's name is ever partial.
package struct SFTPImages: ImageRemote {
  package var address: String { directory.address.text }
  package var batchSize: Int { 256 }
  /// One ssh connection each, unless it would need a password; sshd drops some of ten that start at
  /// once.
  package var connections: Int { 4 }

  private let directory: SFTPPath
  private let pool: SFTPConnectionPool
  /// Whether queries about downloads verify the contents, if a program there can.
  private var isVerifying = false

  /// - Parameters:
  ///   - address: The machine and the user.
  ///   - root: The directory, if it is not the path of the address: absolute, or `~/…`, or relative
  ///     to the user's home. It is created if its parent directory exists.
  ///   - isGuess: Whether nobody has said that the machine has an sftp server.
  /// - Throws: ``TransportError`` for paths that sftp does not support: `~somebody/…`.
  package init(
    _ address: SSHAddress, root: String? = nil, isGuess: Bool = false, _ context: TransportContext
  ) throws(TransportError) {
    directory = try SFTPPath(address, root: root ?? address.path, isGuess: isGuess, context)
    pool = SFTPConnectionPool(directory)
  }

  package func connect() throws -> any ImageConnection {
    SFTPConnection(directory, pool, isVerifying: isVerifying)
  }

  package func groupLimit(_ direction: ImageDirection) -> ImageGroupLimit {
    ImageGroupLimit(images: 16)
  }

  package func verifying() -> any ImageRemote {
    var images = self
    images.isVerifying = true
    return images
  }
}

/// The directory of an image store on an sftp server.
struct SFTPPath: Sendable {
  let address: SSHAddress
  let context: TransportContext
  /// As sftp reads it: absolute, or relative to the user's start directory.
  let root: String
  /// Whether nobody has said that the machine has an sftp server.
  let isGuess: Bool

  init(
    _ address: SSHAddress, root: String, isGuess: Bool, _ context: TransportContext
  ) throws(TransportError) {
    (self.address, self.context, self.isGuess) = (address, context, isGuess)
    var path = root[...]
    while path.hasSuffix("/"), path != "/" { path.removeLast() }
    if path == "~" || path.hasPrefix("~/") {
      path = path.dropFirst(2)
    } else if path.hasPrefix("~") {
      throw TransportError(
        .unsupportedAddress, address.text, "sftp cannot resolve “\(path)”")
    }
    self.root = path.isEmpty ? "." : String(path)
  }

  func path(_ components: String...) -> String { ([root] + components).joined(separator: "/") }

  /// Returns the directories of an image, outermost first.
  func directories(of image: ImageObject) -> [String] {
    let id = image.id.description
    let (first, second) = (String(id.prefix(2)), String(id.dropFirst(2).prefix(2)))
    return [path("objects"), path("objects", first), path("objects", first, second)]
  }

  func path(of image: ImageObject) -> String {
    directories(of: image).last! + "/\(image.id)"
  }
}

/// A connection to images on an sftp server; it takes an sftp session from the pool for each
/// operation.
private final class SFTPConnection: ImageConnection {
  private let directory: SFTPPath
  private let pool: SFTPConnectionPool
  private let isVerifying: Bool

  init(_ directory: SFTPPath, _ pool: SFTPConnectionPool, isVerifying: Bool) {
    (self.directory, self.pool, self.isVerifying) = (directory, pool, isVerifying)
  }

  func query(_ direction: ImageDirection, about images: [ImageObject]) throws -> [RemoteStatus] {
    let statuses = try pool.withConnection {
      let transfer = SFTPTransfer(directory, $0)
      if direction == .upload, pool.shouldCleanUp() {
        pool.addLeftovers(try transfer.sweepUploads())
      }
      return try transfer.query(about: images)
    }
    return isVerifying && direction == .download ? try verified(statuses, of: images) : statuses
  }

  /// Returns the statuses, with those images verified whose hashes a program there computes. The others
  /// have to be read: perhaps they are damaged.
  private func verified(
    _ statuses: [RemoteStatus], of images: [ImageObject]
  ) throws -> [RemoteStatus] {
    let present = zip(images, statuses).filter {
      if case .present = $1 { true } else { false }
    }.map { $0.0 }
    guard !present.isEmpty, pool.mayHaveChecksums else { return statuses }
    guard let intact = try directory.imagesWithTheirHash(present) else {
      pool.noteLackOfChecksums()
      return statuses
    }
    return zip(images, statuses).map { image, status in
      intact.contains(image.id) ? .present(TransferAction(isVerified: true)) : status
    }
  }

  func send(
    _ image: ImageObject, from file: FilePath, _ action: TransferAction, progress: (Int) -> Void
  ) throws {
    let leftover = pool.takeLeftover(of: image.id)
    try pool.withConnection {
      try SFTPTransfer(directory, $0).send(
        image, from: file, continuing: leftover, replacing: action.replaces,
        onBroken: { pool.addLeftovers([image.id: $0]) }, progress: progress)
    }
  }

  /// Sends those images one by one that the server does not take with the others, or that an earlier
  /// attempt began.
  func send(_ images: [ImageUpload], sent: (Int) -> Void) throws {
    let new = images.indices.filter { !pool.hasLeftover(of: images[$0].image.id) }
    let stored = try pool.withConnection {
      try SFTPTransfer(directory, $0).send(new.map { images[$0] }) {
        pool.addLeftovers([$0: $1])
      }
    }
    let done = Set(stored.map { new[$0] })
    for position in done.sorted() { sent(position) }
    for position in images.indices where !done.contains(position) {
      let upload = images[position]
      try send(upload.image, from: upload.file, upload.action) { _ in }
      sent(position)
    }
  }

  func receive(_ image: ImageObject, into partial: any ImageSink, _ action: TransferAction) throws {
    try pool.withConnection {
      try SFTPTransfer(directory, $0).receive(image, into: partial)
    }
  }

  /// Fetches those images one by one that the server does not send with the others.
  func receive(
    _ images: [ImageDownload], received: (Int, TransferError?) throws -> Void
  ) throws {
    let together = Set(
      try pool.withConnection { try SFTPTransfer(directory, $0).receive(images) })
    for position in together.sorted() { try received(position, nil) }
    for position in images.indices where !together.contains(position) {
      let download = images[position]
      var refusal: TransferError?
      do {
        try receive(download.image, into: download.sink, download.action)
      } catch let error as TransferError where error.scope == .image && !error.isTransient {
        refusal = error
      }
      try received(position, refusal)
    }
  }

  func erase(_ image: ImageObject) throws -> RemoteErasure {
    _ = pool.takeLeftover(of: image.id)
    try pool.withConnection { try SFTPTransfer(directory, $0).erase(image) }
    return .erased
  }

  func has(_ image: ImageObject) throws -> Bool {
    try pool.withConnection { try SFTPTransfer(directory, $0).has(image) }
  }
}
