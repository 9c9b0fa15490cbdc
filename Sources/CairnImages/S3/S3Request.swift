internal import CairnDocument
internal import CairnHTTP

/// A request for an object, as a rule an image's, before it is signed.
struct S3Request {
  /// What is requested.
  enum Target {
    case image(PhotoID)
    /// Empty for the bucket itself.
    case key(String)
  }

  let method: HTTPRequest.Method
  let target: Target
  let query: [(name: String, value: String)]
  private(set) var headers: [(name: String, value: String)]
  /// The SHA-256 of the body, in hexadecimal digits.
  let payloadHash: String
  /// Called each time the request is sent.
  let body: () throws -> HTTPRequest.Body?

  init(
    _ method: HTTPRequest.Method, _ image: PhotoID, query: [(name: String, value: String)] = [],
    headers: [(name: String, value: String)] = [], payloadHash: String = S3Signature.emptyHash,
    body: @escaping () throws -> HTTPRequest.Body? = { nil }
  ) {
    (self.method, target, self.query) = (method, .image(image), query)
    (self.headers, self.payloadHash, self.body) = (headers, payloadHash, body)
  }

  /// Creates a request without a body for a key, which is empty for the bucket itself.
  init(_ method: HTTPRequest.Method, key: String, query: [(name: String, value: String)]) {
    (self.method, target, self.query) = (method, .key(key), query)
    (headers, payloadHash, body) = ([], S3Signature.emptyHash, { nil })
  }

  private static let checksumPrefix = "x-amz-checksum-"

  /// Whether it has headers with checksums or about them, which some servers reject.
  var hasChecksums: Bool { headers.contains { $0.name.hasPrefix(S3Request.checksumPrefix) } }

  /// The same request without such headers.
  var withoutChecksums: S3Request {
    var request = self
    request.headers.removeAll { $0.name.hasPrefix(S3Request.checksumPrefix) }
    return request
  }

  func signed(_ lease: S3Session.Lease, now: Int64) throws -> HTTPRequest {
    let endpoint = lease.endpoint
    let key =
      switch target {
      case .image(let id): endpoint.key(of: id)
      case .key(let key): key
      }
    let path = endpoint.path(of: key)
    var request = HTTPRequest(method, endpoint.base + path, body: try body())
    if !query.isEmpty { request.url += "?" + S3Signature.canonicalQuery(query) }
    for (name, value) in headers { request.headers.add(name, value) }
    guard let credentials = lease.credentials else { return request }
    let signature = S3Signature(credentials: credentials, region: endpoint.region, time: now)
    request.headers.add("x-amz-content-sha256", payloadHash)
    request.headers.add("x-amz-date", signature.date)
    if let token = credentials.token { request.headers.add("x-amz-security-token", token) }
    let message = S3Signature.Message(
      method: method.rawValue, path: path, query: query,
      headers: request.headers.fields + [("host", endpoint.host)], payloadHash: payloadHash)
    request.headers.add("Authorization", signature.authorization(of: message))
    return request
  }
}
