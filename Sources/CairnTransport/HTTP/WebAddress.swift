internal import CairnBase

/// The address of a repository behind a web server.
package struct WebAddress: Sendable, Equatable, CustomReflectable, CustomStringConvertible {
  /// `http` or `https`.
  package let scheme: String
  /// May be a token, so it is never shown.
  package let user: String?
  /// Never shown.
  package let password: String?
  /// In brackets if it is an IPv6 address.
  package let host: String
  package let port: UInt16?
  /// With its leading slash, as written.
  package let path: String

  /// Reads the part after `https://`.
  init(scheme: String, _ rest: Substring) throws(RemoteAddress.Malformed) {
    let slash = rest.firstIndex(of: "/") ?? rest.endIndex
    let (user, host, port) = try RemoteAddress.authority(rest[..<slash])
    let parts = user.map {
      $0.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    }
    self.scheme = scheme
    self.user = parts.map { $0[0].percentDecoded }
    password = parts.flatMap { $0.count > 1 ? $0[1].percentDecoded : nil }
    self.host = host.contains(":") ? "[\(host)]" : String(host)
    self.port = port
    path = String(rest[slash...])
    let credentials = [self.user ?? "", password ?? ""].joined().unicodeScalars
    guard !credentials.contains(where: { $0.properties.generalCategory == .control }) else {
      throw RemoteAddress.Malformed(reason: "it contains a control character")
    }
    try RemoteAddress.checkCharacters(of: self.host)
    guard !self.host.unicodeScalars.contains(where: { " ?#%\\".unicodeScalars.contains($0) }) else {
      throw RemoteAddress.Malformed(reason: "its host is invalid")
    }
  }

  /// Reads an `http` or `https` address; nil for any other.
  package init?(_ text: String) {
    guard let address = try? RemoteAddress(text), case .web(let address) = address else {
      return nil
    }
    self = address
  }

  /// Returns the address of another path on the same server, with the same login.
  package func with(path: String) -> WebAddress? {
    let login = user.map { user in
      PercentEncoding.encoded(user)
        + (password.map { ":" + PercentEncoding.encoded($0) } ?? "") + "@"
    }
    return WebAddress("\(scheme)://\(login ?? "")\(hostAndPort)\(path)")
  }

  /// Whether two addresses are on the same server.
  package func isSameServer(as other: WebAddress) -> Bool {
    let standard: UInt16 = scheme == "https" ? 443 : 80
    return scheme == other.scheme && host.lowercased() == other.host.lowercased()
      && (port ?? standard) == (other.port ?? standard)
  }

  /// Host and port, in the form that git's credential helpers use.
  package var hostAndPort: String { host + (port.map { ":\($0)" } ?? "") }

  /// The address without user and password, to which requests are sent.
  package var base: String { "\(scheme)://\(hostAndPort)\(path)" }

  /// The address to show and to publish: without its user name and password, since a token may be
  /// either, and without its query, which may be a signature.
  package var text: String { "\(server)\(path.prefix { $0 != "?" && $0 != "#" })" }

  /// The address with its user name, and without its password and its query.
  var withoutPassword: String {
    let login = user.map { PercentEncoding.encoded($0) + "@" } ?? ""
    return "\(scheme)://\(login)\(text.dropFirst(scheme.count + 3))"
  }

  /// The address of the server alone.
  package var server: String { "\(scheme)://\(hostAndPort)" }

  package var description: String { text }
  package var customMirror: Mirror { Mirror(self, children: ["text": text]) }
}
