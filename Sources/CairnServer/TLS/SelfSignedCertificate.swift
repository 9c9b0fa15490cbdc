internal import CairnBase
internal import Crypto

/// A certificate that no authority vouches for: people compare its fingerprint.
///
/// Source: RFC 5280 for the certificate, RFC 5758 for its signature.
struct SelfSignedCertificate: Equatable, Sendable {
  let der: [UInt8]
  let key: P256.Signing.PrivateKey

  static func == (a: SelfSignedCertificate, b: SelfSignedCertificate) -> Bool { a.der == b.der }

  /// Creates a certificate.
  ///
  /// - Parameters:
  ///   - hosts: The names and IPv4 addresses that the certificate is for.
  ///   - start: The time from which it is valid, in milliseconds since 1970.
  ///   - days: The number of days for which it is valid; browsers accept up to 825.
  init(hosts: [String], from start: Int64, days: Int64) throws {
    key = P256.Signing.PrivateKey()
    var random = SystemRandomNumberGenerator()
    let serial = (0..<16).map { _ in UInt8.random(in: 1...127, using: &random) }
    let algorithm = DER.sequence(DER.identifier(1, 2, 840, 10045, 4, 3, 2))
    let name = DER.sequence(
      DER.set(DER.sequence(DER.identifier(2, 5, 4, 3), DER.text("cairn serve"))))
    func extension_(_ id: [UInt8], isCritical: Bool, _ content: [UInt8]) -> [UInt8] {
      isCritical
        ? DER.sequence(id, DER.yes, DER.octets(content)) : DER.sequence(id, DER.octets(content))
    }
    let names = hosts.flatMap { host in
      IPv4Address(host).map { DER.implicit(7, $0.bytes) } ?? DER.implicit(2, Array(host.utf8))
    }
    let contents = DER.sequence(
      DER.explicit(0, DER.integer([2])), DER.integer(serial), algorithm, name,
      DER.sequence(
        SelfSignedCertificate.time(start),
        SelfSignedCertificate.time(start + days * 86_400_000)), name,
      Array(key.publicKey.derRepresentation),
      DER.explicit(
        3,
        DER.sequence(
          extension_(DER.identifier(2, 5, 29, 17), isCritical: false, DER.sequence(names)),
          extension_(DER.identifier(2, 5, 29, 19), isCritical: true, DER.sequence()),
          extension_(
            DER.identifier(2, 5, 29, 37), isCritical: false,
            DER.sequence(DER.identifier(1, 3, 6, 1, 5, 5, 7, 3, 1))))))
    let signature = try key.signature(for: contents)
    der = DER.sequence(contents, algorithm, DER.bits(Array(signature.derRepresentation)))
  }

  private static func time(_ milliseconds: Int64) -> [UInt8] {
    let digits = RFC3339.text(milliseconds: milliseconds).prefix(19).filter(\.isNumber)
    return DER.time(digits.dropFirst(2) + "Z")
  }
}

/// An IPv4 address: `192.168.1.20`.
struct IPv4Address: Equatable, Sendable {
  let bytes: [UInt8]

  init?(_ text: String) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    let numbers = parts.compactMap { part in
      part.utf8.allSatisfy { 0x30...0x39 ~= $0 } ? UInt8(part) : nil
    }
    guard parts.count == 4, numbers.count == 4 else { return nil }
    bytes = numbers
  }
}
