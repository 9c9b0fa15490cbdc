package import CairnGit

extension GitSettings {
  /// Returns the value of `http.<name>` for an address: the one whose URL fits best, otherwise the
  /// one without a URL.
  ///
  /// Source: git's Documentation/config/http.txt, “http.<url>.*”.
  package func http(_ name: String, for address: WebAddress) -> String? {
    httpValues(name, for: address).last
  }

  /// Returns all values that apply to an address, the best last; an empty one discards those before
  /// it.
  ///
  /// - Parameter onlyOfURL: Whether to omit those that apply to all addresses.
  package func httpAll(
    _ name: String, for address: WebAddress, onlyOfURL: Bool = false
  ) -> [String] {
    httpValues(name, for: address, onlyOfURL: onlyOfURL).reduce(into: []) { values, value in
      if value.isEmpty { values = [] } else { values.append(value) }
    }
  }

  private func httpValues(
    _ name: String, for address: WebAddress, onlyOfURL: Bool = false
  ) -> [String] {
    let name = "." + name.lowercased()
    var found: [(fit: URLFit, value: String)] = []
    for (key, value) in entries where key.hasPrefix("http.") && key.hasSuffix(name) {
      let pattern = key.dropFirst("http.".count).dropLast(name.count)
      if key.utf8.count == "http".utf8.count + name.utf8.count {
        if !onlyOfURL { found.append((URLFit(), value)) }
      } else if let fit = URLFit(String(pattern), address) {
        found.append((fit, value))
      }
    }
    // Values that fit equally well keep the order of the files.
    return found.enumerated()
      .sorted { ($0.element.fit, $0.offset) < ($1.element.fit, $1.offset) }
      .map(\.element.value)
  }

  /// Returns whether `http.<name>` is true for an address; nil when it is not set.
  func httpFlag(_ name: String, for address: WebAddress) -> Bool? {
    guard let text = http(name, for: address) else { return nil }
    var settings = GitSettings()
    settings.entries = [("http.flag", text)]
    return settings.flag("http.flag")
  }
}

/// A rank of how well a setting's URL fits an address: by the length of its host, then of its path,
/// then by its user.
private struct URLFit: Comparable {
  private var host = 0
  private var path = 0
  private var hasUser = false

  init() {}

  init?(_ pattern: String, _ address: WebAddress) {
    // A pattern parses like an address; only its host may also contain stars.
    guard let url = WebAddress(pattern), url.scheme == address.scheme else { return nil }
    let defaultPort: UInt16 = address.scheme == "https" ? 443 : 80
    guard (url.port ?? defaultPort) == (address.port ?? defaultPort) else { return nil }
    let (wanted, given) = (
      url.host.lowercased().split(separator: ".", omittingEmptySubsequences: false),
      address.host.lowercased().split(separator: ".", omittingEmptySubsequences: false)
    )
    guard wanted.count == given.count, zip(wanted, given).allSatisfy({ $0 == "*" || $0 == $1 })
    else { return nil }
    if let user = url.user {
      guard user == address.user else { return nil }
      hasUser = true
    }
    var prefix = url.path
    while prefix.hasSuffix("/") { prefix.removeLast() }
    guard address.path == prefix || address.path.hasPrefix(prefix + "/") else { return nil }
    // A star ranks below a name.
    host = 2 * url.host.utf8.count - wanted.count { $0 == "*" }
    path = prefix.utf8.count
  }

  static func < (a: URLFit, b: URLFit) -> Bool {
    (a.host, a.path, a.hasUser ? 1 : 0) < (b.host, b.path, b.hasUser ? 1 : 0)
  }
}
