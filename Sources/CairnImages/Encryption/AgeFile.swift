internal import CairnBase
internal import Crypto

/// The format of files encrypted with age to one X25519 recipient: a header of a fixed size, and
/// the payload in chunks.
///
/// Source: age-encryption.org/v1, “Header”, “Payload”.
enum AgeFile {
  /// Plain bytes in a chunk; only the last one has fewer.
  static let chunkSize = 64 << 10
  static let tagSize = 16
  static let nonceSize = 16
  /// Bytes before the nonce of the payload.
  static let headerSize = stanza(share: zeros(32), body: zeros(32)).count + 1 + 43 + 1

  /// Returns the size of an encrypted file.
  static func size(ofPlain size: Int) -> Int {
    headerSize + nonceSize + size + max(1, (size + chunkSize - 1) / chunkSize) * tagSize
  }

  // MARK: The header

  /// Returns the header up to the code that authenticates it.
  private static func stanza(share: [UInt8], body: [UInt8]) -> [UInt8] {
    Array(
      "age-encryption.org/v1\n-> X25519 \(base64(share))\n\(base64(body))\n---".utf8)
  }

  /// Returns a header that gives the file key to a recipient.
  static func header(_ fileKey: SymmetricKey, to recipient: AgeRecipient) throws -> [UInt8] {
    let ephemeral = Curve25519.KeyAgreement.PrivateKey()
    let share = Array(ephemeral.publicKey.rawRepresentation)
    let secret = try ephemeral.sharedSecretFromKeyAgreement(
      with: Curve25519.KeyAgreement.PublicKey(rawRepresentation: recipient.bytes))
    let box = try ChaChaPoly.seal(
      fileKey.withUnsafeBytes { Array($0) }, using: wrapKey(secret, share, recipient),
      nonce: ChaChaPoly.Nonce(data: zeros(12)))
    let start = stanza(share: share, body: Array(box.ciphertext) + Array(box.tag))
    let code = HMAC<SHA256>.authenticationCode(for: start, using: headerKey(fileKey))
    return start + " \(base64(Array(code)))\n".utf8
  }

  /// Returns the file key that a header gives to an identity; nil if there is none, or the header
  /// was changed.
  static func fileKey(_ header: [UInt8], for identity: AgeIdentity) -> SymmetricKey? {
    let lines = header.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }
    guard header.count == headerSize, lines.count == 5, lines[1].hasPrefix("-> X25519 "),
      lines[3].hasPrefix("--- "),
      let share = bytes(lines[1].dropFirst("-> X25519 ".count)), let body = bytes(lines[2]),
      let code = bytes(lines[3].dropFirst("--- ".count))
    else { return nil }
    let start = stanza(share: share, body: body)
    guard header.starts(with: start),
      let key = try? Curve25519.KeyAgreement.PublicKey(rawRepresentation: share),
      let secret = try? identity.privateKey.sharedSecretFromKeyAgreement(with: key),
      let box = try? ChaChaPoly.SealedBox(
        nonce: ChaChaPoly.Nonce(data: zeros(12)), ciphertext: body.dropLast(tagSize),
        tag: body.suffix(tagSize)),
      let opened = try? ChaChaPoly.open(box, using: wrapKey(secret, share, identity.recipient))
    else { return nil }
    let fileKey = SymmetricKey(data: opened)
    let isAuthentic = HMAC<SHA256>.isValidAuthenticationCode(
      code, authenticating: start, using: headerKey(fileKey))
    return isAuthentic ? fileKey : nil
  }

  private static func wrapKey(
    _ secret: SharedSecret, _ share: [UInt8], _ recipient: AgeRecipient
  ) -> SymmetricKey {
    secret.hkdfDerivedSymmetricKey(
      using: SHA256.self, salt: share + recipient.bytes,
      sharedInfo: Array("age-encryption.org/v1/X25519".utf8), outputByteCount: 32)
  }

  private static func headerKey(_ fileKey: SymmetricKey) -> SymmetricKey {
    HKDF<SHA256>.deriveKey(
      inputKeyMaterial: fileKey, salt: [UInt8](), info: Array("header".utf8), outputByteCount: 32)
  }

  // MARK: The payload

  static func payloadKey(_ fileKey: SymmetricKey, nonce: [UInt8]) -> SymmetricKey {
    HKDF<SHA256>.deriveKey(
      inputKeyMaterial: fileKey, salt: nonce, info: Array("payload".utf8), outputByteCount: 32)
  }

  /// Returns the nonce of a chunk: its number in eleven bytes, and whether it is the last.
  static func nonce(ofChunk number: UInt64, isLast: Bool) throws -> ChaChaPoly.Nonce {
    let digits = (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * UInt64($0))) }
    return try ChaChaPoly.Nonce(data: [0, 0, 0] + digits + [isLast ? 1 : 0])
  }

  // MARK: Base64 of 32 bytes, without padding

  private static func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }

  private static func base64(_ bytes: [UInt8]) -> String {
    String(Base64.text(bytes + [0]).dropLast())
  }

  private static func bytes(_ text: some StringProtocol) -> [UInt8]? {
    guard text.utf8.count == 43, let bytes = Base64.bytes(text + "A") else { return nil }
    return Array(bytes.prefix(32))
  }
}

