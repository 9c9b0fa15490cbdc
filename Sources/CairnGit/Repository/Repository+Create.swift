package import CairnFiles
internal import CLibgit2
package import SystemPackage

extension Repository {
  /// Creates a repository with `branch` as its initial branch, and opens it.
  ///
  /// The repository is created under a temporary name beside `path` and renamed when complete, so a
  /// killed process leaves no partial repository.
  ///
  /// - Parameters:
  ///   - path: The work tree, or the bare repository.
  ///   - prepare: Called with the git directory before it is moved to its final path.
  package static func create(
    _ path: FilePath, bare: Bool, branch: String = "main", files: FileSystem,
    prepare: (_ gitDirectory: FilePath) throws -> Void = { _ in }
  ) throws -> Repository {
    let target = bare ? path : path.appending(".git")
    if try files.exists(target.appending("HEAD")) {
      throw GitError(.exists, "a repository already exists at \(path)")
    }
    let parent = target.removingLastComponent()
    try files.createDirectory(parent)
    try removeUnfinished(in: parent, files: files)
    let (draft, lock): (FilePath, DirectoryLock)
    do {
      (draft, lock) = try makeDraft(in: parent, files: files)
    } catch let error as FileError where error.code == .permissionDenied {
      // The user owns this directory but cannot write to its parent.
      guard files.directoryExists(target) else { throw error }
      try initialize(target, bare: bare, branch: branch)
      try prepare(target)
      return try open(path, files: files)
    }
    try withExtendedLifetime(lock) {
      defer { files.discardTree(draft) }
      try initialize(draft, bare: bare, branch: branch)
      let made = bare ? draft : draft.appending(".git")
      // libgit2 does not notice that it could not remove one.
      for name in try files.list(made) ?? [] where name.hasSuffix(".lock") {
        try files.remove(made.appending(name))
      }
      try prepare(made)
      // Keeps an existing empty directory when replacing it would change its owner or group, for
      // example.
      if try !isAlike(target, made, files: files) {
        return try initialize(target, bare: bare, branch: branch)
      }
      try files.copyPermissions(of: target, to: made)
      try files.rename(made, to: target)
    }
    return try open(path, files: files)
  }

  /// Removes the leftovers of killed processes that were creating repositories in `parent`.
  package static func removeUnfinished(in parent: FilePath, files: FileSystem) throws {
    for name in try files.list(parent) ?? [] where TemporaryName.isName(name, of: draftName) {
      let draft = parent.appending(name)
      // A running process holds the lock on its draft.
      guard try isDraft(draft, files: files),
        let lock = try DirectoryLock.acquire(draft, files: files)
      else { continue }
      try withExtendedLifetime(lock) { try files.removeTree(draft) }
    }
  }

  /// Returns whether a directory contains nothing except the initial contents of a repository.
  private static func isDraft(_ path: FilePath, files: FileSystem) throws(FileError) -> Bool {
    let names: Set = [
      ".git", "HEAD", "cairn", "config", "description", "hooks", "info", "lfs", "objects", "refs",
    ]
    // libgit2 probes the file system's capabilities with temporary files.
    return (try files.list(path) ?? []).allSatisfy {
      names.contains($0) || $0.hasPrefix("_git2_") || $0.hasSuffix(".lock")
    }
  }

  private static var draftName: String { "init" }

  private static func makeDraft(
    in parent: FilePath, files: FileSystem
  ) throws -> (FilePath, DirectoryLock) {
    while true {
      let draft = parent.appending(TemporaryName.make(draftName))
      try files.createDirectory(draft)
      // Between these two steps another process may have treated the draft as abandoned.
      if let lock = try DirectoryLock.acquire(draft, files: files), lock.isOf(draft, files: files) {
        return (draft, lock)
      }
    }
  }

  /// Returns whether `new` may replace the directory at `old`.
  private static func isAlike(
    _ old: FilePath, _ new: FilePath, files: FileSystem
  ) throws(FileError) -> Bool {
    guard let old = try files.status(old), let new = try files.status(new) else { return true }
    return old.kind == .directory && old.device == new.device && old.user == new.user
      && old.group == new.group
  }

  private static func initialize(
    _ path: FilePath, bare: Bool, branch: String
  ) throws(GitError) {
    _ = LibGit2.isStarted
    var options = git_repository_init_options()
    git_repository_init_options_init(&options, UInt32(GIT_REPOSITORY_INIT_OPTIONS_VERSION))
    options.flags = GIT_REPOSITORY_INIT_NO_REINIT.rawValue
    if bare { options.flags |= GIT_REPOSITORY_INIT_BARE.rawValue }
    var handle: OpaquePointer?
    let status = branch.withCString { branch in
      options.initial_head = branch
      return git_repository_init_ext(&handle, path.string, &options)
    }
    try check(status, "create a repository at \(path)")
    git_repository_free(handle)
  }
}
