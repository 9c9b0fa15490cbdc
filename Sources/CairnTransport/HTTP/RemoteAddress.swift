internal import CairnBase

/// A remote's address, parsed as git does.
///
/// Source: git's Documentation/urls.txt.
package enum RemoteAddress: Sendable, Equatable {
  /// A path on this machine, as given.
  case directory(String)
  case ssh(SSHAddress)
  case web(WebAddress)

  /// The reason an address is invalid.
  package struct Malformed: Error, Equatable {
    package let reason: String

    package init(reason: String) { self.reason = reason }
  }

  /// Reads a path, a `file:`, `ssh:`, `http:` or `https:` address, or an scp-style one
  /// (`host:path`).
  package init(_ text: String) throws(Malformed) {
    guard !text.isEmpty else { throw Malformed(reason: "it is empty") }
    try RemoteAddress.checkCharacters(of: text)
    if let (scheme, rest) = RemoteAddress.scheme(of: text) {
      switch scheme {
      case "file": self = .directory(rest.percentDecoded)
      case "ssh", "git+ssh", "ssh+git": self = .ssh(try SSHAddress(url: rest))
      case "http", "https": self = .web(try WebAddress(scheme: scheme, rest))
      default: throw Malformed(reason: "“\(scheme)” is not supported")
      }
    } else if RemoteAddress.isDirectory(text) {
      self = .directory(text)
    } else {
      self = .ssh(try SSHAddress(scp: text))
    }
  }

  /// Returns true for a path; false for `https://…`, `ssh://…` and `host:path`, as git
  /// distinguishes them.
  package static func isDirectory(_ address: String) -> Bool {
    if address.contains("://") { return false }
    guard let colon = address.firstIndex(of: ":") else { return !address.isEmpty }
    return address[..<colon].contains("/")
  }

  /// Rejects characters that people and programs would read differently than this parser: a control
  /// character, or a sign such as “/” with an accent.
  static func checkCharacters(of text: String) throws(Malformed) {
    // A batch response has an address for each image.
    if text.utf8.allSatisfy({ 0x20..<0x7F ~= $0 }) { return }
    for character in text {
      let scalars = character.unicodeScalars
      guard !scalars.contains(where: { $0.properties.generalCategory == .control }) else {
        throw Malformed(reason: "it contains a control character")
      }
      if scalars.count > 1, let first = scalars.first, first.isASCII, !Character(first).isLetter {
        throw Malformed(reason: "it contains “\(first)” with an accent")
      }
    }
  }

  private static func scheme(of text: String) -> (scheme: String, rest: Substring)? {
    guard let colon = text.firstIndex(of: ":"), text[colon...].hasPrefix("://") else { return nil }
    return (text[..<colon].lowercased(), text[text.index(colon, offsetBy: 3)...])
  }

  /// The address to show: without a password, and with a user name only for ssh.
  package var withoutSecret: String {
    switch self {
    case .directory(let path): path
    case .ssh(let address): address.text
    case .web(let address): address.text
    }
  }

  /// The host and the path, which are the same for everyone who reaches the repository over ssh or
  /// http, with whatever user name: `example.org/walk`. Nil for a path on this machine.
  package var sharedName: String? {
    var (host, path): (String, String)
    switch self {
    case .directory: return nil
    case .ssh(let address): (host, path) = (address.host, address.path)
    case .web(let address): (host, path) = (address.host, address.path.percentDecoded)
    }
    if path.hasPrefix("~/") { path.removeFirst() }
    while path.hasPrefix("/") { path.removeFirst() }
    while path.hasSuffix("/") { path.removeLast() }
    if path.hasSuffix(".git") { path.removeLast(4) }
    return "\(host.lowercased())/\(path)"
  }

  /// Returns an address without its password, even if the address is malformed.
  package static func withoutPassword(_ text: String) -> String {
    if case .web(let address)? = try? RemoteAddress(text) { return address.withoutPassword }
    guard let (scheme, rest) = RemoteAddress.scheme(of: text), let at = endOfLogin(scheme, rest),
      let colon = rest[..<at].firstIndex(of: ":")
    else { return text }
    return String(text[..<colon] + text[at...])
  }

  /// Returns an address to show or to publish, even if it is malformed: without its password, and
  /// with a user name only for ssh. That of a web server may be a token.
  package static func withoutSecret(_ text: String) -> String {
    if case .web(let address)? = try? RemoteAddress(text) { return address.text }
    return withoutPassword(withoutWebLogin(text))
  }

  /// Returns an address without the user name and password for a web server; others as they are.
  package static func withoutWebLogin(_ text: String) -> String {
    guard let (scheme, rest) = RemoteAddress.scheme(of: text), let at = endOfLogin(scheme, rest),
      !["ssh", "git+ssh", "ssh+git", "sftp", "age+sftp"].contains(scheme)
    else { return text }
    return String(text[..<rest.startIndex] + text[at...].dropFirst())
  }

  /// Returns the “@” after the user name and password of an address without its scheme.
  private static func endOfLogin(_ scheme: String, _ rest: Substring) -> String.Index? {
    // The options of a bucket's URL may contain one: `s3://bucket?profile=me@work`.
    let rest = ["s3", "age+s3"].contains(scheme) ? rest.prefix { $0 != "?" } : rest
    let authority = rest.prefix { $0 != "/" }
    if let at = authority.lastIndex(of: "@") { return at }
    // A password with a slash makes the address malformed. Digits are a port.
    guard !authority.hasPrefix("["), let colon = authority.firstIndex(of: ":"),
      !authority[colon...].dropFirst().allSatisfy(\.isNumber)
    else { return nil }
    return rest.lastIndex(of: "@")
  }

  /// Splits `user@host:port`; a host in brackets may contain colons.
  static func authority(
    _ text: Substring
  ) throws(Malformed) -> (user: Substring?, host: Substring, port: UInt16?) {
    var (user, host): (Substring?, Substring) = (nil, text)
    if let at = text.lastIndex(of: "@") {
      (user, host) = (text[..<at], text[text.index(after: at)...])
    }
    var port: Substring?
    if host.hasPrefix("["), let end = host.firstIndex(of: "]") {
      let rest = host[host.index(after: end)...]
      guard rest.isEmpty || rest.hasPrefix(":") else {
        throw Malformed(reason: "its host is invalid")
      }
      port = rest.isEmpty ? nil : rest.dropFirst()
      host = host[host.index(after: host.startIndex)..<end]
    } else if let colon = host.lastIndex(of: ":") {
      port = host[host.index(after: colon)...]
      host = host[..<colon]
    }
    guard !host.isEmpty else { throw Malformed(reason: "it has no host") }
    guard let port, !port.isEmpty else { return (user, host, nil) }
    guard port.allSatisfy({ $0.isASCII && $0.isNumber }), let number = UInt16(port), number > 0
    // Do not quote the text: it may be a password.
    else { throw Malformed(reason: "its port is invalid") }
    return (user, host, number)
  }
}
