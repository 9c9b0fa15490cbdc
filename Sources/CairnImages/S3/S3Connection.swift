internal import CairnDocument
internal import CairnHTTP
internal import CairnStore
internal import CairnTransport
internal import SystemPackage

/// A connection to a bucket.
final class S3Connection: ImageConnection {
  let session: S3Session
  let multipartThreshold: Int
  let partSize: Int
  private var client: (endpoint: S3Endpoint, client: HTTPClient)?
  /// The credentials of the last request.
  private var credentials: S3Credentials?

  init(_ session: S3Session, multipartThreshold: Int, partSize: Int) {
    (self.session, self.multipartThreshold, self.partSize) = (session, multipartThreshold, partSize)
  }

  var address: String { "\(session.address)" }

  // MARK: Query

  func query(_ direction: ImageDirection, about images: [ImageObject]) throws -> [RemoteStatus] {
    try images.map { image -> RemoteStatus in
      if direction == .upload, try isUnlisted(image) { return .missing(TransferAction()) }
      return try query(direction, about: image)
    }
  }

  /// - Parameter isLast: Whether the server was already asked for the reason once.
  private func query(
    _ direction: ImageDirection, about image: ImageObject, isLast: Bool = false
  ) throws -> RemoteStatus {
    let response = try exchange(
      S3Request(.head, image.id, headers: [("x-amz-checksum-mode", "ENABLED")]))
    if direction == .upload, credentials == nil {
      let cause = TransportError(
        .authentication, address,
        "uploads require AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or an AWS profile")
      throw TransferError(cause, scope: .remote)
    }
    switch response.status {
    case 200:
      session.isBucketKnown = true
      if let isVerified = matches(response, image) {
        return .present(TransferAction(isVerified: isVerified))
      }
      session.recordReplaced(image.id)
      return .missing(TransferAction())
    case 404 where session.isBucketKnown: return .missing(TransferAction())
    case 400...407, 409...428: break
    default: return .rejected(error(S3ErrorResponse(response, credentials), denied: .image))
    }
    // A HEAD response has no body, so request the reason with GET.
    let reason = try exchange(S3Request(.get, image.id, headers: [("Range", "bytes=0-0")]))
    if !isLast, reason.isSuccess || reason.status == 416 {
      return try query(direction, about: image, isLast: true)
    }
    let failure = S3ErrorResponse(reason.isSuccess ? response : reason, credentials)
    return imageStatus(direction, failure, response)
  }

  private func imageStatus(
    _ direction: ImageDirection, _ failure: S3ErrorResponse, _ response: HTTPResponse
  ) -> RemoteStatus {
    switch failure.code {
    case "NoSuchKey":
      session.isBucketKnown = true
      return .missing(TransferAction())
    case nil where response.status == 404: return .missing(TransferAction())
    case "AccessDenied":
      // Without permission to list, a missing object is also reported as denied.
      if direction == .upload { return .missing(TransferAction()) }
      return .rejected(error(failure, denied: session.recordDenial()))
    default: return .rejected(error(failure, denied: .image))
    }
  }

  /// Returns whether the server's checksum matches, false if it has none; nil if that or the size
  /// differs.
  private func matches(_ response: HTTPResponse, _ image: ImageObject) -> Bool? {
    guard response.headers["Content-Length"].flatMap({ Int($0) }) == image.size else { return nil }
    // For an upload in parts, it is the checksum of their checksums; only the tag always shows
    // that.
    guard let hash = image.hash, let checksum = response.headers["x-amz-checksum-sha256"],
      ![checksum, response.headers["ETag"] ?? ""].contains(where: { $0.utf8.contains(0x2D) })
    else { return false }
    return checksum == checksumText(hash.digest) ? true : nil
  }

  // MARK: Send

  func send(
    _ image: ImageObject, from file: FilePath, _ action: TransferAction, progress: (Int) -> Void
  ) throws {
    if action.replaces { session.recordReplaced(image.id) }
    // The closures that read the file end with this call.
    try withoutActuallyEscaping(progress) { progress in
      if image.size > multipartThreshold {
        try sendInParts(image, from: file, progress: progress)
      } else {
        try putObject(image, from: file, progress: progress)
      }
    }
  }

  private func putObject(
    _ image: ImageObject, from file: FilePath, progress: @escaping (Int) -> Void
  ) throws {
    while true {
      let condition = condition(image)
      let hash = image.hash ?? image.id
      var sent = 0
      let request = S3Request(
        .put, image.id,
        headers: [("x-amz-checksum-sha256", checksumText(hash.digest))] + condition,
        payloadHash: hash.description
      ) {
        progress(-sent)
        sent = 0
        return try HashVerifyingReader(image, at: file).body {
          sent += $0
          progress($0)
        }
      }
      let response = try exchange(request)
      if try isDone(response, condition: condition, image) { return }
      progress(-sent)
    }
  }

  /// Returns the fields that prevent overwriting an object.
  func condition(_ image: ImageObject) -> [(name: String, value: String)] {
    session.supportsConditions && !session.isReplaced(image.id) ? [("If-None-Match", "*")] : []
  }

  /// Returns whether the object is there now; false when the request is to be sent again without a
  /// condition: the server does not support it, or refused it and does not show the image.
  func isDone(
    _ response: HTTPResponse, condition: [(name: String, value: String)], _ image: ImageObject
  ) throws -> Bool {
    guard !condition.isEmpty, [412, 501].contains(response.status) else {
      try requireSuccess(response)
      return true
    }
    if response.status == 412, try isThere(image) { return true }
    if !session.isReplaced(image.id) { session.supportsConditions = false }
    return false
  }

