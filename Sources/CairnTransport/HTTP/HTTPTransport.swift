internal import CairnBase
internal import CairnGit
internal import CairnHTTP
internal import CairnProcess
internal import LibC
internal import SystemPackage

/// A transport over http or https: each exchange is a separate request.
///
/// Source: git's Documentation/gitprotocol-http.txt.
final class HTTPTransport: GitTransport {
  private let service: GitService
  private let context: TransportContext
  private let remote: String?
  private var client: HTTPClient
  /// The repository's address, which the first response may have redirected.
  private var address: WebAddress
  /// Whether that address is on another server than the original one.
  private var isOnOtherServer = false
  private var authenticator: HTTPAuthenticator
  private(set) var hasSentRequest = false

  init(
    _ service: GitService, at address: WebAddress, remote: String?, _ context: TransportContext
  ) {
    (self.service, self.context, self.remote) = (service, context, remote)
    self.address = address
    client = HTTPTransport.client(for: address, remote, context)
    authenticator = HTTPAuthenticator(for: address, context)
  }

  private static func client(
    for address: WebAddress, _ remote: String?, _ context: TransportContext
  ) -> HTTPClient {
    var settings = HTTPSettings(context, for: address, remote: remote)
    // Only the first request follows redirects, and later ones go to its target, so curl must not
    // follow any.
    settings.redirects = .none
    return HTTPClient(settings)
  }

  func exchange(_ request: ServiceRequest?, _ handle: (Packet) throws -> Bool) throws {
    guard let request else { return try requestReferences(handle) }
    let spool = SpooledBody(directory: context.gitDirectory ?? "/tmp")
    try request.packets.withUnsafeBytes(spool.append)
    try request.pack?(spool.append)
    try send(handle) {
      var post = HTTPRequest(
        .post, HTTPTransport.joined(address, service.rawValue),
        headers: [
          "Content-Type": "application/x-\(service.rawValue)-request",
          "Accept": "application/x-\(service.rawValue)-result",
        ], body: spool.body)
      // A hook there may take its time, and the server sends nothing meanwhile: wait as long as it
      // holds the connection, as git does.
      let isLimited = HTTPSettings.lowSpeed(context.settings, for: address) != nil
      if service == .receivePack, !isLimited { post.stallTimeoutSeconds = 0 }
      return (post, "application/x-\(service.rawValue)-result")
    }
  }

  /// Requests the refs, which follow a line that names the service.
  private func requestReferences(_ handle: (Packet) throws -> Bool) throws {
    var isAnnounced = false
    let suffix = "info/refs?service=\(service.rawValue)"
    try send { packet in
      if isAnnounced { return try handle(packet) }
      guard let line = packet.line else {
        isAnnounced = true
        return true
      }
      guard line == "# service=\(service.rawValue)" else {
        // Some servers omit it.
        isAnnounced = true
        return try handle(packet)
      }
      return true
    } request: {
      let get = HTTPRequest(
        .get, HTTPTransport.joined(address, suffix),
        headers: ["Accept": "*/*", "Pragma": "no-cache"])
      return (get, "application/x-\(service.rawValue)-advertisement")
    }
  }

  func close() {}

  private static func joined(_ address: WebAddress, _ suffix: String) -> String {
    address.base + (address.path.hasSuffix("/") ? "" : "/") + suffix
  }

  // MARK: One request

  /// Maximum number of times to send a request: redirected, without credentials, and with them.
  private static let attempts = 10

  /// Sends a request, again with credentials if the server asks for them, and passes the packets of
  /// the response to `handle`.
  private func send(
    _ handle: (Packet) throws -> Bool, request makeRequest: () -> (HTTPRequest, contentType: String)
  ) throws {
    var (sent, refusals) = (0, 0)
    while sent < HTTPTransport.attempts {
      sent += 1
      let (anonymous, contentType) = makeRequest()
      var request = anonymous
      request.credentials = authenticator.credentials
      let response = try perform(request, contentType, handle)
      if request.method == .get, [301, 302, 303, 307, 308].contains(response.status),
        let location = response.headers["Location"]
      {
        try move(to: location)
        continue
      }
      if response.isSuccess {
        return authenticator.accepted(request.credentials)
      }
      if let delay = delay(after: response, refusals: refusals) {
        (sent, refusals) = (sent - 1, refusals + 1)
        try wait(milliseconds: delay)
        continue
      }
      guard response.status == 401 else { throw refusal(response) }
      try authenticator.challenged(request.credentials, by: response)
    }
    throw TransportError(.protocolViolation, address.text, "too many redirects")
  }

