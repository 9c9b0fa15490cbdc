internal import CairnBase

/// A repository or directory on a machine reached with ssh.
package struct SSHAddress: Sendable, Equatable {
  package let user: String?
  /// A name, an IP address or an alias of `~/.ssh/config`.
  package let host: String
  package let port: UInt16?
  /// As the remote's shell reads it: absolute, below the user's home, or `~somebody/…`.
  package let path: String
  /// The address as the user wrote it.
  package let text: String

  /// Reads `sftp://user@host:port/path`; a path that begins with `/~/` is below the user's home.
  package init(sftp text: String) throws(RemoteAddress.Malformed) {
    try RemoteAddress.checkCharacters(of: text)
    let scheme = "sftp://"
    guard text.prefix(scheme.count).lowercased() == scheme else {
      throw RemoteAddress.Malformed(reason: "it does not begin with “\(scheme)”")
    }
    try self.init(url: text.dropFirst(scheme.count), scheme: "sftp")
  }

  /// Reads the part after `ssh://`.
  init(url: Substring, scheme: String = "ssh") throws(RemoteAddress.Malformed) {
    let slash = url.firstIndex(of: "/") ?? url.endIndex
    let (user, host, port) = try RemoteAddress.authority(url[..<slash])
    // Drop a password: ssh asks for it itself.
    let name = user.map { $0.prefix { $0 != ":" } }
    var path = url[slash...].percentDecoded
    if path.hasPrefix("/~") { path.removeFirst() }
    try self.init(
      user: name.map(\.percentDecoded),
      host: host.percentDecoded, port: port, path: path,
      text: scheme + "://" + (name.map { $0 + "@" } ?? "")
        + url.dropFirst(user.map { $0.count + 1 } ?? 0)
    )
  }

  /// Reads `user@host:path`, or `[user@host:port]:path`.
  init(scp text: String) throws(RemoteAddress.Malformed) {
    if text.hasPrefix("["), let end = text.firstRange(of: "]:") {
      let inner = text[text.index(after: text.startIndex)..<end.lowerBound]
      // The brackets hold an IPv6 address, or a host with its port.
      let isNumber = inner.count { $0 == ":" } > 1 && !inner.contains("[")
      let (user, host, port) =
        isNumber ? (nil, inner, nil) : try RemoteAddress.authority(inner)
      try self.init(
        user: user.map(String.init), host: String(host), port: port,
        path: String(text[end.upperBound...]), text: text)
      return
    }
    guard let colon = SSHAddress.colon(of: text) else {
      throw RemoteAddress.Malformed(reason: "it has no path")
    }
    let (user, host, _) = try RemoteAddress.authority(text[..<colon])
    var path = text[text.index(after: colon)...]
    // git runs the program that such an address names (`ext::`).
    guard !path.hasPrefix(":") else {
      throw RemoteAddress.Malformed(reason: "“\(text[..<colon])” is not supported")
    }
    if path.hasPrefix("/~") { path.removeFirst() }
    try self.init(
      user: user.map(String.init), host: String(host), port: nil, path: String(path), text: text)
  }

  /// Returns the colon between host and path, ignoring any in brackets.
  private static func colon(of text: String) -> String.Index? {
    guard let open = text.firstIndex(of: "["), let close = text[open...].firstIndex(of: "]") else {
      return text.firstIndex(of: ":")
    }
    return text[close...].firstIndex(of: ":")
  }

  private init(
    user: String?, host: String, port: UInt16?, path: String, text: String
  ) throws(RemoteAddress.Malformed) {
    // A leading hyphen would make it an option of ssh, or of the program at the other end.
    for word in [user, host, path] where word?.utf8.first == UInt8(ascii: "-") {
      throw RemoteAddress.Malformed(reason: "“\(word!)” begins with “-”")
    }
    for word in [user ?? "", host, path] { try RemoteAddress.checkCharacters(of: word) }
    guard !path.isEmpty, path != "/" else {
      throw RemoteAddress.Malformed(reason: "it has no path")
    }
    (self.user, self.host, self.port, self.path, self.text) = (user, host, port, path, text)
  }

  /// The destination argument of ssh.
  var destination: String { user.map { "\($0)@\(host)" } ?? host }
}
