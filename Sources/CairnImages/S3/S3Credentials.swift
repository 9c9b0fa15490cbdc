/// An access key and its secret, redacted from every description.
struct S3Credentials: Sendable, Equatable, CustomStringConvertible, CustomReflectable {
  let keyID: String
  let secret: String
  /// The session token of temporary credentials.
  let token: String?
  /// When they expire, in milliseconds since 1970; nil when unknown.
  let expires: Int64?

  /// - Returns: Nil when a part is empty or not valid in a header field.
  init?(keyID: String?, secret: String?, token: String?, expires: Int64? = nil) {
    func isValid(_ text: String) -> Bool {
      1...16384 ~= text.utf8.count && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    }
    let token = token.flatMap { $0.isEmpty ? nil : $0 }
    guard let keyID, let secret, isValid(keyID), isValid(secret), token.map(isValid) != false
    else { return nil }
    (self.keyID, self.secret, self.token, self.expires) = (keyID, secret, token, expires)
  }

  /// Whether a server's text contains a part of the credentials.
  func appear(in text: String) -> Bool {
    [keyID, secret, token].contains { value in
      guard let value, value.utf8.count >= 4 else { return false }
      return S3XML.firstRange(of: Array(value.utf8), in: Array(text.utf8)[...]) != nil
    }
  }

  /// How long before their expiry to renew credentials, in milliseconds.
  private static let margin: Int64 = 5 * 60_000

  func isFresh(at now: Int64) -> Bool { expires.map { $0 - S3Credentials.margin > now } ?? true }

  var description: String { "credentials" }
  var customMirror: Mirror { Mirror(self, children: []) }
}
