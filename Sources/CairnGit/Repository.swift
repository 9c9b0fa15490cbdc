public import CairnFiles
internal import CLibgit2
public import SystemPackage

/// A git repository on a disk. One thread uses it at a time.
public final class Repository {
  let handle: OpaquePointer
  let objects: OpaquePointer
  public let files: FileSystem

  /// How many objects were read so far: the cost that tests hold down.
  public internal(set) var objectsRead = 0
  /// Whether objects were written here since upkeep was last thought of.
  public var hasNewObjects = false

  /// Opens the repository whose git directory or work tree is `path`, without searching upwards.
  public static func open(_ path: FilePath, files: FileSystem) throws(GitError) -> Repository {
    _ = LibGit2.isStarted
    var handle: OpaquePointer?
    let flags = GIT_REPOSITORY_OPEN_NO_SEARCH.rawValue
    try check(
      git_repository_open_ext(&handle, path.string, flags, nil), "open the repository at \(path)")
    return try Repository(owning: handle!, files: files)
  }

  /// Makes a repository with `branch` as the branch to be, and opens it.
  public static func create(
    _ path: FilePath, bare: Bool, branch: String = "main", files: FileSystem
  ) throws(GitError) -> Repository {
    _ = LibGit2.isStarted
    var options = git_repository_init_options()
    git_repository_init_options_init(&options, UInt32(GIT_REPOSITORY_INIT_OPTIONS_VERSION))
    options.flags = GIT_REPOSITORY_INIT_MKPATH.rawValue | GIT_REPOSITORY_INIT_NO_REINIT.rawValue
    if bare { options.flags |= GIT_REPOSITORY_INIT_BARE.rawValue }
    var handle: OpaquePointer?
    let status = branch.withCString { branch in
      options.initial_head = branch
      return git_repository_init_ext(&handle, path.string, &options)
    }
    try check(status, "make a repository at \(path)")
    return try Repository(owning: handle!, files: files)
  }

  private init(owning handle: OpaquePointer, files: FileSystem) throws(GitError) {
    self.handle = handle
    self.files = files
    var objects: OpaquePointer?
    let status = git_repository_odb(&objects, handle)
    guard status == 0, let objects else {
      git_repository_free(handle)
      try check(status, "open the objects")
      throw GitError(.other, "cannot open the objects")
    }
    self.objects = objects
    try useGlobalConfiguration()
  }

  /// Reads the user's configuration where `GIT_CONFIG_GLOBAL` says, as git does and libgit2 does not.
  private func useGlobalConfiguration() throws(GitError) {
    guard let path = environment("GIT_CONFIG_GLOBAL") else { return }
    var config: OpaquePointer?
    try check(git_repository_config(&config, handle), "read git's configuration")
    defer { git_config_free(config) }
    try check(
      git_config_add_file_ondisk(config, path, GIT_CONFIG_LEVEL_GLOBAL, handle, 1), "read \(path)")
  }

  deinit {
    git_odb_free(objects)
    git_repository_free(handle)
  }

  public var isBare: Bool { git_repository_is_bare(handle) == 1 }

  /// The git directory of this work tree: `.git`, or the bare repository itself.
  public var gitDirectory: FilePath { FilePath(String(cString: git_repository_path(handle))) }

  /// The git directory that all work trees share: objects, refs and the blob store are there.
  public var commonDirectory: FilePath {
    FilePath(String(cString: git_repository_commondir(handle)))
  }

  /// The top of the work tree; nil for a bare repository.
  public var workTree: FilePath? {
    git_repository_workdir(handle).map { FilePath(String(cString: $0)) }
  }
}
