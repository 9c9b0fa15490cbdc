internal import CairnDocument
internal import CairnHTTP
public import CairnStore
public import CairnTransport
internal import LibC
internal import SystemPackage

/// An image store on a Git LFS server, used through the batch API with its basic transfers.
///
/// Source: Git LFS, docs/api/batch.md, docs/api/basic-transfers.md.
public struct LFSImages: ImageRemote {
  private let access: LFSAuthenticator
  private let branch: String?
  private let environment: Environment

  /// - Parameters:
  ///   - git: The git remote of these images, if it is http or https.
  ///   - branch: The pushed or fetched branch, which a server may have rules for.
  public init(
    _ endpoint: LFSEndpoint, git: WebAddress? = nil, branch: String? = nil,
    _ context: TransportContext, environment: Environment
  ) {
    access = LFSAuthenticator(endpoint, git: git, context)
    (self.branch, self.environment) = (branch, environment)
  }

  /// Obtains the server's URL and a token over ssh; nil if the machine does not support Git LFS.
  ///
  /// - Throws: ``TransportError``.
  public init?(
    ssh endpoint: LFSEndpoint, _ direction: ImageDirection, branch: String? = nil,
    _ context: TransportContext, environment: Environment
  ) throws {
    let access = LFSAuthenticator(endpoint, git: nil, context)
    guard let ssh = endpoint.ssh,
      let pass = try LFSAuthenticator.authenticate(
        ssh, endpoint.web, direction, context, now: environment.now())
    else { return nil }
    access.keep(pass, for: direction)
    (self.access, self.branch, self.environment) = (access, branch, environment)
  }

  public var address: String { access.endpoint.ssh?.text ?? access.endpoint.web.text }
  public var batchSize: Int { 100 }
  public var lines: Int { 32 }

  public func connect() throws -> any ImageConnection {
    LFSConnection(access, branch: branch, environment: environment)
  }
}

/// One thread's connections to an LFS server and to the servers that it refers to.
private final class LFSConnection: ImageConnection {
  private let access: LFSAuthenticator
  private let branch: String?
  private let environment: Environment
  private var clients: [String: HTTPClient] = [:]

  init(_ access: LFSAuthenticator, branch: String?, environment: Environment) {
    (self.access, self.branch, self.environment) = (access, branch, environment)
  }

  private static let answerLimit = 1 << 20

  private static func joined(_ base: String, _ path: String) -> String {
    base + (base.hasSuffix("/") ? "" : "/") + path
  }

  // MARK: The batch

  func ask(_ direction: ImageDirection, about images: [Pointer]) throws -> [RemoteStatus] {
    try reporting(access.endpoint.web) {
      let pass = try access.pass(for: direction, now: environment.now())
      var request = HTTPRequest(
        .post, LFSConnection.joined(pass.address.base, "objects/batch"), headers: pass.headers,
        body: .bytes(LFSBatch.request(direction, images, branch: branch)))
      request.headers["Accept"] = LFSBatch.mediaType
      request.headers["Content-Type"] = LFSBatch.mediaType
      let answer = try send(request, to: pass.address, isKnown: false)
      if answer.isSuccess {
        do {
          return try LFSBatch.answers(
            answer.body, direction, about: images, from: pass.address, now: environment.now())
        } catch let malformed as LFSActions.Malformed {
          throw refusal(malformed.reason, answer, pass.address)
        }
      }
      if answer.status == 401, access.endpoint.ssh != nil { access.forget(direction) }
      throw refusal(LFSConnection.words(answer), answer, pass.address)
    }
  }

  /// Returns the error for a rejected batch request.
  private func refusal(
    _ words: String, _ answer: HTTPResponse, _ address: WebAddress
  ) -> TransferError {
    // If no server was configured and the response is not from an LFS server, there is none.
    let isServer =
      access.endpoint.ssh != nil || !LFSConnection.words(answer).isEmpty
      || answer.headers["Content-Type"]?.hasPrefix(LFSBatch.mediaType) == true
    if access.endpoint.isGuess, !isServer,
      [200, 301, 302, 307, 308, 404, 405, 501].contains(answer.status)
    {
      return TransferError(
        TransportError(.takesNoImages, address.text, "no Git LFS server answers there"),
        scope: .remote)
    }
    if answer.isSuccess {
      return TransferError(TransportError(.protocolViolation, address.text, words), scope: .remote)
    }
    let error = TransferError(answer.failure(now: environment.now()), address.text)
    let isExpired = answer.status == 401 && access.endpoint.ssh != nil
    return TransferError(
      TransportError(
        error.cause.kind, address.text, error.cause.reason + (words.isEmpty ? "" : ": " + words)),
      scope: error.scope == .image && !error.isTransient ? .remote : error.scope,
      isTransient: error.isTransient || isExpired,
      isBeforeConnection: error.isBeforeConnection,
      retryAfterMilliseconds: error.retryAfterMilliseconds)
  }

