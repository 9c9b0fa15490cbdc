internal import CairnDocument
internal import CairnHTTP
internal import CairnTransport
internal import Synchronization
internal import SystemPackage

/// The state shared by the connections to one bucket.
final class S3Session: Sendable {
  /// An endpoint and the credentials for it.
  struct Lease {
    let endpoint: S3Endpoint
    /// Nil for anonymous access.
    let credentials: S3Credentials?
  }

  let address: S3Address
  private let context: TransportContext
  private let remote: String?
  private let source: S3CredentialSource
  private let state = Mutex(State())

  private struct State {
    var lease: Lease?
    /// When the credentials were obtained, in milliseconds since 1970.
    var opened: Int64 = 0
    /// The region that the server reported.
    var region: String?
    var supportsConditions = true
    var supportsChecksums = true
    var isBucketKnown = false
    var denials = 0
    var replaced: Set<PhotoID> = []
    /// The unfinished uploads in parts, by key; nil until they are listed.
    var uploads: [String: String]?
    /// The ids of the uploads that this session began.
    var begun: Set<String> = []
    var supportsPartChecksums = true
    var list = S3ImageList()
  }

  init(
    _ address: S3Address, _ context: TransportContext, remote: String?, _ source: S3CredentialSource
  ) {
    (self.address, self.context, self.remote, self.source) = (address, context, remote, source)
  }

  func now() -> Int64 { source.now() }

  // MARK: Endpoint and credentials

  /// Returns the bucket's endpoint, with fresh credentials.
  ///
  /// - Throws: ``TransferError``.
  func lease() throws -> Lease {
    // Other threads wait here, so that the program that provides credentials runs once.
    try state.withLock { state in
      if let lease = state.lease {
        let isFresh = lease.credentials?.isFresh(at: now()) != false
        // Credentials that are never fresh are not renewed for each request.
        if isFresh || now() - state.opened < S3Session.renewalInterval { return lease }
      }
      return try open(&state)
    }
  }

  /// In milliseconds.
  private static let renewalInterval: Int64 = 60_000

  private func open(_ state: inout State) throws -> Lease {
    let configuration = try source.configuration()
    let endpoint = try endpoint(configuration, state.region)
    let lease = Lease(endpoint: endpoint, credentials: try source.load(configuration))
    (state.lease, state.opened) = (lease, now())
    return lease
  }

  private func endpoint(
    _ configuration: AWSConfiguration, _ reported: String?
  ) throws -> S3Endpoint {
    let environment = source.environment
    let region =
      reported ?? address.region ?? environment("AWS_REGION") ?? environment("AWS_DEFAULT_REGION")
      ?? configuration["region"] ?? "us-east-1"
    guard S3Address.isRegion(region) else {
      throw invalid("the AWS region is not a valid region name")
    }
    let url =
      environment("AWS_ENDPOINT_URL_S3") ?? environment("AWS_ENDPOINT_URL")
      ?? configuration["endpoint_url"]
    var server = address.endpoint
    if server == nil, let url {
      do throws(S3Address.Malformed) {
        server = try S3Address.endpoint(url)
      } catch {
        throw invalid("AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL or endpoint_url: \(error.reason)")
      }
    }
    return S3Endpoint(address, region: region, endpoint: server)
  }

  private func invalid(_ reason: String) -> TransferError {
    TransferError(TransportError(.unsupportedAddress, "\(address)", reason), scope: .remote)
  }

  /// Switches to another region, which the server has reported.
  func move(to region: String) throws -> Lease {
    try state.withLock { state in
      if state.region == region, let lease = state.lease { return lease }
      state.region = region
      return try open(&state)
    }
  }

  /// Replaces expired credentials.
  ///
  /// - Returns: Nil when there are no others.
  func renew(_ used: S3Credentials) throws -> Lease? {
    try state.withLock { state in
      if let lease = state.lease, lease.credentials != used { return lease }
      let lease = try open(&state)
      return lease.credentials == used ? nil : lease
    }
  }

