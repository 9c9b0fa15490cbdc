internal import CLibgit2

/// A snapshot of git's configuration: the system's, the user's, a repository's, and the
/// environment's.
package struct GitSettings: Sendable {
  package enum Direction: Sendable { case fetching, pushing }

  /// The entries from the most general to the most specific. Keys are normalized as git compares
  /// them: `http.sslcainfo`, `url.https://Example.org/.insteadof`.
  package var entries: [(key: String, value: String)] = []

  package init() {}

  /// Returns the configuration that applies outside of any repository.
  package static func user() throws(GitError) -> GitSettings {
    _ = LibGit2.isStarted
    var config: OpaquePointer?
    try check(git_config_open_default(&config), "read git's configuration")
    defer { git_config_free(config) }
    if let path = environmentVariable("GIT_CONFIG_GLOBAL") {
      try check(
        git_config_add_file_ondisk(config, path, GIT_CONFIG_LEVEL_GLOBAL, nil, 1), "read \(path)")
    }
    return try GitSettings(reading: config)
  }

  /// Parses the output of `git config --list --null`.
  init(listed bytes: [UInt8]) {
    entries = bytes.split(separator: 0).map {
      let parts = $0.split(separator: UInt8(ascii: "\n"), maxSplits: 1)
      // A key without “=” is true.
      return (
        String(decoding: parts[0], as: UTF8.self),
        parts.count > 1 ? String(decoding: parts[1], as: UTF8.self) : "true"
      )
    }
  }

  /// Reads entries with an iterator: the calls of libgit2 1.5 that match keys by pattern leak
  /// memory.
  init(reading config: OpaquePointer?) throws(GitError) {
    var iterator: OpaquePointer?
    try check(git_config_iterator_new(&iterator, config), "read git's configuration")
    defer { git_config_iterator_free(iterator) }
    var entry: UnsafeMutablePointer<git_config_entry>?
    while git_config_next(&entry, iterator) == 0, let entry {
      // A key without “=” is true.
      let value = entry.pointee.value.map { String(cString: $0) } ?? "true"
      entries.append((String(cString: entry.pointee.name), value))
    }
    // Source: git's Documentation/git-config.txt, “GIT_CONFIG_COUNT”.
    let count = environmentVariable("GIT_CONFIG_COUNT").flatMap { Int($0) } ?? 0
    for index in 0..<max(0, min(count, 1000)) {
      guard let key = environmentVariable("GIT_CONFIG_KEY_\(index)") else { continue }
      entries.append(
        (GitSettings.canonical(key), environmentVariable("GIT_CONFIG_VALUE_\(index)") ?? ""))
    }
  }

  /// Returns a key as git compares it: section and name in lower case, the subsection unchanged.
  private static func canonical(_ key: String) -> String {
    guard let first = key.firstIndex(of: "."), let last = key.lastIndex(of: ".") else { return key }
    return key[..<first].lowercased() + key[first..<last] + key[last...].lowercased()
  }

  /// The most specific value of a key.
  package subscript(key: String) -> String? {
    let key = GitSettings.canonical(key)
    return entries.last { $0.key == key }?.value
  }

  /// Returns all values of a multi-valued key; an empty value clears the previous ones.
  package func all(_ key: String) -> [String] {
    let key = GitSettings.canonical(key)
    return entries.lazy.filter { $0.key == key }.reduce(into: []) { values, entry in
      if entry.value.isEmpty { values = [] } else { values.append(entry.value) }
    }
  }

  /// Returns a boolean value of git's configuration; nil when it is missing or not a boolean.
  package func flag(_ key: String) -> Bool? {
    guard let text = self[key] else { return nil }
    var value: CInt = 0
    return git_config_parse_bool(&value, text) == 0 ? value != 0 : nil
  }

  /// Returns a number in git's notation, such as `10k`; nil if it is not one.
  package static func number(_ text: String) -> Int? {
    var value: Int64 = 0
    return git_config_parse_int64(&value, text) == 0 ? Int(value) : nil
  }

  // MARK: Remotes

  /// The names of the remotes, sorted.
  package var remoteNames: [String] {
    var names = Set<String>()
    for (key, _) in entries {
      let isAddress = key.hasSuffix(".url") || key.hasSuffix(".pushurl")
      if key.hasPrefix("remote."), isAddress, let dot = key.lastIndex(of: "."),
        let name = key[..<dot].split(separator: ".", maxSplits: 1).dropFirst().first
      {
        names.insert(String(name))
      }
    }
    return names.sorted()
  }

  /// Returns the URL of a remote; nil when there is no such remote.
  package func address(ofRemote name: String, for direction: Direction) -> String? {
    let addresses = all("remote.\(name).url")
    if direction == .pushing, let address = all("remote.\(name).pushurl").first {
      return rewritten(address, by: "insteadof")
    }
    return addresses.first.map { rewritten($0, for: direction) }
  }

  /// Returns a URL rewritten by `url.….insteadOf` and `url.….pushInsteadOf`.
  package func rewritten(_ address: String, for direction: Direction) -> String {
    let rewrittenForPush =
      direction == .pushing ? rewritten(address, by: "pushinsteadof") : address
    return rewrittenForPush == address ? rewritten(address, by: "insteadof") : rewrittenForPush
  }

  /// Rewrites a URL by the rule with the longest matching prefix.
  private func rewritten(_ address: String, by rule: String) -> String {
    var (prefix, replacement) = ("", "")
    for (key, value) in entries
    where key.hasPrefix("url.") && key.hasSuffix("." + rule) && address.hasPrefix(value)
      && value.utf8.count > prefix.utf8.count
    {
      (prefix, replacement) = (value, String(key.dropFirst(4).dropLast(rule.utf8.count + 1)))
    }
    return replacement + address.dropFirst(prefix.count)
  }
}
