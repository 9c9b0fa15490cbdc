internal import CairnBase

/// What no message may repeat of a request.
package struct HTTPSecrets: Sendable, CustomStringConvertible, CustomReflectable {
  private let url: String
  private let fields: [(name: String, value: String)]
  private let credentials: HTTPCredentials?

  package init(_ request: HTTPRequest) {
    (url, fields, credentials) = (request.url, request.headers.fields, request.credentials)
  }

  /// Those of no request.
  package init() { (url, fields, credentials) = ("", [], nil) }

  /// Whether a server's text repeats one: a word of a header, such as a token after “Bearer”, a
  /// password, also one in Base64, a user name that may be a token, or a value of the query, which
  /// may be a signature.
  package func areIn(_ text: String) -> Bool {
    var (words, passwords) = (query, [String]())
    for (name, value) in fields where !HTTPSecrets.isOrdinary(name) {
      words += [value] + value.split(separator: " ").map(String.init)
    }
    passwords += words.compactMap { Base64.bytes(padded: $0) }.map { login in
      String(String(decoding: login, as: UTF8.self).drop { $0 != ":" }.dropFirst())
    }
    if let credentials {
      let login = "\(credentials.user):\(credentials.password)"
      passwords += [credentials.password, Base64.text(Array(login.utf8))]
      if credentials.user.utf8.count >= 16 { words.append(credentials.user) }
    }
    // Shorter ones are in ordinary words.
    return words.contains { $0.utf8.count >= 8 && text.contains($0) }
      || passwords.contains { $0.utf8.count >= 4 && text.contains($0) }
  }

  /// The query of the URL and its values, without git's, which names a program.
  private var query: [String] {
    let query = url.drop { $0 != "?" }.dropFirst()
    let values = query.split(separator: "&").filter { !$0.hasPrefix("service=git-") }
    return values.isEmpty
      ? [] : [String(query)] + values.map { String($0.drop { $0 != "=" }.dropFirst()) }
  }

  /// Whether a header describes only what is sent or wanted.
  private static func isOrdinary(_ name: String) -> Bool {
    let name = name.lowercased()
    return name.hasPrefix("accept") || name.hasPrefix("content-")
      || ["expect", "git-protocol", "range", "user-agent"].contains(name)
  }

  package var description: String { "secrets" }
  package var customMirror: Mirror { Mirror(self, children: []) }
}
