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

  func query(about images: [ImageObject]) throws -> [RemoteStatus] {
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

  func receive(_ image: ImageObject, into partial: any ImageSink) throws {
    let handle = try open(.openToRead(directory.path(of: image)), toRead: image)
    try read(handle, partial.count..<image.size, of: image) {
      try $0.withUnsafeBytes(partial.append)
    }
    _ = try session.status(.close(handle))
  }

  /// Reads a range of an open file of an image, with many blocks outstanding.
  func read(
    _ handle: SFTPHandle, _ range: Range<Int>, of image: ImageObject,
    _ sink: ([UInt8]) throws -> Void
  ) throws {
    var reads = SFTPReadWindow(
      range, window: SFTPSession.window, blockSize: SFTPSession.blockSize)
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
      while let bytes = reads.take() { try sink(bytes) }
    }
  }

  private func open(_ request: SFTPRequest, toRead image: ImageObject) throws -> SFTPHandle {
    switch try session.exchange(request) {
    case .handle(let handle): return handle
    case .status(let status) where !status.isDone:
      throw TransferError(status, address, cannot: "read image \(image.id.short)…", scope: .image)
    default: throw session.unexpected()
    }
  }
}
