internal import CairnStore
package import CairnTransport

/// An image store in a bucket of Amazon S3 or of any compatible server.
///
/// Source: Amazon S3 API Reference. An object is `<prefix>/objects/ab/cd/<SHA-256>`.
package struct S3Images: ImageRemote {
  private let session: S3Session
  /// Maximum size of an image sent whole, in bytes; larger ones are sent in parts.
  var multipartThreshold = 64 << 20
  /// Size of all parts but the last, in bytes, unless that makes too many.
  var partSize = 16 << 20

  /// - Parameters:
  ///   - remote: The remote's name, which may have its own proxy.
  ///   - now: Returns milliseconds since 1970; a signature is valid for 15 minutes.
  ///   - environment: Returns an environment variable; nil when it is unset or empty.
  package init(
    _ address: S3Address, _ context: TransportContext, remote: String? = nil,
    now: @escaping @Sendable () -> Int64 = Environment.machine.now,
    environment: @escaping @Sendable (String) -> String?
  ) {
    session = S3Session(
      address, context, remote: remote,
      S3CredentialSource(address: address, context: context, now: now, environment: environment))
  }

  package var address: String { "\(session.address)" }
  package var batchSize: Int { 1 }
  /// Each connection transfers one object at a time, with high latency.
  package var connections: Int { 16 }

  package func connect() throws -> any ImageConnection {
    S3Connection(session, multipartThreshold: multipartThreshold, partSize: partSize)
  }
}
