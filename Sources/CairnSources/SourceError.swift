internal import CairnHTTP

/// An error of a source, with a message for people. It never contains a key.
package struct SourceError: Error, Equatable, Sendable, CustomStringConvertible {
  package enum Kind: Equatable, Sendable {
    /// The service requires a key.
    case needsKey
    case wrongKey
    /// The source does not support the query.
    case unsupportedQuery
    /// The service rejects the request permanently.
    case refused
    case notFound
    /// The rate limit is exceeded, or the service is overloaded.
    case busy
    case unreachable
    case untrusted
    /// The response does not have the documented form.
    case invalidResponse
    /// The response for an image is not an image.
    case notAnImage
    case tooLarge
    /// libcurl is not installed.
    case noLibrary
    case cancelled
  }

  package let kind: Kind
  /// The display name of the source.
  package let source: String
  /// A clause that follows the name: “does not know this key”.
  package let message: String
  /// Whether a later attempt may succeed.
  package let isTransient: Bool
  /// Whether no connection was established: offline, retries would only delay the error.
  package let isBeforeConnection: Bool
  /// The wait requested by the service.
  package let retryAfterMilliseconds: Int64?

  package init(
    _ kind: Kind, _ source: String, _ message: String, isTransient: Bool = false,
    isBeforeConnection: Bool = false, retryAfterMilliseconds: Int64? = nil
  ) {
    (self.kind, self.source, self.message) = (kind, source, message)
    (self.isTransient, self.isBeforeConnection) = (isTransient, isBeforeConnection)
    self.retryAfterMilliseconds = retryAfterMilliseconds
  }

  /// A sentence without its final period.
  package var description: String {
    let seconds = retryAfterMilliseconds.map { ($0 + 999) / 1000 } ?? 0
    let wait = seconds > 0 ? "; it asks you to wait \(seconds) s" : ""
    return "\(source) \(message)\(wait)"
  }

  init(_ rejection: SourceRejection, _ source: String, retryAfter: Int64? = nil) {
    self.init(
      rejection.kind, source, rejection.message, isTransient: rejection.isTransient,
      retryAfterMilliseconds: retryAfter)
  }

  /// Creates the error for a failed HTTP request.
  init(_ error: HTTPError, _ source: String) {
    let kind: Kind =
      switch error.kind {
      case .invalidAddress, .tooManyRedirects: .refused
      case .unresolved, .refused, .timedOut, .cutOff, .invalidResponse, .proxy, .proxyRefusal,
        .other:
        .unreachable
      case .untrusted: .untrusted
      case .tooLarge: .tooLarge
      case .cancelled: .cancelled
      case .noLibrary: .noLibrary
      case .status(401), .status(403): .refused
      case .status(404), .status(410): .notFound
      case .status(let code): [408, 429, 503].contains(code) ? .busy : .refused
      }
    let message =
      error.kind == .invalidAddress
      ? "leads to a URL that is not http or https" : "is not available: \(error)"
    self.init(
      kind, source, message, isTransient: error.isTransient,
      isBeforeConnection: error.isBeforeConnection,
      retryAfterMilliseconds: error.retryAfterMilliseconds)
  }
}
