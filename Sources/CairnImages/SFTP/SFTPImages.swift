internal import CairnDocument
public import CairnTransport
internal import SystemPackage
internal import CairnStore

/// An image store in a directory of another machine, reached through the sftp server that every
/// sshd has. The directory is laid out like a repository's `lfs`, so that it may be the one of a
/// bare repository there.
///
/// An image is written to a temporary file and renamed when it is complete: no file under an
/// image's name is ever partial.
public struct SFTPImages: ImageRemote {
  public var address: String { place.address.text }
  public var batchSize: Int { 256 }
  /// One ssh connection each, unless it would need a password; sshd drops some of ten that start at
  /// once.
  public var lines: Int { 4 }

  private let place: SFTPPath
  private let door = SFTPConnectionPool()

  /// - Parameters:
  ///   - address: The machine and the user.
  ///   - root: The directory, if it is not the path of the address: absolute, or `~/…`, or relative
  ///     to the user's home. It is created if its parent directory exists.
  /// - Throws: ``TransportError`` for paths that sftp does not support: `~somebody/…`.
  public init(
    _ address: SSHAddress, root: String? = nil, _ context: TransportContext
  ) throws(TransportError) {
    place = try SFTPPath(address, root: root ?? address.path, context)
  }

  public func connect() throws -> any ImageConnection { SFTPConnection(place, door) }
}

/// The directory of an image store on an sftp server.
struct SFTPPath: Sendable {
  let address: SSHAddress
  let context: TransportContext
  /// As sftp reads it: absolute, or relative to the user's start directory.
  let root: String

  init(
    _ address: SSHAddress, root: String, _ context: TransportContext
  ) throws(TransportError) {
    (self.address, self.context) = (address, context)
    var path = root[...]
    while path.hasSuffix("/"), path != "/" { path.removeLast() }
    if path == "~" || path.hasPrefix("~/") {
      path = path.dropFirst(2)
    } else if path.hasPrefix("~") {
      throw TransportError(
        .unsupportedAddress, address.text, "sftp does not know where “\(path)” is")
    }
    self.root = path.isEmpty ? "." : String(path)
  }

  func path(_ words: String...) -> String { ([root] + words).joined(separator: "/") }

  /// Returns the directories of an image, outermost first.
  func directories(of image: Pointer) -> [String] {
    let id = image.id.description
    let (first, second) = (String(id.prefix(2)), String(id.dropFirst(2).prefix(2)))
    return [path("objects"), path("objects", first), path("objects", first, second)]
  }

  func path(of image: Pointer) -> String {
    directories(of: image).last! + "/\(image.id)"
  }
}

/// A connection to images on an sftp server; it takes an sftp session from the pool for each
/// operation.
private final class SFTPConnection: ImageConnection {
  private let place: SFTPPath
  private let door: SFTPConnectionPool

  init(_ place: SFTPPath, _ door: SFTPConnectionPool) { (self.place, self.door) = (place, door) }

  func ask(_ direction: ImageDirection, about images: [Pointer]) throws -> [RemoteStatus] {
    try door.lend(place) {
      let exchange = SFTPTransfer(place, $0)
      if direction == .upload, door.shallSweep() { try exchange.sweep() }
      return try exchange.ask(about: images)
    }
  }

  func send(
    _ image: Pointer, from file: FilePath, _ ticket: TransferAction, progress: (Int) -> Void
  ) throws {
    try door.lend(place) {
      try SFTPTransfer(place, $0).send(image, from: file, progress: progress)
    }
  }

  func receive(_ image: Pointer, into partial: PartialBlob, _ ticket: TransferAction) throws {
    try door.lend(place) { try SFTPTransfer(place, $0).receive(image, into: partial) }
  }
}
