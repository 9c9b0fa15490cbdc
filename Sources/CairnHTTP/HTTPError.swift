/// A failed exchange with a server. It names the host, never a path, query, header or password.
package struct HTTPError: Error, Equatable, Sendable, CustomStringConvertible {
  package enum Kind: Equatable, Sendable {
    /// The address is malformed, or its scheme is not allowed.
    case invalidAddress
    case unresolved
    case refused
    /// The server's certificate is not trusted, or TLS negotiation failed.
    case untrusted
    case timedOut
    /// The connection ended in the middle of a request or response.
    case cutOff
    /// The response is not an HTTP response, for example because only a part of the request arrived.
    case invalidResponse
    case tooLarge
    case tooManyRedirects
    /// The proxy cannot be used, or cannot reach the host.
    case proxy
    /// The proxy's rules or its login deny the connection.
    case proxyRefusal
    /// An unsuccessful status.
    case status(Int)
    /// The caller asked to stop.
    case cancelled
    /// libcurl is not installed.
    case noLibrary
    /// Before anything was sent, an error of this machine, such as an option that this libcurl does
    /// not know; later, one of the connection.
    case other
  }

  /// How much of a request was sent.
  package enum Stage: Sendable {
    case connecting
    /// A part of the request was sent, perhaps without its whole body.
    case sending
    /// All of it was sent, so that the server may have acted on it.
    case sent
  }

  package let kind: Kind
  package let stage: Stage
  /// Includes the port if one was given.
  package let host: String
  /// The message from TLS or curl, if it helps and holds no secret.
  package let detail: String?
  /// How long the server asks to wait.
  package let retryAfterMilliseconds: Int64?

  package init(
    _ kind: Kind, host: String, detail: String? = nil, retryAfterMilliseconds: Int64? = nil,
    stage: Stage = .connecting
  ) {
    (self.kind, self.host, self.detail, self.stage) = (kind, host, detail, stage)
    self.retryAfterMilliseconds = retryAfterMilliseconds
  }

  /// A sentence without its final period.
  package var description: String {
    let what =
      switch kind {
      case .invalidAddress: "the URL of \(host) is invalid"
      case .unresolved: "the host name \(host) could not be resolved"
      case .refused: "\(host) refused the connection"
      case .untrusted: "the identity of \(host) could not be verified"
      case .timedOut: "\(host) did not respond in time"
      case .cutOff: "the connection to \(host) was cut off"
      case .invalidResponse: "\(host) sent something other than an HTTP response"
      case .tooLarge: "\(host) sent more data than requested"
      case .tooManyRedirects: "\(host) redirected too many times"
      case .proxy: "the proxy for \(host) could not be used"
      case .proxyRefusal: "the proxy for \(host) refused the connection"
      case .status(let code): "\(host) returned \(code)\(HTTPError.meaning(of: code))"
      case .cancelled: "the request to \(host) was stopped"
      case .noLibrary: "libcurl, which is needed to connect to \(host), is not installed"
      case .other: "the request to \(host) failed"
      }
    return what + (detail.map { " (\($0))" } ?? "")
  }

  private static func meaning(of status: Int) -> String {
    let meaning =
      switch status {
      case 400: "bad request"
      case 401: "authentication required"
      case 403: "not allowed"
      case 404: "not found"
      case 408: "request timeout"
      case 413: "too large"
      case 429: "too many requests"
      case 500: "internal server error"
      case 502, 504: "its upstream server does not respond"
      case 503: "service unavailable"
      case 507: "no space left"
      case 509: "bandwidth limit exceeded"
      default: ""
      }
    return meaning.isEmpty ? "" : ": " + meaning
  }

  /// Returns the host and port of an address, without user and password.
  package static func host(of url: String) -> String {
    let parts = url.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
    let authority = (parts.count > 2 ? parts[2] : parts[0]).prefix { $0 != "?" && $0 != "#" }
    return String(authority.split(separator: "@").last ?? "")
  }
}
