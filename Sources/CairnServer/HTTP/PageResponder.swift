internal import Cairn
internal import Hummingbird

/// Responds to every request: checks it, finds its route and session, and reports errors as JSON.
struct PageResponder: HTTPResponder {
  typealias Context = BasicRequestContext

  let server: ServerState
  let routes: RouteTable

  func respond(to request: Request, context: BasicRequestContext) async throws -> Response {
    var response: Response
    do {
      response = try await dispatch(request)
    } catch {
      response = .error(ServeError(error))
    }
    Security.harden(&response)
    if request.method == .head {
      response.body = ResponseBody(contentLength: response.body.contentLength) {
        try await $0.finish(nil)
      }
    }
    return response
  }

  private func dispatch(_ request: Request) async throws -> Response {
    let security = server.security
    try security.checkHost(request)
    let path = Substring(request.uri.path)
    guard path.hasPrefix("/api/") else { return try await pageFile(request, path) }
    let isRead = request.method == .get || request.method == .head
    guard let (key, isCookie) = security.key(request), let session = server.sessions.session(key)
    else { throw ServeError.unauthorized }
    try session.countRequest()
    if !isRead, isCookie { try security.checkOrigin(request) }
    switch routes.match(request.method, path) {
    case .found(let route, let parameters):
      if route.isWrite, session.isReadOnly { throw ServeError.readOnly }
      return try await route.handler(APIRequest(request, parameters, session, server))
    case .otherMethods(let methods):
      var response = Response.error(
        ServeError(
          status: .methodNotAllowed, kind: "usage",
          message: "This address does not support \(request.method.rawValue)."))
      response.headers[.allow] = methods.map(\.rawValue).joined(separator: ", ")
      return response
    case .none: throw ServeError.noRoute
    }
  }

  // MARK: The page

  private func pageFile(_ request: Request, _ path: Substring) async throws -> Response {
    guard request.method == .get || request.method == .head else {
      throw ServeError(
        status: .methodNotAllowed, kind: "usage",
        message: "The page does not support \(request.method.rawValue).")
    }
    // Messengers send HEAD requests to preview a link: these must not use it up.
    if request.method == .get, path == "/", let token = try request.queryItems()["token"] {
      return try await redeem(token, request)
    }
    let name =
      path == "/" ? "index.html" : path.hasPrefix("/page/") ? String(path.dropFirst(6)) : ""
    guard let file = try await server.page.file(name, server.library) else {
      throw ServeError.noRoute
    }
    var response = Response(
      status: .ok,
      headers: [
        .contentType: file.type, .contentPolicy: Security.pagePolicy, .cacheControl: "no-cache",
        .eTag: file.tag,
      ])
    if request.headers[.ifNoneMatch] == file.tag {
      response.status = .notModified
    } else {
      response.body = ResponseBody(byteBuffer: ByteBuffer(bytes: file.bytes))
    }
    return response
  }

  private func redeem(_ token: String, _ request: Request) async throws -> Response {
    var key: String?
    if server.sessions.isLink(token) {
      key = try await server.library.work { [sessions = server.sessions] _ in
        sessions.redeem(token)
      }
    }
    guard let key else {
      if let (key, _) = server.security.key(request), server.sessions.session(key) != nil {
        return Response(status: .seeOther, headers: [.location: "/"])
      }
      // Only failures count: nobody's guesses may keep others out.
      guard server.sessions.mayFail() else { throw ServeError.tooMany("attempts") }
      return Response(
        status: .unauthorized, headers: [.contentType: "text/plain; charset=utf-8"],
        body: ResponseBody(
          byteBuffer: ByteBuffer(
            string: "This link is not valid, or was already used.\n\(ServeError.newLink)\n")))
    }
    return Response(
      status: .seeOther, headers: [.location: "/", .setCookie: server.security.cookie(key)])
  }
}