  /// Returns whether an image is in the bucket, after the server has refused to overwrite it: some
  /// servers and proxies refuse every condition.
  ///
  /// If the key may not ask, this is unknown: without permission to list, a missing object is reported
  /// as denied, and with a key that may only write, so is every object. The image is then sent without
  /// a condition: its bytes are those that belong under its name.
  private func isThere(_ image: ImageObject) throws -> Bool {
    let response = try exchange(
      S3Request(.head, image.id, headers: [("x-amz-checksum-mode", "ENABLED")]))
    switch response.status {
    case 200 where matches(response, image) != nil: return true
    case 200, 401, 403:
      session.recordReplaced(image.id)
      return false
    case 404: return false
    default: throw error(S3ErrorResponse(response, credentials), denied: .image)
    }
  }

  /// Throws unless a request succeeded.
  func requireSuccess(_ response: HTTPResponse) throws {
    let failure = S3ErrorResponse(response, credentials)
    // Amazon reports late failures in a response whose success status was already sent.
    if response.isSuccess, failure.code == nil { return }
    throw error(failure, denied: .remote)
  }

  // MARK: Receive

  func receive(_ image: ImageObject, into partial: any ImageSink, _ action: TransferAction) throws {
    if try fetch(image, into: partial) { return }
    try partial.restart()
    guard try fetch(image, into: partial) else {
      throw TransferError(
        TransportError(
          .protocolViolation, address, "it does not have the requested range of an image"))
    }
  }

  /// - Returns: False when the object has no bytes from that offset on.
  private func fetch(_ image: ImageObject, into partial: any ImageSink) throws -> Bool {
    let offset = partial.count
    let range = offset > 0 ? [(name: "Range", value: "bytes=\(offset)-")] : []
    var isChecked = false
    let response = try exchange(S3Request(.get, image.id, headers: range)) { response, bytes in
      if !isChecked { try self.check(response, image, partial) }
      isChecked = true
      try partial.append(bytes)
    }
    if response.status == 416 { return false }
    guard response.isSuccess else {
      throw error(S3ErrorResponse(response, credentials), denied: .image)
    }
    return true
  }

  /// Checks that the received bytes follow those that are here; otherwise restarts the file.
  private func check(_ response: HTTPResponse, _ image: ImageObject, _ partial: any ImageSink)
    throws
  {
    if partial.count == 0, response.status == 200 { return }
    let expected = "bytes \(partial.count)-\(image.size - 1)/\(image.size)"
    if response.status == 206, response.headers["Content-Range"] == expected { return }
    try partial.restart()
    if response.status == 200 { return }
    let cause = TransportError(
      .damaged, address, "it sent a different range of an image than requested")
    throw TransferError(cause, isTransient: true)
  }

  // MARK: Exchange

  /// Sends a signed request and returns the response; if the bucket is in another region, the
  /// credentials have expired or the server knows no checksums, sends it again.
  ///
  /// - Parameter ignoresCancellation: Whether to send even after a cancellation, with short
  ///   timeouts.
  /// - Throws: ``TransferError``, and any error of the body and `sink`.
  func exchange(
    _ request: S3Request, ignoresCancellation: Bool = false, into sink: HTTPClient.Sink? = nil
  ) throws -> HTTPResponse {
    var lease = try session.lease()
    var (mayMove, mayRenew) = (true, true)
    var request = session.supportsChecksums ? request : request.withoutChecksums
    while true {
      credentials = lease.credentials
      let response = try transmit(request, lease, ignoresCancellation, sink)
      if response.isSuccess { return response }
      let failure = S3ErrorResponse(response, credentials)
      if mayMove, failure.isInOtherRegion, let region = failure.region,
        region != lease.endpoint.region
      {
        mayMove = false
        lease = try session.move(to: region)
      } else if mayRenew, failure.isExpired, let used = credentials,
        let other = try session.renew(used)
      {
        mayRenew = false
        lease = other
      } else if request.hasChecksums, failure.mayRejectChecksums(of: request.method) {
        request = request.withoutChecksums
        // A server that rejects this request, too, may have meant something else.
        let other = try transmit(request, lease, ignoresCancellation, sink)
        guard other.isSuccess || other.status == 404 else { return response }
        session.supportsChecksums = false
        return other
      } else {
        return response
      }
    }
  }

  private func transmit(
    _ request: S3Request, _ lease: S3Session.Lease, _ ignoresCancellation: Bool,
    _ sink: HTTPClient.Sink?
  ) throws -> HTTPResponse {
    let signed = try request.signed(lease, now: session.now())
    do {
      return try client(for: lease.endpoint, ignoresCancellation).send(signed, into: sink)
    } catch let error as HTTPError {
      throw TransferError(error, address)
    }
  }

  private func client(for endpoint: S3Endpoint, _ ignoresCancellation: Bool) throws -> HTTPClient {
    if ignoresCancellation { return try session.client(for: endpoint, ignoresCancellation: true) }
    if let client, client.endpoint == endpoint { return client.client }
    let opened = try session.client(for: endpoint)
    client = (endpoint, opened)
    return opened
  }

  func error(_ failure: S3ErrorResponse, denied: TransferError.Scope) -> TransferError {
    failure.error(address, now: session.now(), isKnown: credentials != nil, denied: denied)
  }
}
