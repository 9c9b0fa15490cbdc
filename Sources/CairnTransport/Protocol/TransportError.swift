/// A failed exchange with a remote. It never holds a password.
package struct TransportError: Error, Equatable, Sendable, CustomStringConvertible {
  package enum Kind: String, Sendable, CaseIterable {
    /// The address is malformed, or of an unsupported kind.
    case unsupportedAddress
    /// No such host, no listener or no network: it may work later or from another network.
    case unreachable
    /// The remote was reached, and then stopped responding or disconnected.
    case connectionLost
    /// The remote was reached, and failed: its program ended with an error, or its web server answers
    /// with a status of 429 or 5xx.
    case serverError
    /// The remote requires authentication, or rejected ours.
    case authentication
    /// The remote's host key or certificate is not trusted.
    case untrusted
    /// The repository does not exist, or is hidden from us.
    case noRepository
    /// We are authenticated, but not allowed to do this.
    case forbidden
    /// The remote violated git's protocol or a limit.
    case protocolViolation
    /// The repository is of an unsupported kind.
    case incompatible
    /// The remote has no space left, or our quota is used up.
    case noSpace
    /// The remote stores no images.
    case noImageStore
    /// The remote sent other data than requested.
    case damaged
    /// A required program, such as `ssh`, is missing.
    case noProgram
    /// The caller asked to stop.
    case cancelled
  }

  package let kind: Kind
  /// Without secrets.
  package let address: String
  /// The reason, worded to follow a colon, without a final period; safe to show.
  package let reason: String
  /// What the exchange was about, for hints.
  package var subject = Subject.repository

  package enum Subject: Sendable {
    case repository, images
    /// A push that the server may still accept.
    case pendingPush
  }

  package init(_ kind: Kind, _ address: String, _ reason: String) {
    (self.kind, self.address) = (kind, address)
    // The reason becomes part of a sentence.
    self.reason = String(reason.reversed().drop { $0 == "." }.reversed())
  }

  package var description: String { "\(address): \(reason)" }
}
