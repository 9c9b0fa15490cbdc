internal import CairnDocument
internal import CairnHTTP
internal import CairnProcess
internal import CairnStore
internal import CairnTransport
internal import LibC
internal import SystemPackage

/// A connection to a WebDAV server.
final class WebDAVConnection: ImageConnection {
  private let session: WebDAVSession
  private let client: HTTPClient

  init(_ session: WebDAVSession) {
    self.session = session
    client = HTTPClient(session.settings)
  }

  // MARK: Query

  func query(_ direction: ImageDirection, about images: [ImageObject]) throws -> [RemoteStatus] {
    if direction == .upload, session.shouldCleanUp() { removeAbandonedUploads() }
    return try images.map(status)
  }

  private func status(of image: ImageObject) throws -> RemoteStatus {
    let response = try list(WebDAVSession.path(of: image), depth: 0)
    switch response.status {
    case 207:
      let entry = WebDAVListing(response.body).entries.first
      if let entry, !entry.isCollection, entry.size == image.size {
        return .present(TransferAction())
      }
      var action = TransferAction()
      action.replaces = true
      return .missing(action)
    // Some servers report a missing directory as a conflict.
    case 404, 409, 410: return .missing(TransferAction())
    default: return .rejected(error(response))
    }
  }

  private func list(_ path: String, depth: Int) throws -> HTTPResponse {
    try exchange(
      HTTPRequest(
        .propfind, session.url(path),
        headers: ["Depth": "\(depth)", "Content-Type": "application/xml"],
        body: .bytes(WebDAVListing.request)))
  }

  /// The age in milliseconds from which nobody continues an upload: a day.
  private static let longestUpload: Int64 = 24 * 60 * 60 * 1000

  /// Removes the temporary files of uploads that were interrupted long ago.
  private func removeAbandonedUploads() {
    // If this fails, so does the query that follows.
    guard let response = try? list("tmp/", depth: 1), response.status == 207 else { return }
    let oldest = session.context.now() - WebDAVConnection.longestUpload
    let abandoned = WebDAVListing(response.body).entries.filter {
      UploadName.isValid($0.name.utf8) && ($0.modified.map { $0 < oldest } ?? false)
    }
    for entry in abandoned.prefix(1000) {
      _ = try? exchange(HTTPRequest(.delete, session.url("tmp/" + entry.name)))
    }
  }

  // MARK: Send

  func send(
    _ image: ImageObject, from file: FilePath, _ action: TransferAction, progress: (Int) -> Void
  ) throws {
    try makeDirectory("tmp")
    let temporary = session.url("tmp/" + UploadName.make(for: image))
    do {
      try withoutActuallyEscaping(progress) { progress in
        let source = try HashVerifyingReader(image, at: file)
        try requireSuccess(
          exchange(
            HTTPRequest(
              .put, temporary, headers: ["Content-Type": "application/octet-stream"],
              body: source.body(progress))))
      }
      try WebDAVSession.directories(of: image).forEach(makeDirectory)
      try move(temporary, as: image, replacing: action.replaces)
    } catch {
      // Without a connection, a later upload removes it.
      let isConnected =
        (error as? TransferError).map {
          ![.connectionLost, .unreachable, .cancelled].contains($0.cause.kind)
        } ?? true
      if isConnected { discard(temporary) }
      throw error
    }
  }

  /// Removes a temporary file, as far as that is possible: the server may still lock it for the upload
  /// that was broken off. A later upload removes what is left.
  private func discard(_ temporary: String) {
    for _ in 0..<5 {
      let response = try? exchange(HTTPRequest(.delete, temporary))
      guard response?.status == 423 else { return }
      usleep(100_000)
    }
  }

  /// Creates a directory of the store, and the store itself if it does not exist yet.
  private func makeDirectory(_ path: String) throws {
    try session.makeDirectory(path) { try createDirectory(path) }
  }

  private func createDirectory(_ path: String) throws {
    var response = try exchange(HTTPRequest(.mkcol, session.url(path) + "/"))
    if [404, 409].contains(response.status), path == "tmp" {
      response = try exchange(HTTPRequest(.mkcol, session.url("") + "/"))
      if [404, 409].contains(response.status) {
        throw TransferError(
          TransportError(
            .noRepository, session.address, "its parent directory does not exist"),
          scope: .remote)
      }
      response = try exchange(HTTPRequest(.mkcol, session.url(path) + "/"))
    }
    // A directory that exists cannot be created; some servers redirect to it, and Apache answers 403
    // if another connection creates it at the same moment.
    guard
      try response.isSuccess || [405, 301, 302].contains(response.status)
        || list(path + "/", depth: 0).status == 207
    else { throw error(response) }
  }

  private func move(
    _ temporary: String, as image: ImageObject, replacing isReplacing: Bool
  ) throws {
    // Apache requires a whole URL.
    let destination = session.url(WebDAVSession.path(of: image))
    let response = try exchange(
      HTTPRequest(
        .move, temporary,
        headers: ["Destination": destination, "Overwrite": isReplacing ? "T" : "F"]))
    switch response.status {
    case 412 where !isReplacing:
      // Another client may have sent it meanwhile; otherwise the file with its name is not the image.
      guard case .present = try status(of: image) else {
        return try move(temporary, as: image, replacing: true)
      }
      _ = try exchange(HTTPRequest(.delete, temporary))
    case 404, 409:
      session.forgetDirectories()
      throw TransferError(error(response).cause, isTransient: true, attempts: 3)
    case 200, 201, 204: break
    default:
      // 207 reports what failed, and 202 that nothing is done yet (RFC 4918, 9.9.4).
      guard response.isSuccess, !isReplacing, case .present = try status(of: image) else {
        throw error(response)
      }
    }
  }

