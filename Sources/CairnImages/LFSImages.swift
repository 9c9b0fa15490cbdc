internal import CairnDocument
internal import CairnHTTP
public import CairnStore
public import CairnTransport
internal import LibC
internal import SystemPackage

/// Images on a Git LFS server: the batch API with its basic transfers.
///
/// Source: Git LFS, docs/api/batch.md, docs/api/basic-transfers.md.
public struct LFSImages: ImageRemote {
  private let access: LFSAccess
  private let branch: String?
  private let world: World

  /// - Parameters:
  ///   - git: The git remote whose images these are, where it is one of the web.
  ///   - branch: The branch that is pushed or fetched, which a server may have rules for.
  public init(
    _ endpoint: LFSEndpoint, git: WebAddress? = nil, branch: String? = nil,
    _ context: TransportContext, world: World
  ) {
    access = LFSAccess(endpoint, git: git, context)
    (self.branch, self.world) = (branch, world)
  }

  /// Asks over ssh where the server is, and for a token; nil where nobody there knows of Git LFS.
  ///
  /// - Throws: ``TransportError``.
  public init?(
    ssh endpoint: LFSEndpoint, _ direction: ImageDirection, branch: String? = nil,
    _ context: TransportContext, world: World
  ) throws {
    let access = LFSAccess(endpoint, git: nil, context)
    guard let ssh = endpoint.ssh,
      let pass = try LFSAccess.authenticate(
        ssh, endpoint.web, direction, context, now: world.now())
    else { return nil }
    access.keep(pass, for: direction)
    (self.access, self.branch, self.world) = (access, branch, world)
  }

  public var address: String { access.endpoint.ssh?.text ?? access.endpoint.web.text }
  public var batchSize: Int { 100 }
  public var lines: Int { 32 }

  public func connect() throws -> any ImageLine {
    LFSLine(access, branch: branch, world: world)
  }
}

/// One thread's connections to an LFS server and to where it sends us.
private final class LFSLine: ImageLine {
  private let access: LFSAccess
  private let branch: String?
  private let world: World
  private var clients: [String: HTTPClient] = [:]

  init(_ access: LFSAccess, branch: String?, world: World) {
    (self.access, self.branch, self.world) = (access, branch, world)
  }

  private static let answerLimit = 1 << 20

  private static func joined(_ base: String, _ path: String) -> String {
    base + (base.hasSuffix("/") ? "" : "/") + path
  }

  // MARK: The batch

  func ask(_ direction: ImageDirection, about images: [Pointer]) throws -> [ImageAnswer] {
    try reporting(access.endpoint.web) {
      let pass = try access.pass(for: direction, now: world.now())
      var request = HTTPRequest(
        .post, LFSLine.joined(pass.address.base, "objects/batch"), headers: pass.headers,
        body: .bytes(LFSBatch.request(direction, images, branch: branch)))
      request.headers["Accept"] = LFSBatch.mediaType
      request.headers["Content-Type"] = LFSBatch.mediaType
      let answer = try send(request, to: pass.address, isKnown: false)
      if answer.isSuccess {
        do {
          return try LFSBatch.answers(
            answer.body, direction, about: images, from: pass.address, now: world.now())
        } catch let malformed as LFSActions.Malformed {
          throw refusal(malformed.reason, answer, pass.address)
        }
      }
      if answer.status == 401, access.endpoint.ssh != nil { access.forget(direction) }
      throw refusal(LFSLine.words(answer), answer, pass.address)
    }
  }

