internal import CairnBase
internal import CairnDocument
internal import CairnHTTP
internal import CairnStore
internal import CairnTransport
internal import Crypto
internal import SystemPackage

extension S3Connection {
  /// What the completion of an upload says about a part.
  private struct UploadTag {
    let number: Int
    let tag: String
    let checksum: String
  }

  /// Sends an image in parts, which become an object only when all of them are there.
  ///
  /// Source: Amazon S3 User Guide, “Uploading and copying objects using multipart upload”.
  func sendInParts(
    _ image: ImageObject, from path: FilePath, progress: @escaping (Int) -> Void
  ) throws {
    let file = try HashVerifyingReader(image, at: path)
    try listUploadsOnce()
    // An encrypted image has other bytes each time.
    let canContinue = image.hash == image.id
    let unfinished = canContinue ? try unfinishedUpload(of: image.id) : nil
    let upload = try unfinished ?? Upload(id: beginUpload(image.id))
    do {
      let parts = try sendParts(image, file, upload, progress)
      try complete(image, upload.id, parts)
      try endUpload(of: image.id)
    } catch {
      // After an error of the network, the next attempt continues the upload. One that another
      // process began may be in use there.
      if (error as? TransferError)?.isTransient != true || !canContinue {
        if session.hasBegun(upload.id) { abort(image.id, upload.id) }
        try endUpload(of: image.id)
      } else if (error as? TransferError)?.isNoSuchUpload == true {
        try endUpload(of: image.id)
      }
      throw error
    }
  }

  private func beginUpload(_ id: PhotoID) throws -> String {
    let response = try exchange(
      S3Request(
        .post, id, query: [("uploads", "")], headers: [("x-amz-checksum-algorithm", "SHA256")]))
    try requireSuccess(response)
    guard let upload = S3XML.text(of: "UploadId", in: response.body), 1...4096 ~= upload.utf8.count
    else { throw invalidResponse("the start of an upload") }
    try recordUpload(upload, of: id)
    return upload
  }

  /// - Throws: ``StoreError/corruptBlob(_:_:)`` instead of sending the last part, when the bytes
  ///   are not the image.
  private func sendParts(
    _ image: ImageObject, _ file: HashVerifyingReader, _ upload: Upload,
    _ progress: @escaping (Int) -> Void
  ) throws -> [UploadTag] {
    // S3 allows at most 10,000 parts.
    let size = max(partSize, (image.size + 9_999) / 10_000)
    var parts: [UploadTag] = []
    var bytes: [UInt8] = []
    bytes.reserveCapacity(size + (1 << 20))
    while true {
      let piece = try file.next()
      if let piece { bytes += piece }
      while bytes.count >= size || piece == nil && !bytes.isEmpty {
        let part = Array(bytes.prefix(size))
        bytes.removeFirst(part.count)
        let number = parts.count + 1
        if let known = upload.parts[number], known.holds(part) {
          let checksum = checksumText(SHA256.hash(data: part))
          parts.append(UploadTag(number: number, tag: known.tag, checksum: checksum))
        } else {
          parts.append(try send(part, number, image.id, upload.id, progress))
        }
      }
      if piece == nil { return parts }
    }
  }

  private func send(
    _ bytes: [UInt8], _ number: Int, _ id: PhotoID, _ upload: String,
    _ progress: @escaping (Int) -> Void
  ) throws -> UploadTag {
    let digest = SHA256.hash(data: bytes)
    let checksum = checksumText(digest)
    return try UploadPart(bytes: bytes, progress: progress).send { body in
      let response = try exchange(
        S3Request(
          .put, id, query: [("partNumber", "\(number)"), ("uploadId", upload)],
          headers: [("x-amz-checksum-sha256", checksum)],
          payloadHash: Hex.text(digest), body: body))
      try requireSuccess(response)
      guard let tag = UploadPart.tag(in: response) else {
        throw invalidResponse("the upload of a part")
      }
      return UploadTag(number: number, tag: tag, checksum: checksum)
    }
  }

  private func complete(_ image: ImageObject, _ upload: String, _ parts: [UploadTag]) throws {
    while true {
      let hasChecksums = session.supportsPartChecksums && session.supportsChecksums
      let body = list(parts, hasChecksums: hasChecksums)
      let hash = Hex.text(SHA256.hash(data: body))
      let condition = condition(image)
      let response = try exchange(
        S3Request(
          .post, image.id, query: [("uploadId", upload)],
          headers: [("Content-Type", "application/xml")] + condition, payloadHash: hash
        ) { .bytes(body) })
      // Some servers, such as OpenStack Swift, know no checksums in this list.
      if hasChecksums, response.status == 400,
        ["MalformedXML", "InvalidRequest"].contains(S3XML.text(of: "Code", in: response.body))
      {
        session.supportsPartChecksums = false
        continue
      }
      guard try isDone(response, condition: condition, image) else { continue }
      if response.status == 412 { return abort(image.id, upload) }
      // The name of the enclosing element differs between servers.
      guard S3XML.has("ETag", in: response.body) else {
        throw invalidResponse("the completion of an upload")
      }
      return
    }
  }

  /// Returns the document that completes an upload.
  private func list(_ parts: [UploadTag], hasChecksums: Bool) -> [UInt8] {
    let list = parts.map {
      "<Part><PartNumber>\($0.number)</PartNumber><ETag>\(S3XML.escaped($0.tag))</ETag>"
        + (hasChecksums ? "<ChecksumSHA256>\($0.checksum)</ChecksumSHA256>" : "") + "</Part>"
    }
    return Array(
      ("<CompleteMultipartUpload xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">"
        + list.joined() + "</CompleteMultipartUpload>").utf8)
  }

  /// Deletes the uploaded parts. If that fails, the server keeps them until its own rules remove
  /// them.
  func abort(_ id: PhotoID, _ upload: String) {
    _ = try? exchange(
      S3Request(.delete, id, query: [("uploadId", upload)]), ignoresCancellation: true)
  }

  private func invalidResponse(_ step: String) -> TransferError {
    TransferError(
      TransportError(.protocolViolation, address, "its response to \(step) is invalid"),
      isTransient: true)
  }
}