  // MARK: Receive

  func receive(
    _ image: ImageObject, into partial: any ImageSink, _ action: TransferAction
  ) throws {
    let start = partial.count
    var request = HTTPRequest(.get, session.url(WebDAVSession.path(of: image)))
    if start > 0 { request.headers["Range"] = "bytes=\(start)-" }
    var isFirst = true
    let response = try exchange(request) { response, bytes in
      if isFirst, start > 0, !WebDAVConnection.continues(response, at: start) {
        // The server sends the whole file, or another range.
        try partial.restart()
        guard response.status == 200 else { throw self.cutOff }
      }
      isFirst = false
      try partial.append(bytes)
    }
    if response.status == 416 { try partial.restart() }
    if response.status == 416 || response.isSuccess && partial.count < image.size { throw cutOff }
    try requireSuccess(response)
  }

  private static func continues(_ response: HTTPResponse, at start: Int) -> Bool {
    response.status == 206
      && response.headers["Content-Range"]?.hasPrefix("bytes \(start)-") == true
  }

  private var cutOff: TransferError {
    TransferError(
      HTTPError(.cutOff, host: session.directory.hostAndPort), session.address)
  }

  // MARK: Erase

  /// Deletes an image and the temporary files that begin it. A server may keep what it deletes, as a
  /// trash or as older versions, and tells nobody.
  func erase(_ image: ImageObject) throws -> RemoteErasure {
    try delete(WebDAVSession.path(of: image))
    for path in try leftovers(of: image) { try delete(path) }
    if try isFile(image) {
      throw TransferError(
        TransportError(.forbidden, session.address, "it still has image \(image.id.short)…"))
    }
    return .erased
  }

  /// Whether there is anything with the name of an image, or a temporary file that begins it.
  func has(_ image: ImageObject) throws -> Bool {
    try isFile(image) || !leftovers(of: image).isEmpty
  }

  private func isFile(_ image: ImageObject) throws -> Bool {
    switch try status(of: image) {
    case .present: true
    case .missing(let action): action.replaces
    case .rejected(let error): throw error
    }
  }

  private func leftovers(of image: ImageObject) throws -> [String] {
    let response = try list("tmp/", depth: 1)
    if [404, 409, 410].contains(response.status) { return [] }
    guard response.status == 207 else { throw error(response) }
    return WebDAVListing(response.body).entries.map(\.name)
      .filter { $0.hasPrefix("\(image.id).") }.map { "tmp/" + $0 }
  }

  private func delete(_ path: String) throws {
    let response = try exchange(HTTPRequest(.delete, session.url(path)))
    if ![404, 409, 410].contains(response.status) { try requireSuccess(response) }
  }

  // MARK: Exchange

  /// Throws unless the server did all that it was asked for: 207 reports what failed.
  private func requireSuccess(_ response: HTTPResponse) throws {
    guard response.isSuccess, response.status != 207 else { throw error(response) }
  }

  private func error(_ response: HTTPResponse) -> TransferError {
    let error = TransferError(response.failure(now: session.context.now()), session.address)
    // Other credentials may be obtained, and a lock or what a server could not finish may be over.
    let mayHelp = [401, 423].contains(response.status) || error.isTransient
    return TransferError(
      TransportError(
        error.cause.kind, session.address,
        error.cause.reason + (session.reason().map { ": " + $0 } ?? "")),
      scope: response.status == 401 ? .image : error.scope, isTransient: mayHelp,
      retryAfterMilliseconds: error.retryAfterMilliseconds,
      attempts: response.status == 401 ? 2 : .max)
  }

  /// Whether a server that requires a login answers like this only after it: a busy one, or a
  /// proxy, may not have looked at the credentials.
  private static func isAfterLogin(_ response: HTTPResponse) -> Bool {
    response.isSuccess || [404, 405, 409, 412, 416, 423].contains(response.status)
  }

  /// Sends a request, with credentials if the server asks for them.
  ///
  /// - Throws: ``TransferError``, and any error of the body and `sink`.
  private func exchange(
    _ request: HTTPRequest, into sink: HTTPClient.Sink? = nil
  ) throws -> HTTPResponse {
    var request = request
    request.addExtraHeaders(session.context.settings, for: session.directory)
    do {
      while true {
        request.credentials = session.authenticator.credentials
        let response = try client.send(request, into: sink)
        guard response.status == 401 else {
          if WebDAVConnection.isAfterLogin(response) {
            session.authenticator.accepted(request.credentials)
          }
          return response
        }
        try session.authenticator.challenged(request.credentials, by: response)
        // A body in pieces is used up; the next attempt sends it with the credentials.
        if case .pieces? = request.body { return response }
      }
    } catch let error as HTTPError {
      throw TransferError(error, session.address)
    } catch let error as TransportError {
      throw TransferError(error, scope: .remote)
    }
  }
}
