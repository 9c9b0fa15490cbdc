/// The origin of a URL: its scheme, host and port. Data meant for one origin are sent to no other.
///
/// Source: RFC 6454, section 4.
struct WebOrigin: Equatable, Sendable {
  let scheme: String
  /// In lower case; an IPv6 address keeps its brackets.
  let host: String
  let port: Int

  /// Parses the origin of a URL; nil if it is ambiguous, for example because of a user and
  /// password.
  init?(_ url: String) {
    let text = url.lowercased()
    guard let scheme = ["http", "https"].first(where: { text.hasPrefix($0 + "://") }) else {
      return nil
    }
    let authority = text.dropFirst(scheme.count + 3).prefix { !"/?#".contains($0) }
    var rest = authority[...]
    if authority.first == "[" {
      guard let end = authority.firstIndex(of: "]") else { return nil }
      host = String(authority[...end])
      rest = authority[authority.index(after: end)...]
      guard host.dropFirst().dropLast().allSatisfy({ $0.isHexDigit || $0 == ":" || $0 == "." })
      else { return nil }
    } else {
      host = String(authority.prefix { $0 != ":" })
      rest = authority.dropFirst(host.count)
      guard
        host.utf8.allSatisfy({ 0x61...0x7A ~= $0 || 0x30...0x39 ~= $0 || "-._".utf8.contains($0) })
      else { return nil }
    }
    let digits = rest.dropFirst()
    guard !host.isEmpty, rest.isEmpty || rest.first == ":",
      digits.utf8.allSatisfy({ 0x30...0x39 ~= $0 }),
      let port = digits.isEmpty ? (scheme == "https" ? 443 : 80) : Int(digits)
    else { return nil }
    (self.scheme, self.port) = (scheme, port)
  }
}
