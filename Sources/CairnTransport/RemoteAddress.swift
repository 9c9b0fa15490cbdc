internal import CairnFiles

/// Where a remote is, as git reads addresses.
///
/// Source: git's Documentation/urls.txt.
public enum RemoteAddress: Sendable, Equatable {
  /// A path on this machine, as it was given.
  case directory(String)
  case ssh(SSHAddress)
  case web(WebAddress)

  /// Why an address is none.
  public struct Malformed: Error, Equatable {
    public let reason: String

    public init(reason: String) { self.reason = reason }
  }

  /// Reads a path, `file:`, `ssh:`, `http:` or `https:` address, or one as scp has it (`host:path`).
  public init(_ text: String) throws(Malformed) {
    guard !text.isEmpty else { throw Malformed(reason: "it is empty") }
    try RemoteAddress.checkCharacters(of: text)
    if let (scheme, rest) = RemoteAddress.scheme(of: text) {
      switch scheme {
      case "file": self = .directory(rest.percentDecoded)
      case "ssh", "git+ssh", "ssh+git": self = .ssh(try SSHAddress(url: rest))
      case "http", "https": self = .web(try WebAddress(scheme: scheme, rest))
      default: throw Malformed(reason: "“\(scheme)” is not spoken here")
      }
    } else if RemoteAddress.isDirectory(text) {
      self = .directory(text)
    } else {
      self = .ssh(try SSHAddress(scp: text))
    }
  }

  /// True for a path; false for `https://…`, `ssh://…` and `host:path`, as git tells them apart.
  public static func isDirectory(_ address: String) -> Bool {
    if address.contains("://") { return false }
    guard let colon = address.firstIndex(of: ":") else { return !address.isEmpty }
    return address[..<colon].contains("/")
  }

  /// Refuses what people and programs would read otherwise than is done here, by characters: a control,
  /// or a sign such as “/” with an accent.
  static func checkCharacters(of text: String) throws(Malformed) {
    for character in text {
      let scalars = character.unicodeScalars
      guard !scalars.contains(where: { $0.properties.generalCategory == .control }) else {
        throw Malformed(reason: "it holds a control character")
      }
      if scalars.count > 1, let first = scalars.first, first.isASCII, !Character(first).isLetter {
        throw Malformed(reason: "it holds “\(first)” with an accent")
      }
    }
  }

  private static func scheme(of text: String) -> (scheme: String, rest: Substring)? {
    guard let colon = text.firstIndex(of: ":"), text[colon...].hasPrefix("://") else { return nil }
    return (text[..<colon].lowercased(), text[text.index(colon, offsetBy: 3)...])
  }

  /// The address, without a password.
  public var withoutSecret: String {
    switch self {
    case .directory(let path): path
    case .ssh(let address): address.text
    case .web(let address): address.text
    }
  }

  /// Returns an address in which a password is left out, whether it can be read or not.
  public static func withoutSecret(_ text: String) -> String {
    if let address = try? RemoteAddress(text) {
      if case .web = address { return address.withoutSecret }
    }
    // A password that holds a slash makes an address that does not read.
    guard let (_, rest) = scheme(of: text), let at = rest.lastIndex(of: "@"),
      let colon = rest[..<at].firstIndex(of: ":")
    else { return text }
    return String(text[..<colon] + text[at...])
  }

  /// Splits `user@host:port`; a host between brackets may hold colons.
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
      guard rest.isEmpty || rest.hasPrefix(":") else { throw Malformed(reason: "its host is odd") }
      port = rest.isEmpty ? nil : rest.dropFirst()
      host = host[host.index(after: host.startIndex)..<end]
    } else if let colon = host.lastIndex(of: ":") {
      port = host[host.index(after: colon)...]
      host = host[..<colon]
    }
    guard !host.isEmpty else { throw Malformed(reason: "it names no host") }
    guard let port, !port.isEmpty else { return (user, host, nil) }
    guard port.allSatisfy({ $0.isASCII && $0.isNumber }), let number = UInt16(port), number > 0
    // What stands there may be a password.
    else { throw Malformed(reason: "what follows the host is not a port") }
    return (user, host, number)
  }
}
