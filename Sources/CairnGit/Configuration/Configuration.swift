internal import CairnFiles
internal import CLibgit2
package import SystemPackage

extension Repository {
  /// Returns a value of git's configuration, from the most specific file that sets it.
  package func configuration(_ key: String) throws(GitError) -> String? {
    var config: OpaquePointer?
    try check(git_repository_config_snapshot(&config, handle), "read git's configuration")
    defer { git_config_free(config) }
    var value: UnsafePointer<CChar>?
    let status = git_config_get_string(&value, config, key)
    if status == GIT_ENOTFOUND.rawValue { return nil }
    try check(status, "read \(key) in git's configuration")
    return value.map { String(cString: $0) }
  }

  /// Sets values in the repository's own configuration file in one write; nil removes a value.
  package func setConfiguration(_ changes: [(key: String, value: String?)]) throws {
    try setConfiguration(changes, inFile: commonDirectory.appending("config"))
  }

  package func setConfiguration(_ key: String, _ value: String?) throws {
    try setConfiguration([(key, value)])
  }

  /// Sets values in a file in the format of git's configuration in one write; nil removes a value.
  package func setConfiguration(
    _ changes: [(key: String, value: String?)], inFile file: FilePath
  ) throws {
    try ConfigurationFile(file, files: files, temporary: temporaryFile).set(changes)
  }

  // MARK: The work tree's own configuration

  /// The file with git's configuration for this one work tree (`extensions.worktreeConfig`), which
  /// libgit2 does not read.
  private var workTreeConfigurationFile: FilePath { gitDirectory.appending("config.worktree") }

  /// Returns a value of git's configuration, preferring the work tree's own.
  func workTreeConfiguration(_ key: String) throws -> String? {
    try ownConfiguration(key) ?? configuration(key)
  }

  /// Returns a value of the work tree's own configuration.
  func ownConfiguration(_ key: String) throws(GitError) -> String? {
    guard (try? files.exists(workTreeConfigurationFile)) == true else { return nil }
    return try Repository.value(of: key, inFile: workTreeConfigurationFile)
  }

  private static func value(
    of key: String, inFile file: FilePath
  ) throws(GitError) -> String? {
    var config: OpaquePointer?
    try check(git_config_open_ondisk(&config, file.string), "read \(file)")
    defer { git_config_free(config) }
    var value = git_buf()
    defer { git_buf_dispose(&value) }
    return git_config_get_string_buf(&value, config, key) == 0 ? String(cString: value.ptr) : nil
  }

  /// Sets values in the file that git checks first for them.
  func setWorkTreeConfiguration(_ changes: [(key: String, value: String?)]) throws {
    guard try files.exists(workTreeConfigurationFile) || separateWorkTrees() else {
      return try setConfiguration(changes)
    }
    try setConfiguration(changes, inFile: workTreeConfigurationFile)
  }

  /// Gives each work tree its own configuration, as `git sparse-checkout` does.
  ///
  /// - Returns: False when there is only one work tree.
  private func separateWorkTrees() throws -> Bool {
    guard try files.exists(commonDirectory.appending("worktrees")) else { return false }
    // In the common file, they would count for every work tree from now on.
    let common = commonDirectory.appending("config")
    var settings: [(key: String, value: String?)] = []
    for key in ["core.bare", "core.worktree"] {
      let value = try Repository.value(of: key, inFile: common)
      if let value, value != "false" { settings.append((key, value)) }
    }
    if !settings.isEmpty {
      try setConfiguration(settings, inFile: commonDirectory.appending("config.worktree"))
    }
    try setConfiguration(settings.map { ($0.key, nil) } + [("extensions.worktreeConfig", "true")])
    return true
  }

  /// Returns the current git configuration.
  package func settings() throws(GitError) -> GitSettings {
    var config: OpaquePointer?
    try check(git_repository_config_snapshot(&config, handle), "read git's configuration")
    defer { git_config_free(config) }
    return try GitSettings(reading: config)
  }

  /// Returns the current git configuration, including files under conditions that only git itself
  /// knows (`includeIf.hasconfig:…`). These are read again when one of the others changes.
  ///
  /// - Parameter git: The git program, looked for when it is needed; nil if it is not installed.
  package func settings(git: @autoclosure () -> GitProgram?) throws(GitError) -> GitSettings {
    let settings = try settings()
    guard settings.entries.contains(where: { $0.key.hasPrefix("includeif.hasconfig:") }),
      let git = git()
    else { return settings }
    if let known = listedSettings,
      known.plain.entries.elementsEqual(settings.entries, by: { $0 == $1 })
    {
      return known.listed
    }
    let list = temporaryFile("settings")
    // The disk may be read-only; the configuration may hold passwords.
    guard (try? files.create(list, [], permissions: .ownerReadWrite)) != nil else {
      return settings
    }
    defer { files.discard(list) }
    do {
      try git.run("config", ["--list", "--null"], in: self, ofWorkTree: true, output: list)
      let listed = GitSettings(listed: try files.read(list) ?? [])
      listedSettings = (settings, listed)
      return listed
    } catch {
      throw (error as? GitError) ?? GitError(.other, "\(error)")
    }
  }

