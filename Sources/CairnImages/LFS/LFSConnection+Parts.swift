internal import CairnHTTP
internal import CairnTransport
internal import SystemPackage

extension LFSConnection {
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
      tags.append(try send(UploadPart(bytes: bytes, progress: progress), to: target))
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
  private func send(_ part: UploadPart, to target: LFSActions.Action) throws -> String {
    try part.send { body in
      try reporting(target.address) {
        let response = try send(
          HTTPRequest(.put, target.url), to: target.address, isAuthenticated: true, body: body)
        try check(response, isUpload: true)
        guard let tag = UploadPart.tag(in: response) else {
          throw TransferError(
            TransportError(
              .protocolViolation, target.address.server,
              "its response to the upload of a part is invalid"))
        }
        return tag
      }
    }
  }
}
