internal import CairnDocument
internal import CairnHTTP
package import CairnStore
package import CairnTransport
internal import LibC
internal import SystemPackage

/// An image store on a Git LFS server, used through the batch API with its basic transfers, and with
/// uploads in parts where the server asks for them.
///
/// Source: Git LFS, docs/api/batch.md, docs/api/basic-transfers.md.
package struct LFSImages: ImageRemote {
  private let access: LFSAuthenticator
  private let branch: String?
  private let environment: Environment

  /// - Parameters:
  ///   - git: The git remote of these images, if it is http or https.
  ///   - branch: The pushed or fetched branch, which a server may have rules for.
  package init(
    _ endpoint: LFSEndpoint, git: WebAddress? = nil, branch: String? = nil,
    _ context: TransportContext, environment: Environment
  ) {
    access = LFSAuthenticator(endpoint, git: git, context)
    (self.branch, self.environment) = (branch, environment)
  }

  /// - Parameter token: A token that was obtained over ssh.
  init(
    _ endpoint: LFSEndpoint, _ token: LFSAuthenticator.Token, for direction: ImageDirection,
    branch: String?, _ context: TransportContext, environment: Environment
  ) {
    self.init(endpoint, branch: branch, context, environment: environment)
    access.store(token, for: direction)
  }

  package var address: String { access.endpoint.ssh?.text ?? access.endpoint.web.text }
  package var batchSize: Int { 100 }
  package var connections: Int { 32 }

  package func connect() throws -> any ImageConnection {
    LFSConnection(access, branch: branch, environment: environment)
  }
}

/// One thread's connections to an LFS server and to the servers that it refers to.
final class LFSConnection: ImageConnection {
  let access: LFSAuthenticator
  private let branch: String?
  private let environment: Environment
  var clients: [String: HTTPClient] = [:]

  init(_ access: LFSAuthenticator, branch: String?, environment: Environment) {
    (self.access, self.branch, self.environment) = (access, branch, environment)
  }

  private static func joined(_ base: String, _ path: String) -> String {
    base + (base.hasSuffix("/") ? "" : "/") + path
  }

  // MARK: The batch

  func query(_ direction: ImageDirection, about images: [ImageObject]) throws -> [RemoteStatus] {
    try reporting(access.endpoint.web) {
      do {
        return try batch(direction, images)
      } catch let error as HTTPError where error.kind == .cutOff && isGitAlone() {
        throw noServer(access.endpoint.web)
      }
    }
  }

  /// Whether git's own program answers at a URL that was guessed. It does not read the body of a
  /// request that it does not know, so Apache (mod_cgid) cuts the connection; this one has none.
  ///
  /// Source: git, http-backend.c: `not_found` and `hdr_nocache`.
  private func isGitAlone() -> Bool {
    guard access.endpoint.isGuess, access.endpoint.ssh == nil else { return false }
    let address = access.endpoint.web
    let request = HTTPRequest(.get, LFSConnection.joined(address.base, "objects/batch"))
    guard let response = try? send(request, to: address, isAuthenticated: false) else {
      return false
    }
    return response.status == 404
      && response.headers["Expires"] == "Fri, 01 Jan 1980 00:00:00 GMT"
  }

  private func noServer(_ address: WebAddress) -> TransferError {
    TransferError(
      TransportError(.noImageStore, address.text, "no Git LFS server responds there"),
      scope: .remote)
  }

  private func batch(
    _ direction: ImageDirection, _ images: [ImageObject]
  ) throws -> [RemoteStatus] {
    let token = try access.token(for: direction, now: environment.now())
    var request = HTTPRequest(
      .post, LFSConnection.joined(token.address.base, "objects/batch"), headers: token.headers,
      body: .bytes(LFSBatch.request(direction, images, branch: branch)))
    request.headers["Accept"] = LFSBatch.mediaType
    request.headers["Content-Type"] = LFSBatch.mediaType
    let response = try send(request, to: token.address, isAuthenticated: false)
    if response.isSuccess {
      do {
        return try LFSBatch.statuses(
          response.body, direction, about: images, from: token.address, now: environment.now(),
          secrets: response.secrets)
      } catch let malformed as LFSActions.Malformed {
        throw refusal(malformed.reason, response, token.address)
      }
    }
    if response.status == 401, access.endpoint.ssh != nil { access.discard(direction) }
    throw refusal(LFSConnection.message(response), response, token.address)
  }

  /// Returns the error for a rejected batch request.
  private func refusal(
    _ message: String, _ response: HTTPResponse, _ address: WebAddress
  ) -> TransferError {
    // If no server was configured and the response is not from an LFS server, there is none.
    let isServer =
      access.endpoint.ssh != nil || LFSConnection.hasMessage(response)
      || response.headers["Content-Type"]?.hasPrefix(LFSBatch.mediaType) == true
    if access.endpoint.isGuess, !isServer,
      [200, 301, 302, 307, 308, 404, 405, 501].contains(response.status)
    {
      return noServer(address)
    }
    if response.isSuccess {
      return TransferError(
        TransportError(.protocolViolation, address.text, message), scope: .remote)
    }
    let error = TransferError(response.failure(now: environment.now()), address.text)
    let isExpired = response.status == 401 && access.endpoint.ssh != nil
    return TransferError(
      TransportError(
        error.cause.kind, address.text,
        error.cause.reason + (message.isEmpty ? "" : ": " + message)),
      scope: error.scope == .image && !error.isTransient ? .remote : error.scope,
      isTransient: error.isTransient || isExpired,
      isBeforeConnection: error.isBeforeConnection,
      retryAfterMilliseconds: error.retryAfterMilliseconds)
  }

