internal import CairnDocument
internal import CairnStore
internal import CairnTransport
internal import SystemPackage

/// The operations on an image store over one sftp session.
struct SFTPTransfer {
  let place: SFTPPath
  let session: SFTPSession

  init(_ place: SFTPPath, _ session: SFTPSession) {
    (self.place, self.session) = (place, session)
  }

  var address: String { place.address.text }

  func ask(about images: [Pointer]) throws -> [RemoteStatus] {
    let answers = try session.exchange(images.map { .attributes(place.path(of: $0)) })
    return try zip(images, answers).map { image, answer in
      switch answer {
      case .attributes(let file):
        file.isFile && file.size == UInt64(image.size)
          ? .there(TransferAction()) : .absent(TransferAction())
      case .status(let status) where status.code == .noSuchFile: .absent(TransferAction())
      case .status(let status) where !status.isDone:
        .refused(
          TransferError(
            status, address, cannot: "look for image \(image.id.short)…", scope: .remote))
      default: throw session.unexpected()
      }
    }
  }

  func receive(_ image: Pointer, into partial: PartialBlob) throws {
    let handle = try open(.openToRead(place.path(of: image)), toRead: image)
    var reading = SFTPReadWindow(
      partial.count..<image.size, window: SFTPSession.window, partSize: SFTPSession.partSize)
    while !reading.isDone {
      while let part = reading.next(session.nextRequest) {
        try session.ask(.read(handle, offset: part.offset, count: part.count))
      }
      switch try session.hear() {
      case (let request, .data(let bytes)):
        do {
          try reading.came(request, bytes)
        } catch {
          throw session.broken("it does not keep to the sftp protocol: \(error.reason)")
        }
      case (_, .status(let status)) where status.code == .endOfFile:
        throw TransferError(
          TransportError(
            .damaged, address, "image \(image.id.short)… is shorter there than it should be"))
      case (_, .status(let status)) where !status.isDone:
        throw TransferError(
          status, address, cannot: "read image \(image.id.short)…", scope: .image)
      default: throw session.unexpected()
      }
      while let bytes = reading.take() { try bytes.withUnsafeBytes(partial.append) }
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
