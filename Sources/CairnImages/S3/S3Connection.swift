internal import CairnDocument
internal import CairnHTTP
internal import CairnStore
internal import CairnTransport
internal import SystemPackage

/// A connection to a bucket.
final class S3Connection: ImageConnection {
  let session: S3Session
  let wholeLimit: Int
  let partSize: Int
  private var client: (place: S3Endpoint, client: HTTPClient)?
  /// The credentials of the last request.
  private var credentials: S3Credentials?

  init(_ session: S3Session, wholeLimit: Int, partSize: Int) {
    (self.session, self.wholeLimit, self.partSize) = (session, wholeLimit, partSize)
  }

  var address: String { "\(session.address)" }

  // MARK: Query

  func ask(_ direction: ImageDirection, about images: [Pointer]) throws -> [RemoteStatus] {
    try images.map { try ask(direction, about: $0) }
  }

  /// - Parameter isLast: Whether the server was already asked for the reason once.
  private func ask(
    _ direction: ImageDirection, about image: Pointer, isLast: Bool = false
  ) throws -> RemoteStatus {
    let answer = try exchange(
      S3Request(.head, image.id, headers: [("x-amz-checksum-mode", "ENABLED")]))
    if direction == .upload, credentials == nil {
      let cause = TransportError(
        .authentication, address,
        "to send images, it needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or an AWS profile")
      throw TransferError(cause, scope: .remote)
    }
    switch answer.status {
    case 200:
      session.isBucketKnown = true
      if isThatImage(answer, image) { return .there(TransferAction()) }
      session.noteReplaced(image.id)
      return .absent(TransferAction())
    case 404 where session.isBucketKnown: return .absent(TransferAction())
    case 400...407, 409...428: break
    default: return .refused(error(S3ErrorResponse(answer, credentials), denied: .image))
    }
    // A HEAD response has no body, so request the reason with GET.
    let why = try exchange(S3Request(.get, image.id, headers: [("Range", "bytes=0-0")]))
    if !isLast, why.isSuccess || why.status == 416 {
      return try ask(direction, about: image, isLast: true)
    }
    return verdict(direction, S3ErrorResponse(why.isSuccess ? answer : why, credentials), answer)
  }

  private func verdict(
    _ direction: ImageDirection, _ failure: S3ErrorResponse, _ answer: HTTPResponse
  ) -> RemoteStatus {
    switch failure.code {
    case "NoSuchKey":
      session.isBucketKnown = true
      return .absent(TransferAction())
    case nil where answer.status == 404: return .absent(TransferAction())
    case "AccessDenied":
      // Without permission to list, a missing object is also reported as denied.
      if direction == .upload { return .absent(TransferAction()) }
      return .refused(error(failure, denied: session.noteDenial()))
    default: return .refused(error(failure, denied: .image))
    }
  }

  /// Whether the size matches, and the checksum if the server has one.
  private func isThatImage(_ answer: HTTPResponse, _ image: Pointer) -> Bool {
    guard answer.headers["Content-Length"].flatMap({ Int($0) }) == image.size else { return false }
    // For an upload in parts, it is the checksum of their checksums; only the tag always shows
    // that.
    guard let checksum = answer.headers["x-amz-checksum-sha256"],
      ![checksum, answer.headers["ETag"] ?? ""].contains(where: { $0.utf8.contains(0x2D) })
    else { return true }
    return checksum == checksumText(image.id.digest)
  }

  // MARK: Send

  func send(
    _ image: Pointer, from file: FilePath, _ ticket: TransferAction, progress: (Int) -> Void
  ) throws {
    // The closures that read the file end with this call.
    try withoutActuallyEscaping(progress) { progress in
      if image.size > wholeLimit {
        try sendInParts(image, from: file, progress: progress)
      } else {
        try sendWhole(image, from: file, progress: progress)
      }
    }
  }

  private func sendWhole(
    _ image: Pointer, from file: FilePath, progress: @escaping (Int) -> Void
  ) throws {
    while true {
      let condition = condition(image)
      var sent = 0
      let request = S3Request(
        .put, image.id,
        headers: [("x-amz-checksum-sha256", checksumText(image.id.digest))] + condition,
        payloadHash: image.id.description
      ) {
        progress(-sent)
        sent = 0
        return try HashVerifyingReader(image, at: file).body {
          sent += $0
          progress($0)
        }
      }
      let answer = try exchange(request)
      if try isDone(answer, condition: condition) { return }
      progress(-sent)
    }
  }

