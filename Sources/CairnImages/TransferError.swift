public import CairnTransport

/// Why an image could not be moved, and whether to try again.
public struct TransferError: Error, Sendable, Equatable, CustomStringConvertible {
  public enum Scope: Sendable, Equatable {
    /// The others may still go.
    case image
    /// Nothing else would go either: a wrong password, no space.
    case remote
    /// So many images are too many for one question.
    case batch
  }

  /// What happened, for people.
  public let cause: TransportError
  public let scope: Scope
  /// Whether the same may succeed a little later.
  public let isTransient: Bool
  /// Whether no connection came about: whoever is offline is not kept waiting.
  public let isBeforeConnection: Bool
  /// How long the remote asks to wait.
  public let retryAfterMilliseconds: Int64?
  /// How often it is worth trying in all.
  public let attempts: Int

  public init(
    _ cause: TransportError, scope: Scope = .image, isTransient: Bool = false,
    isBeforeConnection: Bool = false, retryAfterMilliseconds: Int64? = nil, attempts: Int = .max
  ) {
    (self.cause, self.scope, self.isTransient) = (cause, scope, isTransient)
    (self.isBeforeConnection, self.retryAfterMilliseconds) = (
      isBeforeConnection, retryAfterMilliseconds
    )
    self.attempts = attempts
  }

  public var description: String { "\(cause)" }
}
