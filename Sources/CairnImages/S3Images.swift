public import CairnStore
public import CairnTransport

/// Images in a bucket of Amazon S3 or of any server that speaks as it does.
///
/// Source: Amazon S3 API Reference. An object is `<prefix>/objects/ab/cd/<SHA-256>`.
public struct S3Images: ImageRemote {
  private let session: S3Session
  /// Larger images go in parts.
  var wholeLimit = 64 << 20
  /// All parts but the last have this size, unless that makes too many.
  var partSize = 16 << 20

  /// - Parameters:
  ///   - remote: The remote's name, which may have a proxy of its own.
  ///   - now: In milliseconds since 1970: signatures hold for a quarter of an hour.
  ///   - environment: Returns a variable; nil when it is not set or empty.
  public init(
    _ address: S3Address, _ context: TransportContext, remote: String? = nil,
    now: @escaping @Sendable () -> Int64 = World.machine.now,
    environment: @escaping @Sendable (String) -> String?
  ) {
    session = S3Session(
      address, context, remote: remote,
      S3CredentialSource(address: address, context: context, now: now, environment: environment))
  }

  public var address: String { "\(session.address)" }
  public var batchSize: Int { 1 }
  /// Each waits for one object at a time, and they are far away.
  public var lines: Int { 16 }

  public func connect() throws -> any ImageLine {
    S3Line(session, wholeLimit: wholeLimit, partSize: partSize)
  }
}
