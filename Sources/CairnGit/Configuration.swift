internal import CLibgit2

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

  /// Returns the names of the remotes, sorted.
  public func remoteNames() throws(GitError) -> [String] {
    var names = git_strarray()
    try check(git_remote_list(&names, handle), "list the remotes")
    defer { git_strarray_dispose(&names) }
    return (0..<names.count).map { String(cString: names.strings[$0]!) }.sorted()
  }

  /// Returns the address of a remote after `insteadOf`; nil when there is no such remote.
  public func remoteURL(_ name: String) throws(GitError) -> String? {
    var remote: OpaquePointer?
    let status = git_remote_lookup(&remote, handle, name)
    if status == GIT_ENOTFOUND.rawValue || status == GIT_EINVALIDSPEC.rawValue { return nil }
    try check(status, "look up the remote \(name)")
    defer { git_remote_free(remote) }
    return git_remote_url(remote).map { String(cString: $0) }
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
