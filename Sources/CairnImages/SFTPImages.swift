internal import CairnDocument
public import CairnTransport
internal import SystemPackage
internal import CairnStore

/// Images in a directory of another machine that is reached with ssh, through the sftp server that every
/// sshd has. The directory is laid out as a repository's `lfs`, so that it may be the one of a bare
/// repository there.
///
/// An image is written beside the others and gets its name when all of it is there: no file under an
/// image's name is ever half.
public struct SFTPImages: ImageRemote {
  public var address: String { place.address.text }
  public var batchSize: Int { 256 }
  /// Each is a connection where no password has to be asked for; sshd turns some away of ten that begin at
  /// once.
  public var lines: Int { 4 }

  private let place: SFTPPlace
  private let door = SFTPDoor()

  /// - Parameters:
  ///   - address: The machine, and who comes.
  ///   - root: The directory, where it is not the path of the address: absolute, or `~/…`, or relative to
  ///     the user's home. It is made when there is none, in a directory that is there.
  /// - Throws: ``TransportError`` when sftp has no such paths: `~somebody/…`.
  public init(
    _ address: SSHAddress, root: String? = nil, _ context: TransportContext
  ) throws(TransportError) {
    place = try SFTPPlace(address, root: root ?? address.path, context)
  }

  public func connect() throws -> any ImageLine { SFTPLine(place, door) }
}

/// Where images are behind sftp.
struct SFTPPlace: Sendable {
  let address: SSHAddress
  let context: TransportContext
  /// As sftp takes it: absolute, or relative to where the user begins.
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

  /// The directories of an image, the outermost first.
  func directories(of image: Pointer) -> [String] {
    let id = image.id.description
    let (first, second) = (String(id.prefix(2)), String(id.dropFirst(2).prefix(2)))
    return [path("objects"), path("objects", first), path("objects", first, second)]
  }

  func path(of image: Pointer) -> String {
    directories(of: image).last! + "/\(image.id)"
  }
}

/// A line to images behind sftp: it has a connection for as long as it takes to do one thing.
private final class SFTPLine: ImageLine {
  private let place: SFTPPlace
  private let door: SFTPDoor

  init(_ place: SFTPPlace, _ door: SFTPDoor) { (self.place, self.door) = (place, door) }

  func ask(_ direction: ImageDirection, about images: [Pointer]) throws -> [ImageAnswer] {
    try door.lend(place) {
      let exchange = SFTPExchange(place, $0)
      if direction == .upload, door.shallSweep() { try exchange.sweep() }
      return try exchange.ask(about: images)
    }
  }

  func send(
    _ image: Pointer, from file: FilePath, _ ticket: ImageTicket, progress: (Int) -> Void
  ) throws {
    try door.lend(place) {
      try SFTPExchange(place, $0).send(image, from: file, progress: progress)
    }
  }

  func receive(_ image: Pointer, into partial: PartialBlob, _ ticket: ImageTicket) throws {
    try door.lend(place) { try SFTPExchange(place, $0).receive(image, into: partial) }
  }
}
