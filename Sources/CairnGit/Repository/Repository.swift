package import CairnFiles
internal import CLibgit2
package import SystemPackage

/// A git repository on disk. Use it from one thread at a time.
package final class Repository {
  let handle: OpaquePointer
  let objects: OpaquePointer
  /// The git directory of this work tree: `.git`, or the bare repository itself.
  package let gitDirectory: FilePath
  /// The git directory shared by all work trees: it contains the objects, the refs and the blob
  /// store.
  package let commonDirectory: FilePath
  package private(set) var files: FileSystem
  package private(set) var isBare = false

  /// The number of objects read so far: the cost that tests limit.
  package internal(set) var objectsRead = 0
  /// The number of entries of the index read so far into ``IndexFile``, another such cost.
  package internal(set) var indexEntriesRead = 0
  /// Whether objects were written through this instance since maintenance was last considered.
  package var hasNewObjects = false
  /// The means to fetch what a shallow or partial clone left out; nil to fetch nothing.
  package var completion: Completion?
  /// Whether everything was fetched that a shallow or partial clone left out.
  var isCompleted = false
  /// The error of a failed completion, which is not retried.
  var completionFailure: GitError?
  /// Whether the history of a shallow clone ends where its file `shallow` says, as for a remote.
  package var keepsHistoryEnds = false {
    didSet { knownHistoryEnds = nil }
  }
  /// The ends of the history here, once they were read.
  var knownHistoryEnds: Set<ObjectID>?
  /// The ends of the history of the other side, during an exchange.
  var otherHistoryEnds: Set<ObjectID> = []
  /// The commits that walks of a history with ends have read.
  var historyNodes: [ObjectID: HistoryNode] = [:]
  /// The settings that the git program listed, with those that were known without it.
  var listedSettings: (plain: GitSettings, listed: GitSettings)?

  /// Maximum size in bytes of the objects that all repositories of this process keep in memory: by
  /// default 256 MiB, which a process that runs for days reaches.
  package static var cacheLimit: Int {
    get {
      _ = LibGit2.isStarted
      var (used, limit) = (0, 0)
      _ = cairn_git_opt_cached_memory(&used, &limit)
      return limit
    }
    set {
      _ = LibGit2.isStarted
      _ = cairn_git_opt_size(Int32(GIT_OPT_SET_CACHE_MAX_SIZE.rawValue), newValue)
    }
  }

  /// Opens the repository whose git directory or work tree is `path`, without searching upwards.
  package static func open(_ path: FilePath, files: FileSystem) throws(GitError) -> Repository {
    _ = LibGit2.isStarted
    var handle: OpaquePointer?
    let flags = GIT_REPOSITORY_OPEN_NO_SEARCH.rawValue
    do throws(GitError) {
      try check(
        git_repository_open_ext(&handle, path.string, flags, nil), "open the repository at \(path)")
    } catch {
      throw unsupported(path, files: files) ?? error
    }
    let repository = try Repository(owning: handle!, files: files)
    try repository.checkOwner()
    // libgit2 finds packs, also later ones, only if their directory exists when it opens the objects.
    let packs = repository.packDirectory
    if files.directoryExists(packs) || (try? repository.files.createDirectory(packs)) == nil {
      return repository
    }
    return try open(path, files: files)
  }

  private init(owning handle: OpaquePointer, files: FileSystem) throws(GitError) {
    self.handle = handle
    self.files = files
    gitDirectory = FilePath(String(cString: git_repository_path(handle)))
    commonDirectory = FilePath(String(cString: git_repository_commondir(handle)))
    var objects: OpaquePointer?
    let status = git_repository_odb(&objects, handle)
    guard status == 0, let objects else {
      git_repository_free(handle)
      try check(status, "open the objects")
      throw GitError(.other, "cannot open the objects")
    }
    self.objects = objects
    if let path = environmentVariable("GIT_CONFIG_GLOBAL") {
      try addConfiguration(path, GIT_CONFIG_LEVEL_GLOBAL)
    }
    if try flag("extensions.worktreeConfig", default: false) {
      try addConfiguration(gitDirectory.appending("config.worktree").string, GIT_CONFIG_LEVEL_APP)
    }
    // The setting is of the repository itself, not of its linked work trees.
    let isLinked = git_repository_is_worktree(handle) == 1
    isBare = isLinked ? false : try flag("core.bare", default: git_repository_is_bare(handle) == 1)
    self.files.sharing = SharedPermissions(try configuration("core.sharedRepository") ?? "")
  }

  /// Reads the configuration also from a file that git reads and libgit2 does not.
  private func addConfiguration(_ path: String, _ level: git_config_level_t) throws(GitError) {
    var config: OpaquePointer?
    try check(git_repository_config(&config, handle), "read git's configuration")
    defer { git_config_free(config) }
    try check(
      git_config_add_file_ondisk(config, path, level, handle, 1), "read \(path)")
  }

  deinit {
    git_odb_free(objects)
    git_repository_free(handle)
  }

  /// The top of the work tree; nil for a bare repository.
  package var workTree: FilePath? {
    isBare ? nil : git_repository_workdir(handle).map { FilePath(String(cString: $0)) }
  }
}
