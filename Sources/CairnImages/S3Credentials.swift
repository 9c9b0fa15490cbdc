/// Who asks, and the secret that proves it, which no description shows.
struct S3Credentials: Sendable, Equatable, CustomStringConvertible, CustomReflectable {
  let keyID: String
  let secret: String
  /// What temporary credentials have besides.
  let token: String?
  /// When they are of no use any more, in milliseconds since 1970; nil where nobody says.
  let expires: Int64?

  /// - Returns: Nil when a part is empty or cannot stand in a header field.
  init?(keyID: String?, secret: String?, token: String?, expires: Int64? = nil) {
    func isSound(_ text: String) -> Bool {
      1...16384 ~= text.utf8.count && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    }
    let token = token.flatMap { $0.isEmpty ? nil : $0 }
    guard let keyID, let secret, isSound(keyID), isSound(secret), token.map(isSound) != false
    else { return nil }
    (self.keyID, self.secret, self.token, self.expires) = (keyID, secret, token, expires)
  }

  /// Whether a text of a server repeats a part of them.
  func isNamed(in text: String) -> Bool {
    [keyID, secret, token].contains { part in
      guard let part, part.utf8.count >= 4 else { return false }
      return S3XML.firstRange(of: Array(part.utf8), in: Array(text.utf8)[...]) != nil
    }
  }

  /// They are fetched anew this long before they end.
  private static let margin: Int64 = 5 * 60_000

  func isFresh(at now: Int64) -> Bool { expires.map { $0 - S3Credentials.margin > now } ?? true }

  var description: String { "credentials" }
  var customMirror: Mirror { Mirror(self, children: []) }
}