  /// Returns what a refusal of the whole question means.
  private func refusal(
    _ words: String, _ answer: HTTPResponse, _ address: WebAddress
  ) -> TransferError {
    // Where nobody said that there is a server, and what answers is none, there is none.
    let isServer =
      access.endpoint.ssh != nil || !LFSLine.words(answer).isEmpty
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
    let error = TransferError(answer.failure(now: world.now()), address.text)
    let isExpired = answer.status == 401 && access.endpoint.ssh != nil
    return TransferError(
      TransportError(
        error.cause.kind, address.text, error.cause.reason + (words.isEmpty ? "" : ": " + words)),
      scope: error.scope == .image && !error.isTransient ? .remote : error.scope,
      isTransient: error.isTransient || isExpired,
      isBeforeConnection: error.isBeforeConnection,
      retryAfterMilliseconds: error.retryAfterMilliseconds)
  }

  /// Returns what the server says of a refusal.
  private static func words(_ answer: HTTPResponse) -> String {
    guard let message = (try? JSON(bytes: answer.body))?["message"]?.string else { return "" }
    return ServerWords(Array(message.utf8)).sentence
  }

  // MARK: One image

  func send(
    _ image: Pointer, from file: FilePath, _ ticket: ImageTicket, progress: (Int) -> Void
  ) throws {
    guard let actions = ticket.actions else { return }
    try withoutActuallyEscaping(progress) { progress in
      try reporting(actions.transfer.address) {
        let source = try VerifiedFile(image, at: file)
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

  /// Tells the server that an image is there. Asked about it again, it would say that it has it, so this
  /// is tried again here. Source: git-lfs, `lfs.transfer.maxverifies`.
  private func verify(_ image: Pointer, _ actions: LFSActions) throws {
    guard let action = actions.verify else { return }
    for attempt in 1...LFSLine.verifyAttempts {
      do {
        return try tell(action, of: image, isKnown: actions.isAuthenticated)
      } catch let error as TransferError where error.isTransient && attempt < LFSLine.verifyAttempts
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

  func receive(_ image: Pointer, into partial: PartialBlob, _ ticket: ImageTicket) throws {
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
        if isFirst, start > 0, !LFSLine.continues(answer, at: start) {
          // The server begins anew, or elsewhere.
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
      answer.failure(now: world.now()),
      WebAddress(answer.url)?.server ?? access.endpoint.web.server)
    // A token may have ended before its time; asked again, the server gives out another. Some storage
    // says 403 of an object that it has not.
    let mayBeExpired = answer.status == 401 || answer.status == 403
    // What came there was not the image; on the way it may have been damaged.
    let mayBeDamaged = isUpload && (answer.status == 400 || answer.status == 422)
    throw TransferError(
      error.cause, scope: mayBeExpired ? (isUpload ? .remote : .image) : error.scope,
      isTransient: error.isTransient || mayBeExpired || mayBeDamaged,
      retryAfterMilliseconds: error.retryAfterMilliseconds,
      attempts: mayBeExpired ? 2 : mayBeDamaged ? 4 : .max)
  }

  // MARK: Requests

  /// Sends a request, again where it leads elsewhere, and with a name and a password where the server
  /// wants them.
  ///
  /// - Parameter isKnown: Whether the request says who we are already.
  private func send(
    _ request: HTTPRequest, to address: WebAddress, isKnown: Bool,
    into sink: HTTPClient.Sink? = nil
  ) throws -> HTTPResponse {
    var (request, address, isKnown) = (request, address, isKnown)
    for _ in 0..<LFSLine.redirectLimit {
      let answer = try sendThere(request, to: address, isKnown: isKnown, into: sink)
      // A body in pieces cannot be sent again; whoever sends one is told of the answer.
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
        // What was given to one server is not for another.
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
      return try client.send(request, limit: LFSLine.answerLimit, into: sink)
    }
    let login = access.login(for: address)
    while true {
      request.credentials = login.credentials
      let answer = try client.send(request, limit: LFSLine.answerLimit, into: sink)
      guard answer.status == 401 else {
        if answer.isSuccess { login.accepted(request.credentials) }
        return answer
      }
      try login.challenged(request.credentials)
      // A body in pieces is gone; who asks again sends it with the login.
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

  /// Translates what goes wrong on the way.
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
