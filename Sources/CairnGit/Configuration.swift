internal import CairnFiles
internal import CLibgit2
public import SystemPackage

extension Repository {
  /// Returns a value of git's configuration, from the most specific file that sets it.
  public func configuration(_ key: String) throws(GitError) -> String? {
    var config: OpaquePointer?
    try check(git_repository_config_snapshot(&config, handle), "read git's configuration")
    defer { git_config_free(config) }
    var value: UnsafePointer<CChar>?
    let status = git_config_get_string(&value, config, key)
    if status == GIT_ENOTFOUND.rawValue { return nil }
    try check(status, "read \(key) in git's configuration")
    return value.map { String(cString: $0) }
  }

  /// Sets a value in the repository's own configuration file; nil removes it.
  public func setConfiguration(_ key: String, _ value: String?) throws(GitError) {
    var config: OpaquePointer?
    try check(git_repository_config(&config, handle), "read git's configuration")
    defer { git_config_free(config) }
    var local: OpaquePointer?
    try check(
      git_config_open_level(&local, config, GIT_CONFIG_LEVEL_LOCAL), "open the configuration")
    defer { git_config_free(local) }
    if let value {
      try check(git_config_set_string(local, key, value), "set \(key) in git's configuration")
    } else {
      let status = git_config_delete_entry(local, key)
      if status != GIT_ENOTFOUND.rawValue { try check(status, "remove \(key)") }
    }
  }

  /// Sets a value in a file that has the form of git's configuration; nil removes it.
  public func setConfiguration(
    _ key: String, _ value: String?, inFile path: FilePath
  ) throws(GitError) {
    var config: OpaquePointer?
    try check(git_config_open_ondisk(&config, path.string), "read \(path)")
    defer { git_config_free(config) }
    if let value {
      try check(git_config_set_string(config, key, value), "set \(key) in \(path)")
    } else {
      let status = git_config_delete_entry(config, key)
      if status != GIT_ENOTFOUND.rawValue { try check(status, "remove \(key) from \(path)") }
    }
  }

  // MARK: The work tree's own configuration

  /// The file in which git keeps what holds for one work tree of several (`extensions.worktreeConfig`),
  /// and which libgit2 does not read.
  private var workTreeConfigurationFile: FilePath { gitDirectory.appending("config.worktree") }

  /// Returns a value of git's configuration, the work tree's own first.
  func workTreeConfiguration(_ key: String) throws -> String? {
    if try files.exists(workTreeConfigurationFile) {
      var config: OpaquePointer?
      try check(
        git_config_open_ondisk(&config, workTreeConfigurationFile.string), "read config.worktree")
      defer { git_config_free(config) }
      var value = git_buf()
      defer { git_buf_dispose(&value) }
      if git_config_get_string_buf(&value, config, key) == 0 { return String(cString: value.ptr) }
    }
    return try configuration(key)
  }

  /// Sets a value where git looks first for it.
  func setWorkTreeConfiguration(_ key: String, _ value: String) throws {
    guard try files.exists(workTreeConfigurationFile) || separateWorkTrees() else {
      return try setConfiguration(key, value)
    }
    var config: OpaquePointer?
    try check(
      git_config_open_ondisk(&config, workTreeConfigurationFile.string), "read config.worktree")
    defer { git_config_free(config) }
    try check(git_config_set_string(config, key, value), "set \(key) in config.worktree")
  }

  /// Gives each of several work trees a configuration of its own, as `git sparse-checkout` does.
  ///
  /// - Returns: False where there is one work tree, or where libgit2 would no longer open the
  ///   repository, since it knows of no extensions.
  private func separateWorkTrees() throws -> Bool {
    guard try files.exists(commonDirectory.appending("worktrees")),
      try configuration("core.repositoryformatversion") ?? "0" == "0"
    else { return false }
    try setConfiguration("extensions.worktreeConfig", "true")
    return true
  }

  /// Returns git's configuration as it is now.
  public func settings() throws(GitError) -> GitSettings {
    var config: OpaquePointer?
    try check(git_repository_config_snapshot(&config, handle), "read git's configuration")
    defer { git_config_free(config) }
    return try GitSettings(reading: config)
  }

  /// Returns the names of the remotes, sorted.
  public func remoteNames() throws(GitError) -> [String] { try settings().remoteNames }

  /// Returns the address of a remote after `insteadOf`; nil when there is no such remote.
  public func remoteURL(
    _ name: String, for direction: GitSettings.Direction = .fetching
  ) throws(GitError) -> String? {
    guard try isRemoteName(name) else { return nil }
    return try settings().address(ofRemote: name, for: direction)
  }

  /// True when git would take `name` for a remote.
  public func isRemoteName(_ name: String) throws(GitError) -> Bool {
    var isValid: CInt = 0
    try check(git_remote_name_is_valid(&isValid, name), "check the name \(name)")
    return isValid == 1
  }

  public func addRemote(_ name: String, url: String) throws(GitError) {
    var remote: OpaquePointer?
    try check(git_remote_create(&remote, handle, name, url), "add the remote \(name)")
    git_remote_free(remote)
  }

  /// Removes a remote, its settings and what was remembered of it.
  public func removeRemote(_ name: String) throws(GitError) {
    try check(git_remote_delete(handle, name), "remove the remote \(name)")
  }
}