  /// Returns the server's message in an error response.
  private static func words(_ answer: HTTPResponse) -> String {
    guard let message = (try? JSON(bytes: answer.body))?["message"]?.string else { return "" }
    return ServerMessages(Array(message.utf8)).sentence
  }

  // MARK: One image

  func send(
    _ image: Pointer, from file: FilePath, _ ticket: TransferAction, progress: (Int) -> Void
  ) throws {
    guard let actions = ticket.actions else { return }
    try withoutActuallyEscaping(progress) { progress in
      try reporting(actions.transfer.address) {
        let source = try HashVerifyingReader(image, at: file)
        var request = HTTPRequest(
          .put, actions.transfer.url, headers: actions.transfer.headers,
          body: source.body(progress))
        if request.headers["Content-Type"] == nil {
          request.headers["Content-Type"] = "application/octet-stream"
        }
        try check(
          send(request, to: actions.transfer.address, isKnown: actions.isAuthenticated),
          isUpload: true)
      }
    }
    try verify(image, actions)
  }

  /// Confirms an upload to the server, with retries: a new batch request would report the image as
  /// present. Source: git-lfs, `lfs.transfer.maxverifies`.
  private func verify(_ image: Pointer, _ actions: LFSActions) throws {
    guard let action = actions.verify else { return }
    for attempt in 1...LFSConnection.verifyAttempts {
      do {
        return try tell(action, of: image, isKnown: actions.isAuthenticated)
      } catch let error as TransferError
        where error.isTransient && attempt < LFSConnection.verifyAttempts
      {
        usleep(UInt32(attempt) * 100_000)
      }
    }
  }

  private static let verifyAttempts = 3

  private func tell(_ action: LFSActions.Action, of image: Pointer, isKnown: Bool) throws {
    try reporting(action.address) {
      var request = HTTPRequest(
        .post, action.url, headers: action.headers,
        body: .bytes(LFSBatch.verification(of: image)))
      request.headers["Accept"] = LFSBatch.mediaType
      request.headers["Content-Type"] = LFSBatch.mediaType
      try check(send(request, to: action.address, isKnown: isKnown))
    }
  }

  func receive(_ image: Pointer, into partial: PartialBlob, _ ticket: TransferAction) throws {
    guard let actions = ticket.actions else { return }
    try reporting(actions.transfer.address) {
      var request = HTTPRequest(
        .get, actions.transfer.url, headers: actions.transfer.headers)
      let start = partial.count
      if start > 0 { request.headers["Range"] = "bytes=\(start)-\(image.size - 1)" }
      var isFirst = true
      let answer = try send(
        request, to: actions.transfer.address, isKnown: actions.isAuthenticated
      ) { answer, bytes in
        if isFirst, start > 0, !LFSConnection.continues(answer, at: start) {
          // The server sends the whole file, or another range.
          try partial.restart()
          guard answer.status == 200 else {
            throw HTTPError(.cutOff, host: HTTPError.host(of: actions.transfer.url))
          }
        }
        isFirst = false
        try partial.append(bytes)
      }
      if answer.status == 416 { try partial.restart() }
      if answer.status == 416 || answer.isSuccess && partial.count < image.size {
        throw HTTPError(.cutOff, host: HTTPError.host(of: actions.transfer.url))
      }
      try check(answer)
    }
  }

  private static func continues(_ answer: HTTPResponse, at start: Int) -> Bool {
    answer.status == 206 && answer.headers["Content-Range"]?.hasPrefix("bytes \(start)-") == true
  }

