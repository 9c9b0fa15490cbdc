internal import CairnFiles
internal import CairnGit
internal import CairnHTTP
public import CairnSources
internal import CairnStore
internal import CairnSync
internal import CairnTransport
internal import SystemPackage

/// A source as this person and this copy are set up for it.
public struct SourceState: Sendable {
  /// Where its key comes from.
  public enum Key: Sendable, Equatable {
    /// It asks for none.
    case notNeeded
    case missing
    /// A variable of the environment.
    case variable(String)
    /// One of git's credential helpers.
    case helper
  }

  public let name: SourceName
  /// Where it is asked; nil for what is not a service.
  public let url: String?
  /// Whether somebody set that.
  public let isOwnURL: Bool
  public let key: Key
  /// Whom it can write to, as it is told with every request.
  public let contact: String?
}

extension Dataset {
  /// Returns all sources and how they are set up.
  public func sources() throws(CairnError) -> [SourceState] {
    try translating { try SourceName.allCases.map(state) }
  }

  /// Returns how a source is set up.
  public func source(_ name: SourceName) throws(CairnError) -> SourceState {
    try translating { try state(of: name) }
  }

  /// Sets a source up; what is nil stays as it is, and what is empty is what it was at first.
  ///
  /// Address and contact stand in the configuration of this copy, which nobody else gets. A key goes to
  /// git's credential helpers.
  /// - Throws: ``CairnError`` when no helper keeps the key.
  public func setSource(
    _ name: SourceName, url: String? = nil, contact: String? = nil, key: String? = nil
  ) throws(CairnError) -> SourceState {
    try translating {
      guard name.url != nil else {
        throw CairnError(.invalidInput, "There is nothing to set for \(name.title).")
      }
      if let url { try setAddress(url, of: name) }
      if let contact { try setContact(contact, of: name) }
      if let key { try keep(key, of: name) }
      return try state(of: name)
    }
  }

  /// Makes a source what it was at first, as far as this copy goes: its keys, that of a mirror among
  /// them, its address and its contact are forgotten.
  ///
  /// - Returns: Whether there was anything to forget.
  public func resetSource(_ name: SourceName) throws(CairnError) -> Bool {
    try translating {
      guard let usual = name.url else { return false }
      var isChanged = false
      if name.keyUse != .none {
        let key = Dataset.key(name, "url")
        let own = [environment(name.variable("URL")), try replica.repository.settings()[key]]
        // What cannot be an address has no key.
        let urls = Set([usual] + own.compactMap { $0.flatMap { try? Dataset.checkedAddress($0) } })
        for url in urls.sorted() where try storedKey(of: name, at: url)?.forget() ?? false {
          isChanged = true
        }
      }
      for what in ["url", "contact"] {
        let key = Dataset.key(name, what)
        guard let value = try replica.repository.configuration(key) else { continue }
        try replica.repository.setConfiguration(key, nil)
        // What is left is not of this copy.
        if try replica.repository.configuration(key) != value { isChanged = true }
      }
      return isChanged
    }
  }

  /// Asks a source for a few photos and fetches none.
  ///
  /// - Returns: How many it offers at once.
  public func testSource(
    _ name: SourceName, _ query: SourceQuery
  ) throws(CairnError) -> Int {
    try translating {
      guard name.url != nil else {
        throw CairnError(.invalidInput, "There is nothing to test of \(name.title).")
      }
      return try PhotoFetch.test(
        openSource(name, locations: [], files: []), query, options: fetchOptions(for: name))
    }
  }

  // MARK: Parts

  /// Returns the source itself.
  func openSource(
    _ name: SourceName, locations: [WebLocation], files: [FilePath]
  ) throws -> any PhotoSource {
    let access = SourceAccess(
      name, url: try address(of: name)?.url, key: try key(of: name).text)
    return switch name {
    case .flickr: Flickr(access)
    case .commons: Commons(access)
    case .inaturalist: INaturalist(access)
    case .openverse: Openverse(access)
    case .dogCEO: DogCEO(access)
    case .urls: LocationList(locations)
    case .folder: FileList(files)
    }
  }

  func fetchOptions(for name: SourceName) throws -> PhotoFetch.Options {
    var options = PhotoFetch.Options(
      directory: directory.privateDirectory.appending("fetch"), files: world.files,
      clock: .machine(now: world.now), random: world.random)
    var http = HTTPSettings { environment($0) }
    http.redirects = options.http.redirects
    // Services want to know who asks, and whom they can write to.
    http.userAgent = "cairn/0.1" + (try contact(for: name).map { " (\($0))" } ?? "")
    options.http = http
    return options
  }

