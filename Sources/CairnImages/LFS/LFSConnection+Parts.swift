internal import CairnHTTP
internal import CairnTransport
internal import SystemPackage

extension LFSConnection {
  /// Maximum number of attempts to send a part from memory.
  private static let attempts = 3
  /// Number of bytes of a part after which its progress is reported, which may limit the rate.
  private static let pieceSize = 256 << 10

  /// Sends an image in parts, which become an object only when all of them are there.
  ///
  /// - Throws: ``StoreError/corruptBlob(_:_:)`` instead of sending the last part, when the bytes are
  ///   not the image.
  func sendInParts(
    _ image: ImageObject, from path: FilePath, _ actions: LFSActions, _ parts: LFSActions.Parts,
    progress: @escaping (Int) -> Void
  ) throws {
    let file = try HashVerifyingReader(image, at: path)
    var tags: [String] = []
    var bytes: [UInt8] = []
    for target in parts.targets {
      while bytes.count < parts.size, let piece = try file.next() { bytes += piece }
      // At most one piece more was read.
      let rest = Array(bytes.dropFirst(parts.size))
      bytes.removeLast(rest.count)
      tags.append(try send(bytes, to: target, progress: progress))
      bytes = rest
    }
    let completion = actions.transfer
    try reporting(completion.address) {
      var request = HTTPRequest(
        .post, completion.url, body: .bytes(LFSBatch.completion(of: image, tags)))
      request.headers["Accept"] = LFSBatch.mediaType
      request.headers["Content-Type"] = LFSBatch.mediaType
      try check(
        send(request, to: completion.address, isAuthenticated: actions.isAuthenticated),
        isUpload: true)
    }
  }

  /// Sends a part to a URL that authenticates it.
  ///
  /// - Returns: The server's tag of the part.
  private func send(
    _ part: [UInt8], to target: LFSActions.Action, progress: @escaping (Int) -> Void
  ) throws -> String {
    var sent = 0
    var attempt = 1
    while true {
      do {
        return try reporting(target.address) {
          let response = try send(
            HTTPRequest(.put, target.url), to: target.address, isAuthenticated: true,
            body: {
              progress(-sent)
              sent = 0
              return .pieces(length: part.count) {
                let piece = Array(part[sent...].prefix(LFSConnection.pieceSize))
                sent += piece.count
                progress(piece.count)
                return piece.isEmpty ? nil : piece
              }
            })
          try check(response, isUpload: true)
          guard let tag = response.headers["ETag"], 1...1024 ~= tag.utf8.count else {
            throw TransferError(
              TransportError(
                .protocolViolation, target.address.server,
                "its response to the upload of a part is invalid"))
          }
          return tag
        }
      } catch let error as TransferError {
        let mayHelp = error.isTransient && error.retryAfterMilliseconds == nil
        guard mayHelp, attempt < LFSConnection.attempts else { throw error }
        attempt += 1
      }
    }
  }
}
