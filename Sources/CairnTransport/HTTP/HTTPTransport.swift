internal import CairnGit
internal import CairnHTTP
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
  private var place: WebAddress
  /// Whether that address is on another server than the original one.
  private var isElsewhere = false
  private var login: HTTPAuthenticator

  init(
    _ service: GitService, at address: WebAddress, remote: String?, _ context: TransportContext
  ) {
    (self.service, self.context, self.remote, place) = (service, context, remote, address)
    client = HTTPTransport.client(for: address, remote, context)
    login = HTTPAuthenticator(for: address, context)
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

  func exchange(_ request: ServiceRequest?, _ hear: (Packet) throws -> Bool) throws {
    guard let request else { return try ask(hear) }
    let spool = SpooledBody(directory: context.gitDirectory ?? "/tmp")
    try request.packets.withUnsafeBytes(spool.append)
    try request.pack?(spool.append)
    try send(hear) {
      let post = HTTPRequest(
        .post, HTTPTransport.joined(place, service.rawValue),
        headers: [
          "Content-Type": "application/x-\(service.rawValue)-request",
          "Accept": "application/x-\(service.rawValue)-result",
        ], body: spool.body)
      return (post, "application/x-\(service.rawValue)-result")
    }
  }

  /// Requests the refs; the line before them names the service.
  private func ask(_ hear: (Packet) throws -> Bool) throws {
    var isAnnounced = false
    let suffix = "info/refs?service=\(service.rawValue)"
    try send { packet in
      if isAnnounced { return try hear(packet) }
      guard let line = packet.line else {
        isAnnounced = true
        return true
      }
      guard line == "# service=\(service.rawValue)" else {
        // Some servers leave it out.
        isAnnounced = true
        return try hear(packet)
      }
      return true
    } request: {
      let get = HTTPRequest(
        .get, HTTPTransport.joined(place, suffix),
        headers: ["Accept": "*/*", "Pragma": "no-cache"])
      return (get, "application/x-\(service.rawValue)-advertisement")
    }
  }

  func close() {}

  private static func joined(_ place: WebAddress, _ suffix: String) -> String {
    place.base + (place.path.hasSuffix("/") ? "" : "/") + suffix
  }

  // MARK: One request

  /// Maximum number of times to send a request: redirected, without credentials, and with them.
  private static let attempts = 10

  /// Sends a request, again with credentials if the server asks for them, and passes the packets of
  /// the response to `hear`.
  private func send(
    _ hear: (Packet) throws -> Bool, request: () -> (HTTPRequest, contentType: String)
  ) throws {
    for _ in 0..<HTTPTransport.attempts {
      let (bare, contentType) = request()
      var question = bare
      question.credentials = login.credentials
      let answer = try perform(question, contentType, hear)
      if question.method == .get, [301, 302, 303, 307, 308].contains(answer.status),
        let location = answer.headers["Location"]
      {
        try move(to: location)
        continue
      }
      if answer.isSuccess {
        return login.accepted(question.credentials)
      }
      guard answer.status == 401 else { throw refusal(answer) }
      try login.challenged(question.credentials)
    }
    throw TransportError(.protocolViolation, place.text, "too many redirects")
  }

  private func perform(
    _ question: HTTPRequest, _ contentType: String, _ hear: (Packet) throws -> Bool
  ) throws -> HTTPResponse {
    var question = question
    question.addExtraHeaders(context.settings, for: place, onlyOfURL: isElsewhere)
    var decoder = PacketDecoder()
    var wantsMore = true
    do {
      let answer = try withoutActuallyEscaping(hear) { hear in
        try client.send(question) { answer, bytes in
          guard HTTPTransport.isType(answer.headers["Content-Type"], contentType) else {
            throw TransportError(
              .protocolViolation, self.place.text, "what answers there is not a git server")
          }
          if wantsMore { wantsMore = try decoder.feed(bytes, hear) }
        }
      }
      if answer.isSuccess, wantsMore {
        throw TransportError(.lost, place.text, "its answer is cut short")
      }
      return answer
    } catch let error as HTTPError {
      throw HTTPTransport.translated(error, place.text)
    } catch is PacketDecoder.Malformed {
      throw TransportError(
        .protocolViolation, place.text, "it does not keep to git's protocol")
    }
  }

  private static func isType(_ given: String?, _ wanted: String) -> Bool {
    given?.split(separator: ";").first?.lowercased().trimmed == wanted
  }

  /// Follows a redirect of the first request, which applies to the whole repository.
  private func move(to location: String) throws {
    guard context.settings.httpFlag("followRedirects", for: place) != false else {
      throw TransportError(
        .protocolViolation, place.text, "it leads elsewhere, and http.followRedirects is false")
    }
    let url =
      location.hasPrefix("/") ? "\(place.scheme)://\(place.hostAndPort)\(location)" : location
    let suffix = "/info/refs?service=\(service.rawValue)"
    guard url.hasSuffix(suffix), let new = WebAddress(String(url.dropLast(suffix.utf8.count))),
      new.scheme == place.scheme || new.scheme == "https"
    else {
      throw TransportError(
        .protocolViolation, place.text, "it leads to a place that is not a repository")
    }
    // Credentials and trust apply only to the original host.
    if new.hostAndPort != place.hostAndPort || new.scheme != place.scheme {
      (login, isElsewhere) = (HTTPAuthenticator(for: new, context), true)
      client = HTTPTransport.client(for: new, remote, context)
    }
    place = new
  }

  private func refusal(_ answer: HTTPResponse) -> TransportError {
    let isText = HTTPTransport.isType(answer.headers["Content-Type"], "text/plain")
    let words = isText ? ServerMessages(answer.body).sentence : ""
    let reason = "\(answer.failure(now: 0))" + (words.isEmpty ? "" : " / " + words)
    let kind: TransportError.Kind =
      switch answer.status {
      case 403: .forbidden
      case 404, 410: .noRepository
      case 429, 500...599: .lost
      default: .protocolViolation
      }
    return TransportError(kind, place.text, reason)
  }

  private static func translated(_ error: HTTPError, _ address: String) -> TransportError {
    let kind: TransportError.Kind =
      switch error.kind {
      case .unresolved, .refused, .timedOut, .proxy: .unreachable
      case .untrusted: .untrusted
      case .cutOff, .other: .lost
      case .invalidAddress: .unsupportedAddress
      case .cancelled: .cancelled
      case .noLibrary: .noProgram
      case .tooLarge, .tooManyRedirects, .status: .protocolViolation
      }
    return TransportError(kind, address, error.description)
  }
}

extension String {
  fileprivate var trimmed: String {
    String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
  }
}
