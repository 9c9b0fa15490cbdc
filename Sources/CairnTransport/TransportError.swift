/// Why nothing could be exchanged with a remote. It never holds a password.
public struct TransportError: Error, Equatable, Sendable, CustomStringConvertible {
  public enum Kind: String, Sendable, CaseIterable {
    /// The address cannot be read, or is of a kind that is not spoken.
    case unsupportedAddress
    /// No such host, nobody listens there, no network: it may work at another time or place.
    case unreachable
    /// It was reached, and then said nothing more or went away.
    case lost
    /// It does not believe that we are who we say, or wants to know.
    case authentication
    /// We do not believe that it is who it says: its host key or certificate.
    case untrusted
    /// There is no such repository, or none that we may know of.
    case noRepository
    /// We are known, and may not.
    case forbidden
    /// What it said is not git's protocol, or not within bounds.
    case protocolViolation
    /// It has no space left, or no more for us.
    case full
    /// It keeps no images.
    case takesNoImages
    /// What it sent is not what was asked for.
    case damaged
    /// A program that is needed, such as `ssh`, is not there.
    case noProgram
    /// Whoever runs this asked to stop.
    case cancelled
  }

  public let kind: Kind
  /// Without secrets.
  public let address: String
  /// What happened, in words that follow a colon and have no full stop; they are safe to show.
  public let reason: String

  public init(_ kind: Kind, _ address: String, _ reason: String) {
    (self.kind, self.address) = (kind, address)
    // It stands in the midst of a sentence.
    self.reason = String(reason.reversed().drop { $0 == "." }.reversed())
  }

  public var description: String { "\(address): \(reason)" }
}