  /// Returns how long to wait before sending a request again that the server was too busy to take;
  /// nil to give up. It has to say when to come back.
  private func delay(after response: HTTPResponse, refusals: Int) -> Int64? {
    let error = response.failure(now: context.now())
    guard [429, 503].contains(response.status), let requested = error.retryAfterMilliseconds else {
      return nil
    }
    return RetryPolicy().delayMilliseconds(
      failures: refusals + 1, isBeforeConnection: false, requested: requested,
      random: UInt64.random(in: 0 ... .max))
  }

  private func wait(milliseconds: Int64) throws {
    var left = milliseconds
    while left > 0 {
      if context.isCancelled() { throw TransportError(.cancelled, address.text, "it was stopped") }
      usleep(UInt32(min(left, 100)) * 1000)
      left -= 100
    }
  }

  /// The end of a response whose sender goes on after git's last packet.
  private struct Ended: Error {
    let response: HTTPResponse
  }

  /// Maximum number of bytes to read after the last packet, to use the connection again.
  private static let tailLimit = 64 << 10

  private func perform(
    _ request: HTTPRequest, _ contentType: String, _ handle: (Packet) throws -> Bool
  ) throws -> HTTPResponse {
    var request = request
    request.addExtraHeaders(context.settings, for: address, onlyOfURL: isOnOtherServer)
    var decoder = PacketDecoder()
    var (wantsMore, tail) = (true, 0)
    hasSentRequest = true
    do {
      let response = try withoutActuallyEscaping(handle) { handle in
        try client.send(request) { response, bytes in
          guard HTTPTransport.isType(response.headers["Content-Type"], contentType) else {
            throw TransportError(
              .protocolViolation, self.address.text, "the response is not from a git server")
          }
          if wantsMore {
            wantsMore = try decoder.feed(bytes, handle)
          } else {
            tail += bytes.count
            if tail > HTTPTransport.tailLimit { throw Ended(response: response) }
          }
        }
      }
      if response.isSuccess, wantsMore {
        throw TransportError(.connectionLost, address.text, "its response is truncated")
      }
      // Another answer than that of a failing server is one of a request that was not carried out.
      hasSentRequest = response.isSuccess || response.status >= 500
      return response
    } catch let end as Ended {
      return end.response
    } catch let error as HTTPError {
      hasSentRequest = error.stage == .sent
      throw HTTPTransport.translated(error, address.text)
    } catch is PacketDecoder.Malformed {
      throw TransportError(
        .protocolViolation, address.text, "it violates git's protocol")
    }
  }

  static func isType(_ given: String?, _ wanted: String) -> Bool {
    given?.split(separator: ";").first?.lowercased().trimmed == wanted
  }

  /// Follows a redirect of the first request, which applies to the whole repository.
  private func move(to location: String) throws {
    guard context.settings.httpFlag("followRedirects", for: address) != false else {
      throw TransportError(
        .protocolViolation, address.text, "it redirects, and http.followRedirects is false")
    }
    let url =
      location.hasPrefix("/") ? "\(address.scheme)://\(address.hostAndPort)\(location)" : location
    let suffix = "/info/refs?service=\(service.rawValue)"
    guard url.hasSuffix(suffix), let new = WebAddress(String(url.dropLast(suffix.utf8.count))),
      new.scheme == address.scheme || new.scheme == "https"
    else {
      throw TransportError(
        .protocolViolation, address.text, "it redirects to an address that is not a repository")
    }
    // Credentials and trust apply only to the original host.
    if new.hostAndPort != address.hostAndPort || new.scheme != address.scheme {
      (authenticator, isOnOtherServer) = (HTTPAuthenticator(for: new, context), true)
      client = HTTPTransport.client(for: new, remote, context)
    }
    address = new
  }

  private func refusal(_ response: HTTPResponse) -> TransportError {
    let message = response.plainMessage
    let reason = "\(response.failure(now: 0))" + (message.isEmpty ? "" : " / " + message)
    let kind: TransportError.Kind =
      switch response.status {
      case 403: .forbidden
      case 404, 410: .noRepository
      case 408, 429, 500...599: .serverError
      default: .protocolViolation
      }
    return TransportError(kind, address.text, reason)
  }

  private static func translated(_ error: HTTPError, _ address: String) -> TransportError {
    let kind: TransportError.Kind =
      switch error.kind {
      case .timedOut where error.stage != .connecting: .connectionLost
      case .unresolved, .refused, .timedOut, .proxy: .unreachable
      case .untrusted: .untrusted
      case .proxyRefusal: .serverError
      case .other where error.stage == .connecting: .serverError
      case .cutOff, .other: .connectionLost
      case .invalidAddress: .unsupportedAddress
      case .cancelled: .cancelled
      case .noLibrary: .noProgram
      case .tooLarge, .tooManyRedirects, .invalidResponse, .status: .protocolViolation
      }
    return TransportError(kind, address, error.description)
  }
}

extension String {
  fileprivate var trimmed: String {
    String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
  }
}
