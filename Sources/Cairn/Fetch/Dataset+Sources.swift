internal import CairnFiles
internal import CairnGit
internal import CairnHTTP
public import CairnSources
internal import CairnStore
internal import CairnSync
internal import CairnTransport
internal import SystemPackage

/// A source with the current user's settings for it in this copy.
public struct SourceState: Sendable {
  /// The origin of the source's key.
  public enum Key: Sendable, Equatable {
    /// The source needs no key.
    case notNeeded
    /// The source needs a key, and none was found.
    case missing
    /// An environment variable.
    case variable(String)
    /// One of git's credential helpers.
    case helper
  }

  /// The source.
  public let name: SourceName
  /// The URL of the service; nil if the source is not a service.
  public let url: String?
  /// Whether the URL was set by the user.
  public let isOwnURL: Bool
  /// Where the source's key comes from.
  public let key: Key
  /// The contact that is sent to the service with every request.
  public let contact: String?
}

extension Dataset {
  /// Returns all sources and their settings.
  public func sources() throws(CairnError) -> [SourceState] {
    try translating { try SourceName.allCases.map(state) }
  }

  /// Returns the settings of a source.
  public func source(_ name: SourceName) throws(CairnError) -> SourceState {
    try translating { try state(of: name) }
  }

  /// Changes the settings of a source; nil leaves a value unchanged, and an empty text restores its
  /// default.
  ///
  /// URL and contact are stored in the configuration of this copy and are not shared. A key is
  /// stored by git's credential helpers.
  /// - Throws: ``CairnError`` when no helper stores the key.
  @discardableResult
  public func setSource(
    _ name: SourceName, url: String? = nil, contact: String? = nil, key: String? = nil
  ) throws(CairnError) -> SourceState {
    try translating {
      guard name.url != nil else {
        throw CairnError(.invalidInput, "\(name.title) has no settings.")
      }
      if let url { try setAddress(url, of: name) }
      if let contact { try setContact(contact, of: name) }
      if let key { try store(key, of: name) }
      return try state(of: name)
    }
  }

  /// Resets a source to its defaults, as far as this copy is concerned: deletes its keys, including
  /// that of a mirror, its URL and its contact.
  ///
  /// - Returns: Whether there was anything to delete.
  @discardableResult
  public func resetSource(_ name: SourceName) throws(CairnError) -> Bool {
    try translating {
      guard let defaultURL = name.url else { return false }
      var isChanged = false
      if name.keyUse != .none {
        let key = Dataset.key(name, "url")
        let own = [
          environmentVariable(name.variable("URL")), try replica.repository.settings()[key],
        ]
        // An invalid URL has no key.
        let urls = Set(
          [defaultURL] + own.compactMap { $0.flatMap { try? Dataset.checkedAddress($0) } })
        for url in urls.sorted() where try storedKey(of: name, at: url)?.delete() ?? false {
          isChanged = true
        }
      }
      for what in ["url", "contact"] {
        let key = Dataset.key(name, what)
        guard let value = try replica.repository.configuration(key) else { continue }
        try replica.repository.setConfiguration(key, nil)
        // A value that remains comes from outside this copy.
        if try replica.repository.configuration(key) != value { isChanged = true }
      }
      return isChanged
    }
  }

  /// Requests a few photos from a source without fetching any.
  ///
  /// - Returns: The number of photos in its response.
  public func testSource(
    _ name: SourceName, _ query: SourceQuery
  ) throws(CairnError) -> Int {
    try translating {
      guard name.url != nil else {
        throw CairnError(.invalidInput, "\(name.title) is not a service, so it cannot be tested.")
      }
      return try PhotoFetch.test(
        openSource(name, locations: [], files: []), query, options: fetchOptions(for: name))
    }
  }

  // MARK: Opening a source

  /// Returns the photo source with the given name.
  func openSource(
    _ name: SourceName, locations: [WebLocation], files: [FilePath]
  ) throws -> any PhotoSource {
    let access = SourceCredentials(
      name, url: try address(of: name)?.url, key: try key(of: name).text)
    return switch name {
    case .flickr: Flickr(access)
    case .commons: Commons(access)
    case .inaturalist: INaturalist(access)
    case .openverse: Openverse(access)
    case .dogCEO: DogCEO(access)
    case .urls: URLListSource(locations)
    case .folder: FolderSource(files)
    }
  }

  func fetchOptions(for name: SourceName) throws -> PhotoFetch.Options {
    var options = PhotoFetch.Options(
      directory: directory.privateDirectory.appending("fetch"), files: environment.files,
      clock: .machine(now: environment.now), random: environment.random)
    var http = HTTPSettings { environmentVariable($0) }
    http.redirects = options.http.redirects
    // Services require a user agent with a contact.
    http.userAgent = "cairn/0.1" + (try contact(for: name).map { " (\($0))" } ?? "")
    options.http = http
    return options
  }