/// Encrypts bytes that come in pieces.
struct AgeEncryptor {
  private let key: SymmetricKey
  private let next: () throws -> [UInt8]?
  /// Encrypted bytes to return next.
  private var output: [UInt8]
  private var plain: [UInt8] = []
  private var chunks: UInt64 = 0
  private var isDone = false

  /// - Parameter next: Returns the next plain bytes; nil at the end.
  init(to recipient: AgeRecipient, _ next: @escaping () throws -> [UInt8]?) throws {
    self.next = next
    let fileKey = SymmetricKey(data: AgeEncryptor.random(16))
    let nonce = AgeEncryptor.random(AgeFile.nonceSize)
    output = try AgeFile.header(fileKey, to: recipient) + nonce
    key = AgeFile.payloadKey(fileKey, nonce: nonce)
  }

  private static func random(_ count: Int) -> [UInt8] {
    SymmetricKey(size: .init(bitCount: 8 * count)).withUnsafeBytes { Array($0) }
  }

  /// Returns the next encrypted bytes; nil at the end.
  mutating func read() throws -> [UInt8]? {
    while output.isEmpty, !isDone {
      if let piece = try next() {
        plain += piece
        // The last chunk is marked, so keep one until it is known whether more follows.
        var start = 0
        while plain.count - start > AgeFile.chunkSize {
          try seal(plain[start..<start + AgeFile.chunkSize], isLast: false)
          start += AgeFile.chunkSize
        }
        plain.removeFirst(start)
      } else {
        try seal(plain[...], isLast: true)
        isDone = true
      }
    }
    defer { output = [] }
    return output.isEmpty ? nil : output
  }

  private mutating func seal(_ chunk: ArraySlice<UInt8>, isLast: Bool) throws {
    let nonce = try AgeFile.nonce(ofChunk: chunks, isLast: isLast)
    let box = try ChaChaPoly.seal(chunk, using: key, nonce: nonce)
    output += box.ciphertext
    output += box.tag
    chunks += 1
  }
}

/// Decrypts bytes that come in pieces, and passes them on.
struct AgeDecryptor {
  private let identity: AgeIdentity
  private var key: SymmetricKey?
  private var buffer: [UInt8] = []
  private var chunks: UInt64 = 0

  /// The bytes are not what was encrypted, or were encrypted to another key.
  struct Failure: Error {}

  init(_ identity: AgeIdentity) { self.identity = identity }

  /// Decrypts more bytes.
  mutating func append(
    _ bytes: UnsafeRawBufferPointer, to sink: (UnsafeRawBufferPointer) throws -> Void
  )
    throws
  {
    buffer += bytes
    let start = AgeFile.headerSize + AgeFile.nonceSize
    if key == nil, buffer.count >= start {
      guard let fileKey = AgeFile.fileKey(Array(buffer.prefix(AgeFile.headerSize)), for: identity)
      else { throw Failure() }
      key = AgeFile.payloadKey(fileKey, nonce: Array(buffer[AgeFile.headerSize..<start]))
      buffer.removeFirst(start)
    }
    guard let key else { return }
    let size = AgeFile.chunkSize + AgeFile.tagSize
    var offset = 0
    while buffer.count - offset > size {
      try open(buffer[offset..<offset + size], key, isLast: false, sink)
      offset += size
    }
    buffer.removeFirst(offset)
  }

  /// Decrypts the last chunk.
  mutating func finish(to sink: (UnsafeRawBufferPointer) throws -> Void) throws {
    guard let key else { throw Failure() }
    try open(buffer[...], key, isLast: true, sink)
  }

  private mutating func open(
    _ chunk: ArraySlice<UInt8>, _ key: SymmetricKey, isLast: Bool,
    _ sink: (UnsafeRawBufferPointer) throws -> Void
  ) throws {
    guard chunk.count >= AgeFile.tagSize,
      let box = try? ChaChaPoly.SealedBox(
        nonce: AgeFile.nonce(ofChunk: chunks, isLast: isLast),
        ciphertext: chunk.dropLast(AgeFile.tagSize), tag: chunk.suffix(AgeFile.tagSize)),
      let plain = try? ChaChaPoly.open(box, using: key)
    else { throw Failure() }
    chunks += 1
    try Array(plain).withUnsafeBytes(sink)
  }
}