  private static func hasMessage(_ response: HTTPResponse) -> Bool {
    (try? JSON(bytes: response.body))?["message"]?.string != nil
  }

  /// Returns the server's message in an error response.
  static func message(_ response: HTTPResponse) -> String {
    guard let message = (try? JSON(bytes: response.body))?["message"]?.string else { return "" }
    return response.secrets.shown(message)
  }

  // MARK: One image

  func send(
    _ image: ImageObject, from file: FilePath, _ action: TransferAction, progress: (Int) -> Void
  ) throws {
    guard let actions = action.actions else {
      throw TransferError.irreplaceable(
        image, access.endpoint.ssh?.text ?? access.endpoint.web.text)
    }
    try withoutActuallyEscaping(progress) { progress in
      if let parts = actions.parts {
        try sendInParts(image, from: file, actions, parts, progress: progress)
      } else {
        try sendWhole(image, from: file, actions, progress: progress)
      }
    }
    try verify(image, actions)
  }

  private func sendWhole(
    _ image: ImageObject, from file: FilePath, _ actions: LFSActions,
    progress: @escaping (Int) -> Void
  ) throws {
    try reporting(actions.transfer.address) {
      var request = HTTPRequest(.put, actions.transfer.url, headers: actions.transfer.headers)
      if request.headers["Content-Type"] == nil {
        request.headers["Content-Type"] = "application/octet-stream"
      }
      var sent = 0
      try check(
        send(
          request, to: actions.transfer.address, isAuthenticated: actions.isAuthenticated,
          body: {
            progress(-sent)
            sent = 0
            return try HashVerifyingReader(image, at: file).body {
              sent += $0
              progress($0)
            }
          }),
        isUpload: true)
    }
  }

  /// Confirms an upload to the server, with retries: a new batch request would report the image as
  /// present. Source: git-lfs, `lfs.transfer.maxverifies`.
  private func verify(_ image: ImageObject, _ actions: LFSActions) throws {
    guard let action = actions.verify else { return }
    for attempt in 1...LFSConnection.verifyAttempts {
      do {
        return try confirm(action, of: image, isAuthenticated: actions.isAuthenticated)
      } catch let error as TransferError
        where error.isTransient && attempt < LFSConnection.verifyAttempts
      {
        usleep(UInt32(attempt) * 100_000)
      }
    }
  }

  private static let verifyAttempts = 3

  private func confirm(
    _ action: LFSActions.Action, of image: ImageObject, isAuthenticated: Bool
  ) throws {
    try reporting(action.address) {
      var request = HTTPRequest(
        .post, action.url, headers: action.headers,
        body: .bytes(LFSBatch.verification(of: image)))
      request.headers["Accept"] = LFSBatch.mediaType
      request.headers["Content-Type"] = LFSBatch.mediaType
      try check(
        send(request, to: action.address, isAuthenticated: isAuthenticated))
    }
  }

  func receive(_ image: ImageObject, into partial: any ImageSink, _ action: TransferAction) throws {
    guard let actions = action.actions else { return }
    try reporting(actions.transfer.address) {
      var request = HTTPRequest(
        .get, actions.transfer.url, headers: actions.transfer.headers)
      let start = partial.count
      if start > 0 { request.headers["Range"] = "bytes=\(start)-\(image.size - 1)" }
      var isFirst = true
      let response = try send(
        request, to: actions.transfer.address, isAuthenticated: actions.isAuthenticated
      ) { response, bytes in
        if isFirst, start > 0, !LFSConnection.continues(response, at: start) {
          // The server sends the whole file, or another range.
          try partial.restart()
          guard response.status == 200 else {
            throw HTTPError(.cutOff, host: HTTPError.host(of: actions.transfer.url))
          }
        }
        isFirst = false
        try partial.append(bytes)
      }
      if response.status == 416 { try partial.restart() }
      if response.status == 416 || response.isSuccess && partial.count < image.size {
        throw HTTPError(.cutOff, host: HTTPError.host(of: actions.transfer.url))
      }
      try check(response)
    }
  }

  /// The protocol has no way to delete an object, so this only asks whether the server has it.
  func erase(_ image: ImageObject) throws -> RemoteErasure {
    try has(image) ? .kept : .erased
  }

  func has(_ image: ImageObject) throws -> Bool { try needsNoUpload(of: image) }

  private static func continues(_ response: HTTPResponse, at start: Int) -> Bool {
    response.status == 206
      && response.headers["Content-Range"]?.hasPrefix("bytes \(start)-") == true
  }

  /// Throws unless a transfer succeeded.
  func check(_ response: HTTPResponse, isUpload: Bool = false) throws {
    if response.isSuccess { return }
    let error = TransferError(
      response.failure(now: environment.now()),
      WebAddress(response.url)?.server ?? access.endpoint.web.server)
    let said = LFSConnection.message(response)
    let message = said.isEmpty ? response.plainMessage : said
    // A token may expire early; another query obtains a new one. Some storage responds with
    // 403 for a missing object.
    let mayBeExpired = response.status == 401 || response.status == 403
    // The server did not receive the image; it may have been damaged in transit.
    let mayBeDamaged = isUpload && (response.status == 400 || response.status == 422)
    throw TransferError(
      TransportError(
        error.cause.kind, error.cause.address,
        error.cause.reason + (message.isEmpty ? "" : ": " + message)),
      scope: mayBeExpired ? (isUpload ? .remote : .image) : error.scope,
      isTransient: error.isTransient || mayBeExpired || mayBeDamaged,
      retryAfterMilliseconds: error.retryAfterMilliseconds,
      attempts: mayBeExpired ? 2 : mayBeDamaged ? 4 : .max)
  }
}
