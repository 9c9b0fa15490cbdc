internal import CLibgit2

extension Repository {
  /// Makes libgit2 keep little of packs and trees in memory, in this process from now on: for long work
  /// that reads most objects once, and in the order of packs. Otherwise all that was read of packs stays
  /// mapped, and up to 256 MB of trees stay in memory.
  package static func keepLittleInMemory() {
    _ = LibGit2.isStarted
    _ = cairn_git_opt_size(Int32(GIT_OPT_SET_MWINDOW_SIZE.rawValue), 4 << 20)
    _ = cairn_git_opt_size(Int32(GIT_OPT_SET_MWINDOW_MAPPED_LIMIT.rawValue), 32 << 20)
    _ = cairn_git_opt_size(Int32(GIT_OPT_SET_CACHE_MAX_SIZE.rawValue), 16 << 20)
  }
}