  /// Returns the names of the remotes, sorted.
  package func remoteNames() throws(GitError) -> [String] { try settings().remoteNames }

  /// Returns the URL of a remote after `insteadOf`; nil when there is no such remote.
  package func remoteURL(
    _ name: String, for direction: GitSettings.Direction = .fetching
  ) throws(GitError) -> String? {
    guard try isRemoteName(name) else { return nil }
    return try settings().address(ofRemote: name, for: direction)
  }

  /// Returns whether git accepts `name` as the name of a remote.
  package func isRemoteName(_ name: String) throws(GitError) -> Bool {
    var isValid: CInt = 0
    try check(git_remote_name_is_valid(&isValid, name), "check the name \(name)")
    return isValid == 1
  }

  /// Returns the settings that define a remote.
  package static func remoteSettings(
    _ name: String, url: String
  ) -> [(key: String, value: String?)] {
    [
      ("remote.\(name).url", url),
      ("remote.\(name).fetch", "+refs/heads/*:refs/remotes/\(name)/*"),
    ]
  }

  package func addRemote(_ name: String, url: String) throws {
    try setConfiguration(Repository.remoteSettings(name, url: url))
  }

  /// Renames a remote, with its settings and its remote-tracking branches.
  package func renameRemote(_ name: String, to other: String) throws {
    let (section, otherSection) = ("remote.\(name).", "remote.\(other).")
    var changes: [(key: String, value: String?)] = []
    let file = commonDirectory.appending("config")
    let text = String(decoding: try files.read(file) ?? [], as: UTF8.self)
    for (key, value) in try ConfigParser.entries(of: text) {
      if key.hasPrefix(section), !key.dropFirst(section.count).contains(".") {
        let renamed = otherSection + key.dropFirst(section.count)
        let refs = "refs/remotes/\(name)/"
        let isRefs = key.hasSuffix(".fetch") && value.contains(refs)
        changes.append(
          (renamed, isRefs ? value.replacing(refs, with: "refs/remotes/\(other)/") : value))
        changes.append((key, nil))
      } else if namesRemote(key), value == name {
        changes.append((key, other))
      }
    }
    if changes.isEmpty { throw GitError(.notFound, "“\(name)” is not defined in \(file)") }
    try setConfiguration(changes)
    for old in try referenceNames() where old.hasPrefix("refs/remotes/\(name)/") {
      func renamed(_ reference: String) -> String {
        "refs/remotes/\(other)/" + reference.dropFirst("refs/remotes/\(name)/".count)
      }
      let new = renamed(old)
      if let target = try symbolicTarget(of: old) {
        try setSymbolicReference(new, to: renamed(target))
      } else if let commit = try reference(old), try reference(new) == nil {
        try moveReference(
          new, from: nil, to: commit,
          log: (Signature(name: "cairn", email: "cairn@localhost", time: 0), "remote: renamed"))
      }
    }
    try removeReferences(referenceNames().filter { $0.hasPrefix("refs/remotes/\(name)/") })
  }

  /// Removes a remote, its settings and its remote-tracking branches.
  package func removeRemote(_ name: String) throws {
    try removeReferences(referenceNames().filter { $0.hasPrefix("refs/remotes/\(name)/") })
    let settings = try settings()
    let section = "remote.\(name)."
    var keys = Set(
      settings.entries.map(\.key).filter {
        $0.hasPrefix(section) && !$0.dropFirst(section.count).contains(".")
      })
    for (key, value) in settings.entries where namesRemote(key) && value == name {
      keys.insert(key)
      if key.hasSuffix(".remote") { keys.insert(key.dropLast("remote".count) + "merge") }
    }
    try setConfiguration(keys.sorted().map { ($0, nil) })
  }

  /// Whether the value of a setting is the name of a remote.
  private func namesRemote(_ key: String) -> Bool {
    key == "remote.pushdefault"
      || key.hasPrefix("branch.") && (key.hasSuffix(".remote") || key.hasSuffix(".pushremote"))
  }
}
