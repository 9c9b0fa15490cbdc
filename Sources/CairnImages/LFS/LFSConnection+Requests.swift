internal import CairnHTTP
internal import CairnTransport

// Requests to an LFS server, and to the servers to which it redirects or refers.

extension LFSConnection {
  /// Sends a request, again after a redirect, and with credentials if the server asks for them.
  ///
  /// - Parameters:
  ///   - isAuthenticated: Whether the request is already authenticated.
  ///   - body: Returns a body that is read while it is sent, from its beginning; nil for that of the
  ///     request.
  func send(
    _ request: HTTPRequest, to address: WebAddress, isAuthenticated: Bool,
    into sink: HTTPClient.Sink? = nil, body: (() throws -> HTTPRequest.Body)? = nil
  ) throws -> HTTPResponse {
    var (request, address, isAuthenticated) = (request, address, isAuthenticated)
    // An upload keeps its method (RFC 9110, 15.4).
    let redirects = body == nil ? [301, 302, 303, 307, 308] : [307, 308]
    for _ in 0..<LFSConnection.redirectLimit {
      if let body { request.body = try body() }
      let response = try sendAuthenticated(
        request, to: address, isAuthenticated: isAuthenticated, into: sink)
      guard redirects.contains(response.status),
        let location = response.headers["Location"]
      else { return response }
      let url =
        location.hasPrefix("/")
        ? "\(address.scheme)://\(address.hostAndPort)\(location)" : location
      guard let next = WebAddress(url), address.scheme == "http" || next.scheme == "https" else {
        throw TransferError(
          TransportError(
            .protocolViolation, address.server,
            "it redirects from https to http, or to an invalid URL"),
          scope: .remote)
      }
      if !next.isSameServer(as: address) {
        // Do not send the headers for one server to another.
        let kept = ["Accept", "Content-Type", "Range"]
        let values = kept.map { ($0, request.headers[$0]) }
        request.headers = [:]
        for (name, value) in values { request.headers[name] = value }
        isAuthenticated = false
      }
      (request.url, address) = (url, next)
    }
    throw HTTPError(.tooManyRedirects, host: address.hostAndPort)
  }

  private static let redirectLimit = 10

  /// In bytes: an upload in parts has thousands of URLs.
  private static let responseLimit = 16 << 20

  private func sendAuthenticated(
    _ request: HTTPRequest, to address: WebAddress, isAuthenticated: Bool,
    into sink: HTTPClient.Sink?
  ) throws -> HTTPResponse {
    let client = client(for: address)
    var request = request
    request.addExtraHeaders(
      access.context.settings, for: address,
      onlyOfURL: !address.isSameServer(as: access.endpoint.web))
    if isAuthenticated || request.headers["Authorization"] != nil {
      return try client.send(request, limit: LFSConnection.responseLimit, into: sink)
    }
    let authenticator = access.authenticator(for: address)
    while true {
      request.credentials = authenticator.credentials
      let response = try client.send(request, limit: LFSConnection.responseLimit, into: sink)
      guard response.status == 401 else {
        if response.isSuccess { authenticator.accepted(request.credentials) }
        return response
      }
      try authenticator.challenged(
        request.credentials, by: response, saying: LFSConnection.message(response), isLFS: true)
      // A body in pieces is used up; the caller's next attempt sends it with the login.
      if case .pieces? = request.body { return response }
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
  func reporting<Result>(
    _ address: WebAddress, _ body: () throws -> Result
  ) throws -> Result {
    do {
      return try body()
    } catch let error as HTTPError {
      throw TransferError(error, address.server)
    } catch let error as TransportError {
      let isTransient = [.connectionLost, .serverError, .unreachable].contains(error.kind)
      throw TransferError(
        error, scope: .remote, isTransient: isTransient,
        isBeforeConnection: error.kind == .unreachable)
    }
  }
}