  private func state(of name: SourceName) throws -> SourceState {
    let address = try address(of: name)
    return SourceState(
      name: name, url: address?.url, isOwnURL: address?.isOwn ?? false,
      key: try key(of: name).origin, contact: name.url == nil ? nil : try contact(for: name))
  }

  private static func key(_ name: SourceName, _ what: String) -> String {
    "cairnsource.\(name.rawValue).\(what)"
  }

  private func setting(_ name: SourceName, _ what: String) throws -> String? {
    let value = environmentVariable(name.variable(what.uppercased()))
    return try value
      ?? replica.repository.settings()[Dataset.key(name, what)]
      .flatMap { $0.isEmpty ? nil : $0 }
  }

  private func address(of name: SourceName) throws -> (url: String, isOwn: Bool)? {
    guard let defaultURL = name.url else { return nil }
    guard let own = try setting(name, "url") else { return (defaultURL, false) }
    return (try Dataset.checkedAddress(own), true)
  }

  private func contact(for name: SourceName) throws -> String? {
    let contact =
      try setting(name, "contact") ?? environmentVariable("CAIRN_CONTACT")
      ?? replica.repository.settings()["cairnsource.contact"]
    return try contact.map(Dataset.checkedContact).flatMap { $0.isEmpty ? nil : $0 }
  }

  private func key(of name: SourceName) throws -> (text: String?, origin: SourceState.Key) {
    if name.keyUse == .none { return (nil, .notNeeded) }
    let variable = name.variable("KEY")
    if let key = environmentVariable(variable) {
      return (try Dataset.checkedKey(key), .variable(variable))
    }
    if let key = try storedKey(of: name)?.find() { return (try Dataset.checkedKey(key), .helper) }
    return (nil, .missing)
  }

  /// Returns the credential for the source's server: a key belongs to one server.
  private func storedKey(of name: SourceName) throws -> StoredCredential? {
    try address(of: name).flatMap { try storedKey(of: name, at: $0.url) }
  }

  private func storedKey(of name: SourceName, at url: String) throws -> StoredCredential? {
    guard let address = WebAddress(url) else { return nil }
    let context = TransportContext(
      try replica.repository.settings(),
      git: environment.findProgram("git").map { GitProgram(path: $0) },
      gitDirectory: replica.repository.gitDirectory)
    return StoredCredential(for: address, user: "cairn-\(name.rawValue)", context)
  }

  private func setAddress(_ url: String, of name: SourceName) throws {
    let url = url.isEmpty ? nil : try Dataset.checkedAddress(url)
    try replica.repository.setConfiguration(Dataset.key(name, "url"), url)
  }

  private func setContact(_ contact: String, of name: SourceName) throws {
    let contact = try Dataset.checkedContact(contact)
    try replica.repository.setConfiguration(
      Dataset.key(name, "contact"), contact.isEmpty ? nil : contact)
  }

  private func store(_ key: String, of name: SourceName) throws {
    guard name.keyUse != .none else {
      throw CairnError(.invalidInput, "\(name.title) needs no key.")
    }
    let key = try Dataset.checkedKey(key)
    guard try storedKey(of: name)?.store(key) ?? false else {
      throw CairnError(
        .noIdentity, "git has no credential helper that stores the key for \(name.title).",
        hint: "Set \(name.variable("KEY")) in the environment, or choose a helper: "
          + "`git config --global credential.helper libsecret` (or osxkeychain, manager, cache).")
    }
  }

  private static func checkedKey(_ key: String) throws -> String {
    let key = key.trimmingSpaces()
    guard !key.isEmpty, key.utf8.count <= 4096, key.utf8.allSatisfy({ 0x21...0x7E ~= $0 }) else {
      throw CairnError(
        .invalidInput, "Invalid key: it may contain only visible ASCII characters, and no spaces.")
    }
    return key
  }

  private static func checkedAddress(_ url: String) throws -> String {
    guard let location = WebLocation(url), !location.text.contains("?") else {
      throw CairnError(
        .invalidInput, "“\(WebLocation.withoutSecrets(url))” cannot be the address of a source.",
        hint: "Use an address that begins with https:// or http://, without a user name, password "
          + "or question mark.")
    }
    return location.text
  }

  private static func checkedContact(_ contact: String) throws -> String {
    let contact = contact.trimmingSpaces()
    // The contact is put in parentheses in a header.
    guard contact.utf8.count <= 200,
      contact.utf8.allSatisfy({ 0x20...0x7E ~= $0 && $0 != 0x28 && $0 != 0x29 })
    else {
      throw CairnError(
        .invalidInput, "“\(contact)” cannot be a contact.",
        hint: "Give an email address, or the address of a web page about you.")
    }
    return contact
  }
}
