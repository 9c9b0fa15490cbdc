internal import CairnDocument
internal import CairnStore
internal import CairnTransport
internal import SystemPackage

/// The operations on an image store over one sftp session.
struct SFTPTransfer {
  let directory: SFTPPath
  let session: SFTPSession

  init(_ directory: SFTPPath, _ session: SFTPSession) {
    (self.directory, self.session) = (directory, session)
  }

  var address: String { directory.address.text }

  func query(about images: [Pointer]) throws -> [RemoteStatus] {
    let responses = try session.exchange(images.map { .attributes(directory.path(of: $0)) })
    return try zip(images, responses).map { image, response in
      switch response {
      case .attributes(let file):
        file.isFile && file.size == UInt64(image.size)
          ? .present(TransferAction()) : .missing(TransferAction())
      case .status(let status) where status.code == .noSuchFile: .missing(TransferAction())
      case .status(let status) where !status.isDone:
        .rejected(
          TransferError(
            status, address, cannot: "look for image \(image.id.short)…", scope: .remote))
      default: throw session.unexpected()
      }
    }
  }

  func receive(_ image: Pointer, into partial: PartialBlob) throws {
    let handle = try open(.openToRead(directory.path(of: image)), toRead: image)
    var reads = SFTPReadWindow(
      partial.count..<image.size, window: SFTPSession.window, blockSize: SFTPSession.blockSize)
    while !reads.isDone {
      while let block = reads.next(session.nextRequest) {
        try session.send(.read(handle, offset: block.offset, count: block.count))
      }
      switch try session.receive() {
      case (let request, .data(let bytes)):
        do {
          try reads.received(request, bytes)
        } catch {
          throw session.broken("it violates the sftp protocol: \(error.reason)")
        }
      case (_, .status(let status)) where status.code == .endOfFile:
        throw TransferError(
          TransportError(
            .damaged, address, "its copy of image \(image.id.short)… is truncated"))
      case (_, .status(let status)) where !status.isDone:
        throw TransferError(
          status, address, cannot: "read image \(image.id.short)…", scope: .image)
      default: throw session.unexpected()
      }
      while let bytes = reads.take() { try bytes.withUnsafeBytes(partial.append) }
    }
    _ = try session.status(.close(handle))
  }

  private func open(_ request: SFTPRequest, toRead image: Pointer) throws -> SFTPHandle {
    switch try session.exchange(request) {
    case .handle(let handle): return handle
    case .status(let status) where !status.isDone:
      throw TransferError(status, address, cannot: "read image \(image.id.short)…", scope: .image)
    default: throw session.unexpected()
    }
  }
}