  private func state(of name: SourceName) throws -> SourceState {
    let address = try address(of: name)
    return SourceState(
      name: name, url: address?.url, isOwnURL: address?.isOwn ?? false,
      key: try key(of: name).place, contact: name.url == nil ? nil : try contact(for: name))
  }

  private static func key(_ name: SourceName, _ what: String) -> String {
    "cairnsource.\(name.rawValue).\(what)"
  }

  private func setting(_ name: SourceName, _ what: String) throws -> String? {
    let value = environment(name.variable(what.uppercased()))
    return try value
      ?? replica.repository.settings()[Dataset.key(name, what)]
      .flatMap { $0.isEmpty ? nil : $0 }
  }

  private func address(of name: SourceName) throws -> (url: String, isOwn: Bool)? {
    guard let usual = name.url else { return nil }
    guard let own = try setting(name, "url") else { return (usual, false) }
    return (try Dataset.checkedAddress(own), true)
  }

  private func contact(for name: SourceName) throws -> String? {
    let contact =
      try setting(name, "contact") ?? environment("CAIRN_CONTACT")
      ?? replica.repository.settings()["cairnsource.contact"]
    return try contact.map(Dataset.checkedContact).flatMap { $0.isEmpty ? nil : $0 }
  }

  private func key(of name: SourceName) throws -> (text: String?, place: SourceState.Key) {
    if name.keyUse == .none { return (nil, .notNeeded) }
    let variable = name.variable("KEY")
    if let key = environment(variable) { return (try Dataset.checkedKey(key), .variable(variable)) }
    if let key = try storedKey(of: name)?.find() { return (try Dataset.checkedKey(key), .helper) }
    return (nil, .missing)
  }

  /// A key belongs to the server that it is for.
  private func storedKey(of name: SourceName) throws -> StoredKey? {
    try address(of: name).flatMap { try storedKey(of: name, at: $0.url) }
  }

  private func storedKey(of name: SourceName, at url: String) throws -> StoredKey? {
    guard let address = WebAddress(url) else { return nil }
    let context = TransportContext(
      try replica.repository.settings(),
      git: world.findProgram("git").map { GitProgram(path: $0) },
      gitDirectory: replica.repository.gitDirectory)
    return StoredKey(for: address, user: "cairn-\(name.rawValue)", context)
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

  private func keep(_ key: String, of name: SourceName) throws {
    guard name.keyUse != .none else {
      throw CairnError(.invalidInput, "\(name.title) asks for no key.")
    }
    let key = try Dataset.checkedKey(key)
    guard try storedKey(of: name)?.keep(key) ?? false else {
      throw CairnError(
        .noIdentity, "git has no credential helper that keeps the key of \(name.title).",
        hint: "Set \(name.variable("KEY")) in the environment, or choose a helper: "
          + "`git config --global credential.helper libsecret` (or osxkeychain, manager, cache).")
    }
  }

  private static func checkedKey(_ key: String) throws -> String {
    let key = key.trimmingSpaces()
    guard !key.isEmpty, key.utf8.count <= 4096, key.utf8.allSatisfy({ 0x21...0x7E ~= $0 }) else {
      throw CairnError(
        .invalidInput, "This is no key: one is a word of ASCII letters, digits and signs.")
    }
    return key
  }

  private static func checkedAddress(_ url: String) throws -> String {
    guard let location = WebLocation(url), !location.text.contains("?") else {
      throw CairnError(
        .invalidInput, "“\(WebLocation.withoutSecrets(url))” cannot be the address of a source.",
        hint: "It begins with https:// or http:// and has no user, password or question mark.")
    }
    return location.text
  }

  private static func checkedContact(_ contact: String) throws -> String {
    let contact = contact.trimmingSpaces()
    // It stands between brackets in a header.
    guard contact.utf8.count <= 200,
      contact.utf8.allSatisfy({ 0x20...0x7E ~= $0 && $0 != 0x28 && $0 != 0x29 })
    else {
      throw CairnError(
        .invalidInput, "“\(contact)” cannot be a contact.",
        hint: "Give an address of mail, or of a page that says who you are.")
    }
    return contact
  }
}
