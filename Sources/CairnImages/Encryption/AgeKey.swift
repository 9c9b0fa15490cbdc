internal import CairnBase
internal import CairnDocument
internal import Crypto

/// A public key of age, to which images are encrypted: `age1…`.
///
/// Source: age-encryption.org/v1, “The X25519 recipient type”.
package struct AgeRecipient: Sendable, Equatable, CustomStringConvertible {
  let bytes: [UInt8]

  init(bytes: [UInt8]) { self.bytes = bytes }

  /// Reads a key; nil if it is not valid.
  package init?(_ text: some StringProtocol) {
    guard let bytes = Bech32.bytes(prefix: "age", text), bytes.count == 32 else { return nil }
    self.bytes = bytes
  }

  package var description: String { Bech32.text(prefix: "age", bytes) }
}

/// A private key of age, redacted from every description.
package struct AgeIdentity: Sendable, CustomStringConvertible, CustomReflectable {
  package let recipient: AgeRecipient
  let privateKey: Curve25519.KeyAgreement.PrivateKey

  private static let prefix = "age-secret-key-"

  /// Creates a new key.
  package init() { self.init(Curve25519.KeyAgreement.PrivateKey()) }

  private init(_ key: Curve25519.KeyAgreement.PrivateKey) {
    privateKey = key
    recipient = AgeRecipient(bytes: Array(key.publicKey.rawRepresentation))
  }

  /// Reads a key; nil if it is not valid.
  package init?(_ text: some StringProtocol) {
    guard text == text.uppercased(),
      let bytes = Bech32.bytes(prefix: AgeIdentity.prefix, text.lowercased()), bytes.count == 32,
      let key = try? Curve25519.KeyAgreement.PrivateKey(rawRepresentation: bytes)
    else { return nil }
    self.init(key)
  }

  /// Returns the name of an image in the store: a keyed hash, from which nobody without the key can
  /// tell which image it is.
  func name(of image: PhotoID) -> PhotoID {
    let key = HKDF<SHA256>.deriveKey(
      inputKeyMaterial: SymmetricKey(data: privateKey.rawRepresentation),
      salt: recipient.bytes, info: Array("cairn image names".utf8), outputByteCount: 32)
    return PhotoID(digest: HMAC<SHA256>.authenticationCode(for: image.digest, using: key))
  }

  package var description: String { "the private key of \(recipient)" }
  package var customMirror: Mirror { Mirror(self, children: []) }

  // MARK: Files

  /// The contents of a key file that cannot be used.
  package struct MalformedFile: Error, Equatable {
    package let reason: String
  }

  /// Reads the keys of a file, as `age-keygen` writes it: one a line, with comments.
  package static func identities(inFile text: String) throws(MalformedFile) -> [AgeIdentity] {
    if text.hasPrefix("age-encryption.org/") || text.hasPrefix("-----BEGIN AGE") {
      throw MalformedFile(reason: "it is encrypted; `age -d FILE` decrypts it")
    }
    var identities: [AgeIdentity] = []
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      let key = line.filter { !$0.isWhitespace }
      if key.isEmpty || key.hasPrefix("#") { continue }
      // Do not quote the text: it may be a key with a typing error.
      guard let identity = AgeIdentity(key) else {
        throw MalformedFile(reason: "line \(index + 1) is not an age key (AGE-SECRET-KEY-1…)")
      }
      identities.append(identity)
    }
    guard !identities.isEmpty else { throw MalformedFile(reason: "it has no key") }
    return identities
  }

  /// Returns the text of a key file, as `age-keygen` writes it.
  ///
  /// - Parameter now: Milliseconds since 1970.
  package func file(now: Int64) -> String {
    let secret = Bech32.text(prefix: AgeIdentity.prefix, Array(privateKey.rawRepresentation))
    return """
      # created: \(RFC3339.text(milliseconds: now))
      # public key: \(recipient)
      \(secret.uppercased())

      """
  }
}
