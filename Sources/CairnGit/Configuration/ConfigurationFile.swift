internal import CLibgit2
package import CairnFiles
package import SystemPackage

/// A file in the format of git's configuration.
struct ConfigurationFile {
  private let file: FilePath
  private let files: FileSystem
  /// Returns a path for a temporary file of a kind. What a killed process left there is replaced.
  private let temporary: (_ what: String) -> FilePath

  init(_ file: FilePath, files: FileSystem, temporary: @escaping (String) -> FilePath) {
    (self.file, self.files, self.temporary) = (file, files, temporary)
  }

  /// Sets values in one write; nil removes a value. A key that occurs again gets a further value.
  ///
  /// The file is replaced under the lock that git takes, but with cairn's own lock implementation:
  /// libgit2's lock file does not identify its holder and would stay forever when the process is
  /// killed.
  func set(_ changes: [(key: String, value: String?)]) throws {
    // As in git, a symbolic link is kept and its target is replaced.
    let path = files.resolve(file) ?? file
    let lock = try Repository.acquireLock(
      FilePath(path.string + ".lock"), unnamed: temporary("lock"), files: files)
    try withExtendedLifetime(lock) {
      let before = try files.read(path) ?? []
      let after = try edited(before, changes)
      if after == before { return }
      let isElsewhere = try files.status(file)?.kind == .symlink
      let new =
        isElsewhere
        ? FilePath(path.string + ".cairn-config") : temporary("config")
      do {
        if try files.exists(new) { try files.remove(new) }
        // It may hold a password, so that only the user may read it before its permissions are known.
        let exists = try files.exists(path)
        try files.create(
          new, after, durable: true, permissions: exists ? .ownerReadWrite : .plainFile, isNew: true
        )
        try files.copyPermissions(of: path, to: new)
        try files.rename(new, to: path)
      } catch {
        files.discard(new)
        throw error
      }
    }
  }

  /// Returns the text of the file with `changes` applied.
  private func edited(
    _ text: [UInt8], _ changes: [(key: String, value: String?)]
  ) throws -> [UInt8] {
    // libgit2 writes other files beside it, which everyone may read.
    let directory = temporary("draft")
    if try files.exists(directory) { try files.removeTree(directory) }
    defer { files.discardTree(directory) }
    try files.createPrivateDirectory(directory)
    let draft = directory.appending("config")
    try files.create(draft, text)
    _ = LibGit2.isStarted
    var config: OpaquePointer?
    try check(git_config_open_ondisk(&config, draft.string), "read git's configuration")
    defer { git_config_free(config) }
    var known: Set<String> = []
    for (key, value) in changes {
      if let value {
        // The pattern matches no value to replace.
        let status =
          known.insert(key).inserted
          ? git_config_set_string(config, key, value)
          : git_config_set_multivar(config, key, "a^", value)
        try check(status, "set \(key) in git's configuration")
      } else {
        let status = git_config_delete_multivar(config, key, ".*")
        if status != GIT_ENOTFOUND.rawValue { try check(status, "remove \(key)") }
      }
    }
    return try files.read(draft) ?? []
  }
}

extension GitSettings {
  /// Returns the file of the user's own configuration, which `git config --global` writes; nil
  /// without a home directory.
  ///
  /// Source: git-config(1), “FILES”.
  package static func userFile(_ files: FileSystem) throws -> FilePath? {
    if let path = environmentVariable("GIT_CONFIG_GLOBAL") { return FilePath(path) }
    guard let home = environmentVariable("HOME") else { return nil }
    let file = FilePath(home).appending(".gitconfig")
    let base = environmentVariable("XDG_CONFIG_HOME") ?? home + "/.config"
    let other = FilePath(base).pushing("git/config")
    return try !files.exists(file) && files.exists(other) ? other : file
  }

  /// Sets values in the user's own configuration in one write; nil removes a value.
  ///
  /// - Throws: ``GitError`` when there is no home directory.
  package static func setUser(
    _ changes: [(key: String, value: String?)], files: FileSystem
  ) throws {
    guard let file = try userFile(files) else {
      throw GitError(.notFound, "there is no home directory (HOME is not set)")
    }
    let name = (files.resolve(file) ?? file).string
    try ConfigurationFile(file, files: files) { what in
      // Several processes may make the lock at once; with it, one makes the others.
      FilePath("\(name).\(what == "lock" ? TemporaryName.make(what) : "cairn-" + what)")
    }.set(changes)
  }
}