  /// Returns the fields that prevent overwriting an object.
  func condition(_ image: Pointer) -> [(name: String, value: String)] {
    session.takesConditions && !session.isReplaced(image.id) ? [("If-None-Match", "*")] : []
  }

  /// Returns whether the object is there now; false when the server does not support the condition,
  /// which is then not sent again.
  func isDone(
    _ answer: HTTPResponse, condition: [(name: String, value: String)]
  ) throws -> Bool {
    let failure = S3ErrorResponse(answer, credentials)
    // Amazon reports late failures in a response whose success status was already sent.
    if answer.isSuccess, failure.code == nil { return true }
    if answer.status == 412, !condition.isEmpty { return true }
    if answer.status == 501, !condition.isEmpty {
      session.takesConditions = false
      return false
    }
    throw error(failure, denied: .remote)
  }

  // MARK: Receive

  func receive(_ image: Pointer, into partial: PartialBlob, _ ticket: TransferAction) throws {
    if try fetch(image, into: partial) { return }
    try partial.restart()
    guard try fetch(image, into: partial) else {
      throw TransferError(
        TransportError(.protocolViolation, address, "it has no such part of an image"))
    }
  }

  /// - Returns: False when the object has no bytes from that offset on.
  private func fetch(_ image: Pointer, into partial: PartialBlob) throws -> Bool {
    let offset = partial.count
    let range = offset > 0 ? [(name: "Range", value: "bytes=\(offset)-")] : []
    var isChecked = false
    let answer = try exchange(S3Request(.get, image.id, headers: range)) { answer, bytes in
      if !isChecked { try self.check(answer, image, partial) }
      isChecked = true
      try partial.append(bytes)
    }
    if answer.status == 416 { return false }
    guard answer.isSuccess else {
      throw error(S3ErrorResponse(answer, credentials), denied: .image)
    }
    return true
  }

  /// Checks that the received bytes follow those that are here; otherwise restarts the file.
  private func check(_ answer: HTTPResponse, _ image: Pointer, _ partial: PartialBlob) throws {
    if partial.count == 0, answer.status == 200 { return }
    let expected = "bytes \(partial.count)-\(image.size - 1)/\(image.size)"
    if answer.status == 206, answer.headers["Content-Range"] == expected { return }
    try partial.restart()
    if answer.status == 200 { return }
    let cause = TransportError(.damaged, address, "it sent another part of an image than asked for")
    throw TransferError(cause, isTransient: true)
  }

  // MARK: Exchange

  /// Sends a signed request and returns the response; if the bucket is in another region or the
  /// credentials have expired, sends it a second time.
  ///
  /// - Parameter lastly: Whether to send even after a cancellation, with short timeouts.
  /// - Throws: ``TransferError``, and any error of the body and `sink`.
  func exchange(
    _ request: S3Request, lastly: Bool = false, into sink: HTTPClient.Sink? = nil
  ) throws -> HTTPResponse {
    var visit = try session.visit()
    var (mayMove, mayRenew) = (true, true)
    while true {
      credentials = visit.credentials
      let answer = try transmit(request, visit, lastly, sink)
      if answer.isSuccess { return answer }
      let failure = S3ErrorResponse(answer, credentials)
      if mayMove, failure.isElsewhere, let region = failure.region, region != visit.place.region {
        mayMove = false
        visit = try session.move(to: region)
      } else if mayRenew, failure.isExpired, let used = credentials,
        let other = try session.renew(used)
      {
        mayRenew = false
        visit = other
      } else {
        return answer
      }
    }
  }

  private func transmit(
    _ request: S3Request, _ visit: S3Session.Lease, _ lastly: Bool, _ sink: HTTPClient.Sink?
  ) throws -> HTTPResponse {
    let signed = try request.signed(visit, now: session.now())
    do {
      return try client(for: visit.place, lastly).send(signed, into: sink)
    } catch let error as HTTPError {
      throw TransferError(error, address)
    }
  }

  private func client(for place: S3Endpoint, _ lastly: Bool) throws -> HTTPClient {
    if lastly { return try session.client(for: place, lastly: true) }
    if let client, client.place == place { return client.client }
    let opened = try session.client(for: place)
    client = (place, opened)
    return opened
  }

  func error(_ failure: S3ErrorResponse, denied: TransferError.Scope) -> TransferError {
    failure.error(address, now: session.now(), isKnown: credentials != nil, denied: denied)
  }
}
