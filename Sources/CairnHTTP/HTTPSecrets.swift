internal import CairnBase

/// The secrets in a request, which no message may repeat.
package struct HTTPSecrets: Sendable, CustomStringConvertible, CustomReflectable {
  private let url: String
  private let fields: [(name: String, value: String)]
  private let credentials: HTTPCredentials?

  package init(_ request: HTTPRequest) {
    (url, fields, credentials) = (request.url, request.headers.fields, request.credentials)
  }

  /// No secrets.
  package init() { (url, fields, credentials) = ("", [], nil) }

  /// Whether a server's text repeats one: a word of a header, such as a token after “Bearer”, a user
  /// name that may be a token, a password, also one in Base64, or a value of the query, which may be a
  /// signature. Shorter ones are in ordinary words.
  package func areIn(_ text: String) -> Bool {
    let words = values.flatMap { [$0] + $0.split { " =;,\"".contains($0) }.map(String.init) }
    let known = credentials.map { ["\($0.user):\($0.password)"] } ?? []
    let logins =
      known + userInfo
      + words.compactMap { Base64.bytes(padded: $0) }.map { String(decoding: $0, as: UTF8.self) }
    let users = logins.map { String($0.prefix { $0 != ":" }) }
    let passwords = logins.map { String($0.drop { $0 != ":" }.dropFirst()) }
    let encoded = known.map { Base64.text(Array($0.utf8)) }
    return (words + encoded).contains { $0.utf8.count >= 8 && text.contains($0) }
      || users.contains { $0.utf8.count >= 16 && text.contains($0) }
      || passwords.contains { $0.utf8.count >= 4 && text.contains($0) }
  }

  /// The user and the password in the URL.
  private var userInfo: [String] {
    let address = url.prefix { $0 != "?" }
    guard let scheme = address.firstRange(of: "://"),
      let end = address[scheme.upperBound...].firstIndex(of: "@")
    else { return [] }
    let text = String(address[scheme.upperBound..<end])
    return [text, text.percentDecoded]
  }

  /// The values of the headers that say who sends the request, the query of the URL, and its values.
  private var values: [String] {
    let fields = fields.filter { !HTTPSecrets.isOrdinary($0.name) }.map(\.value)
    // git's query names a program.
    let query = url.drop { $0 != "?" }.dropFirst()
    let pairs = query.split(separator: "&").filter { !$0.hasPrefix("service=git-") }
    let values = pairs.map { String($0.drop { $0 != "=" }.dropFirst()) }
    return fields + (pairs.isEmpty ? [] : [String(query)]) + values
      + values.map(\.percentDecoded)
  }

  /// Whether a header describes only what is sent or wanted.
  private static func isOrdinary(_ name: String) -> Bool {
    let name = name.lowercased()
    return name.hasPrefix("accept") || name.hasPrefix("content-")
      || ["cache-control", "expect", "git-protocol", "pragma", "range", "user-agent"].contains(name)
  }

  package var description: String { "secrets" }
  package var customMirror: Mirror { Mirror(self, children: []) }
}
