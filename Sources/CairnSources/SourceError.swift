internal import CairnHTTP

/// What went wrong with a source, in words for people. It never holds a key.
public struct SourceError: Error, Equatable, Sendable, CustomStringConvertible {
  public enum Kind: Equatable, Sendable {
    /// It answers only those who have a key.
    case needsKey
    case wrongKey
    /// Such a query it cannot answer.
    case badQuery
    /// It refuses, and will refuse again.
    case refused
    case notFound
    /// It has been asked too often, or is too busy.
    case busy
    case unreachable
    case untrusted
    /// What it sends is not what it documents.
    case garbled
    /// What it sends as an image is none.
    case notAnImage
    case tooLarge
    /// libcurl is not installed.
    case noLibrary
    case cancelled
  }

  public let kind: Kind
  /// Who is asked, as people call it.
  public let source: String
  /// A clause that follows the name: “does not know this key”.
  public let words: String
  /// Whether the same may succeed a little later.
  public let isTransient: Bool
  /// Whether no connection came about: whoever is offline is not kept waiting.
  public let isBeforeConnection: Bool
  /// How long it asks to wait.
  public let retryAfterMilliseconds: Int64?

  public init(
    _ kind: Kind, _ source: String, _ words: String, isTransient: Bool = false,
    isBeforeConnection: Bool = false, retryAfterMilliseconds: Int64? = nil
  ) {
    (self.kind, self.source, self.words) = (kind, source, words)
    (self.isTransient, self.isBeforeConnection) = (isTransient, isBeforeConnection)
    self.retryAfterMilliseconds = retryAfterMilliseconds
  }

  /// A sentence without its full stop.
  public var description: String {
    let seconds = retryAfterMilliseconds.map { ($0 + 999) / 1000 } ?? 0
    let wait = seconds > 0 ? "; it asks to wait \(seconds) s" : ""
    return "\(source) \(words)\(wait)"
  }

  init(_ refusal: SourceRefusal, _ source: String, retryAfter: Int64? = nil) {
    self.init(
      refusal.kind, source, refusal.words, isTransient: refusal.isTransient,
      retryAfterMilliseconds: retryAfter)
  }

  /// What went wrong on the way to a server.
  init(_ error: HTTPError, _ source: String) {
    let kind: Kind =
      switch error.kind {
      case .invalidAddress, .tooManyRedirects: .refused
      case .unresolved, .refused, .timedOut, .cutOff, .proxy, .other: .unreachable
      case .untrusted: .untrusted
      case .tooLarge: .tooLarge
      case .cancelled: .cancelled
      case .noLibrary: .noLibrary
      case .status(401), .status(403): .refused
      case .status(404), .status(410): .notFound
      case .status(let code): [408, 429, 503].contains(code) ? .busy : .refused
      }
    let words =
      error.kind == .invalidAddress
      ? "leads to an address that is not one of the web (http, https)"
      : "cannot be asked: \(error)"
    self.init(
      kind, source, words, isTransient: error.isTransient,
      isBeforeConnection: error.isBeforeConnection,
      retryAfterMilliseconds: error.retryAfterMilliseconds)
  }
}
