internal import CairnDocument
internal import CairnStore
package import CairnTransport

/// A failed transfer of an image, and whether to retry it.
package struct TransferError: Error, Sendable, Equatable, CustomStringConvertible {
  package enum Scope: Sendable, Equatable {
    /// Only this image; others may succeed.
    case image
    /// All images: a wrong password, no space.
    case remote
    /// The query has too many images.
    case batch
  }

  /// The cause, for people.
  package let cause: TransportError
  package let scope: Scope
  /// Whether a retry may succeed.
  package let isTransient: Bool
  /// Whether no connection was made; fewer retries keep offline users from waiting.
  package let isBeforeConnection: Bool
  /// How long the remote asks to wait.
  package let retryAfterMilliseconds: Int64?
  /// Maximum number of consecutive attempts that may end with this error.
  package let attempts: Int

  package init(
    _ cause: TransportError, scope: Scope = .image, isTransient: Bool = false,
    isBeforeConnection: Bool = false, retryAfterMilliseconds: Int64? = nil, attempts: Int = .max
  ) {
    (self.cause, self.scope, self.isTransient) = (cause, scope, isTransient)
    (self.isBeforeConnection, self.retryAfterMilliseconds) = (
      isBeforeConnection, retryAfterMilliseconds
    )
    self.attempts = attempts
  }

  package var description: String { "\(cause)" }

  /// The cause as the error of an exchange of images, with the image if it concerns only one.
  func imageError(of image: Pointer?) -> TransportError {
    let name = image.map { " (image \($0.id.short)…)" } ?? ""
    let reason = cause.reason
    let isNamed = image.map { reason.contains($0.id.short) } ?? true
    var error = TransportError(cause.kind, cause.address, isNamed ? reason : reason + name)
    error.subject = .images
    return error
  }
}
