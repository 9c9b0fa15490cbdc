internal import CairnHTTP
internal import CairnProcess
internal import CairnTransport

/// An error response from a bucket.
///
/// Source: Amazon S3 API Reference, “Error responses”.
struct S3ErrorResponse {
  /// Such as `NoSuchKey`; nil if the response has none.
  let code: String?
  /// Safe to show.
  private let message: String?
  /// The bucket's region, if the response names it.
  let region: String?
  private let response: HTTPResponse

  private static let bodyLimit = 64 << 10

  init(_ response: HTTPResponse, _ credentials: S3Credentials?) {
    self.response = response
    let body = response.body.prefix(S3ErrorResponse.bodyLimit)
    code = S3XML.text(of: "Code", in: body).flatMap { code in
      let isCode = code.utf8.allSatisfy { 0x30...0x39 ~= $0 || 0x41...0x5A ~= $0 & 0xDF }
      return isCode && 1...64 ~= code.utf8.count ? code : nil
    }
    message = S3XML.text(of: "Message", in: body).flatMap { text in
      // A server may echo the credentials it received.
      if credentials?.appear(in: text) == true { return nil }
      let shown = ServerMessages(text.utf8).sentence
      let message = shown.unicodeScalars.prefix(300).reversed().drop { $0 == "." }.reversed()
      return message.isEmpty ? nil : String(String.UnicodeScalarView(message))
    }
    region = (response.headers["x-amz-bucket-region"] ?? S3XML.text(of: "Region", in: body))
      .flatMap { S3Address.isRegion($0) ? $0 : nil }
  }

  /// Whether the request may succeed in another region.
  var isInOtherRegion: Bool {
    switch response.status {
    case 301, 307: true
    case 400, 403: code == nil || code == "AuthorizationHeaderMalformed"
    default: false
    }
  }

  /// Whether renewed credentials may succeed.
  var isExpired: Bool {
    ["ExpiredToken", "ExpiredTokenException", "TokenRefreshRequired"].contains(code)
  }

  /// Whether the server may have rejected the headers with checksums, as Backblaze B2 and
  /// Cloudflare R2 do: “Unsupported header 'x-amz-checksum-sha256' received for this API call.” The
  /// response to a HEAD request gives no reason.
  func mayRejectChecksums(of method: HTTPRequest.Method) -> Bool {
    guard [400, 501].contains(response.status) else { return false }
    return message?.lowercased().contains("x-amz-checksum") ?? (code == nil && method == .head)
  }

  /// - Parameters:
  ///   - address: The address to show to people.
  ///   - isKnown: Whether credentials were sent.
  ///   - denied: The scope of a denial.
  func error(
    _ address: String, now: Int64, isKnown: Bool, denied: TransferError.Scope
  ) -> TransferError {
    let plain = TransferError(response.failure(now: now), address)
    let detail = [code, message].compactMap { $0 }.joined(separator: ": ")
    let status = detail.isEmpty ? plain.cause.reason : "it returned \(response.status) (\(detail))"
    func error(
      _ kind: TransportError.Kind, _ reason: String? = nil, _ scope: TransferError.Scope = .remote,
      isTransient: Bool = false
    ) -> TransferError {
      TransferError(
        TransportError(kind, address, reason.map { "\($0): \(status)" } ?? status), scope: scope,
        isTransient: isTransient, retryAfterMilliseconds: plain.retryAfterMilliseconds)
    }
    if !isKnown, [401, 403].contains(response.status) {
      return error(
        .authentication,
        "it requires credentials, but neither AWS_ACCESS_KEY_ID nor an AWS profile is set", denied)
    }
    switch code {
    case "NoSuchBucket": return error(.noRepository, "there is no such bucket")
    case "InvalidBucketName": return error(.unsupportedAddress)
    case "AccessDenied", "AllAccessDisabled", "AccountProblem":
      return error(.forbidden, nil, denied)
    case "InvalidAccessKeyId", "InvalidToken", "MissingSecurityHeader":
      return error(.authentication, "it does not recognize these credentials")
    case "SignatureDoesNotMatch": return error(.authentication, "the secret key is wrong")
    case "ExpiredToken", "ExpiredTokenException", "TokenRefreshRequired":
      return error(.authentication, "the credentials have expired")
    case "RequestTimeTooSkewed":
      return error(.authentication, "this machine's clock differs too much from the server's")
    case "AuthorizationHeaderMalformed", "PermanentRedirect", "TemporaryRedirect":
      let region = region.map { "the region \($0)" } ?? "another region"
      return error(.unsupportedAddress, "the bucket is in \(region)")
    case "InvalidObjectState": return error(.forbidden, "the image is archived", .image)
    case "QuotaExceeded", "StorageFull", "XMinioStorageFull": return error(.noSpace)
    case "BadDigest", "XAmzContentSHA256Mismatch", "InvalidDigest":
      return error(.damaged, "the data changed in transit", .image, isTransient: true)
    case "SlowDown", "Throttling", "ThrottlingException", "RequestLimitExceeded",
      "TooManyRequestsException", "ServiceUnavailable", "InternalError", "RequestTimeout",
      "IncompleteBody", "OperationAborted", "ConditionalRequestConflict", "NoSuchUpload",
      "InvalidPart":
      return error(.serverError, nil, .image, isTransient: true)
    default:
      // A denied HEAD request has no error code.
      let scope = plain.cause.kind == .forbidden ? denied : plain.scope
      return error(plain.cause.kind, nil, scope, isTransient: plain.isTransient)
    }
  }
}

extension TransferError {
  /// Whether a bucket has no upload with the id that was sent.
  var isNoSuchUpload: Bool { cause.reason.contains("NoSuchUpload") }
}