  private func check(_ answer: HTTPResponse, isUpload: Bool = false) throws {
    if answer.isSuccess { return }
    let error = TransferError(
      answer.failure(now: environment.now()),
      WebAddress(answer.url)?.server ?? access.endpoint.web.server)
    // A token may expire early; asked again, the server issues another. Some storage responds with
    // 403 for a missing object.
    let mayBeExpired = answer.status == 401 || answer.status == 403
    // The server did not receive the image; it may have been damaged in transit.
    let mayBeDamaged = isUpload && (answer.status == 400 || answer.status == 422)
    throw TransferError(
      error.cause, scope: mayBeExpired ? (isUpload ? .remote : .image) : error.scope,
      isTransient: error.isTransient || mayBeExpired || mayBeDamaged,
      retryAfterMilliseconds: error.retryAfterMilliseconds,
      attempts: mayBeExpired ? 2 : mayBeDamaged ? 4 : .max)
  }

  // MARK: Requests

  /// Sends a request, again after a redirect, and with credentials if the server asks for them.
  ///
  /// - Parameter isKnown: Whether the request is already authenticated.
  private func send(
    _ request: HTTPRequest, to address: WebAddress, isKnown: Bool,
    into sink: HTTPClient.Sink? = nil
  ) throws -> HTTPResponse {
    var (request, address, isKnown) = (request, address, isKnown)
    for _ in 0..<LFSConnection.redirectLimit {
      let answer = try sendThere(request, to: address, isKnown: isKnown, into: sink)
      // A body in pieces cannot be sent again; the caller handles the response.
      if case .pieces? = request.body { return answer }
      guard [301, 302, 303, 307, 308].contains(answer.status),
        let location = answer.headers["Location"]
      else { return answer }
      let url =
        location.hasPrefix("/")
        ? "\(address.scheme)://\(address.hostAndPort)\(location)" : location
      guard let next = WebAddress(url), address.scheme == "http" || next.scheme == "https" else {
        throw TransferError(
          TransportError(.protocolViolation, address.server, "it leads from https to http"),
          scope: .remote)
      }
      if !next.isSameServer(as: address) {
        // Headers for one server are not for another.
        let kept = ["Accept", "Content-Type", "Range"]
        let values = kept.map { ($0, request.headers[$0]) }
        request.headers = [:]
        for (name, value) in values { request.headers[name] = value }
        isKnown = false
      }
      (request.url, address) = (url, next)
    }
    throw HTTPError(.tooManyRedirects, host: address.hostAndPort)
  }

  private static let redirectLimit = 10

  private func sendThere(
    _ request: HTTPRequest, to address: WebAddress, isKnown: Bool, into sink: HTTPClient.Sink?
  ) throws -> HTTPResponse {
    let client = client(for: address)
    var request = request
    request.addExtraHeaders(
      access.context.settings, for: address,
      onlyOfURL: !address.isSameServer(as: access.endpoint.web))
    if isKnown || request.headers["Authorization"] != nil {
      return try client.send(request, limit: LFSConnection.answerLimit, into: sink)
    }
    let login = access.login(for: address)
    while true {
      request.credentials = login.credentials
      let answer = try client.send(request, limit: LFSConnection.answerLimit, into: sink)
      guard answer.status == 401 else {
        if answer.isSuccess { login.accepted(request.credentials) }
        return answer
      }
      try login.challenged(request.credentials)
      // A body in pieces is used up; the caller's next attempt sends it with the login.
      if case .pieces? = request.body { return answer }
    }
  }

  private func client(for address: WebAddress) -> HTTPClient {
    let key = address.scheme + address.hostAndPort
    if let client = clients[key] { return client }
    var settings = HTTPSettings(access.context, for: address, remote: nil)
    settings.redirects = .none
    let client = HTTPClient(settings)
    clients[key] = client
    return client
  }

  /// Translates errors of the exchange.
  private func reporting<Result>(
    _ address: WebAddress, _ body: () throws -> Result
  ) throws -> Result {
    do {
      return try body()
    } catch let error as HTTPError {
      throw TransferError(error, address.server)
    } catch let error as TransportError {
      let isTransient = error.kind == .lost || error.kind == .unreachable
      throw TransferError(
        error, scope: .remote, isTransient: isTransient,
        isBeforeConnection: error.kind == .unreachable)
    }
  }
}