  /// Returns a new client for an endpoint.
  ///
  /// - Parameter ignoresCancellation: Whether it works even after a cancellation, with short
  ///   timeouts.
  func client(for endpoint: S3Endpoint, ignoresCancellation: Bool = false) throws -> HTTPClient {
    guard let target = WebAddress(endpoint.base + "/") else {
      throw invalid("its endpoint is not an http or https address")
    }
    var settings = HTTPSettings(context, for: target, remote: remote)
    // A signature is valid for one URL, and replaces a password.
    (settings.redirects, settings.usesNetrc) = (.none, false)
    if let file = source.environment("AWS_CA_BUNDLE") { settings.trust = .file(FilePath(file)) }
    if ignoresCancellation {
      (settings.connectTimeoutMilliseconds, settings.stallTimeoutSeconds) = (5000, 5)
      settings.isCancelled = { false }
    }
    return HTTPClient(settings)
  }

  // MARK: Shared state

  /// Whether the server supports `If-None-Match`.
  var supportsConditions: Bool {
    get { state.withLock { $0.supportsConditions } }
    set { state.withLock { $0.supportsConditions = newValue } }
  }

  /// Whether the server accepts headers with checksums; the signed hash covers the body anyway.
  var supportsChecksums: Bool {
    get { state.withLock { $0.supportsChecksums } }
    set { state.withLock { $0.supportsChecksums = newValue } }
  }

  /// Whether the bucket is known to exist.
  var isBucketKnown: Bool {
    get { state.withLock { $0.isBucketKnown } }
    set { state.withLock { $0.isBucketKnown = newValue } }
  }

  /// Whether the list of parts that completes an upload may have checksums.
  var supportsPartChecksums: Bool {
    get { state.withLock { $0.supportsPartChecksums } }
    set { state.withLock { $0.supportsPartChecksums = newValue } }
  }

  /// The unfinished uploads in parts, by key; nil until they are listed.
  var uploads: [String: String]? { state.withLock { $0.uploads } }

  /// Records the listed uploads, once.
  func recordUploads(_ uploads: [String: String]) {
    state.withLock { state in if state.uploads == nil { state.uploads = uploads } }
  }

  /// Records an upload that was begun; nil when it ended.
  func recordUpload(_ id: String?, for key: String) {
    state.withLock { $0.uploads?[key] = id }
  }

  /// Records the id of an upload that this session began.
  func recordBegun(_ id: String) { state.withLock { _ = $0.begun.insert(id) } }

  func hasBegun(_ id: String) -> Bool { state.withLock { $0.begun.contains(id) } }

  /// Whether the list of the bucket's images, as far as it was read, shows that it lacks an image.
  func lacks(_ id: PhotoID) -> Bool { state.withLock { $0.list.lacks(id) } }

  /// Returns a page of the list to read before an image is asked for; nil for none.
  func takeListPage() -> S3ImageList.Page? { state.withLock { $0.list.takePage() } }

  /// Records a page of the list that was read.
  func addListed(_ images: [PhotoID], next token: String?, isLast: Bool) {
    state.withLock { $0.list.add(images, next: token, isLast: isLast) }
  }

  /// Number of denials after which a transfer without any success ends.
  private static let denialLimit = 20

  /// Records that an image was denied.
  ///
  /// - Returns: The scope of the denial. Without permission to list, missing objects are denied,
  ///   but others are not.
  func recordDenial() -> TransferError.Scope {
    state.withLock { state in
      state.denials += 1
      return state.isBucketKnown || state.denials < S3Session.denialLimit ? .image : .remote
    }
  }

  /// Records that an image is to be sent without a condition: other data has its name, or the key may
  /// not see what has it.
  func recordReplaced(_ id: PhotoID) { state.withLock { _ = $0.replaced.insert(id) } }

  func isReplaced(_ id: PhotoID) -> Bool { state.withLock { $0.replaced.contains(id) } }
}
