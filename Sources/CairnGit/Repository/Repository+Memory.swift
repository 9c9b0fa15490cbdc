internal import CLibgit2
internal import Synchronization

extension Repository {
  /// Makes libgit2 keep little of packs and trees in memory, in this process from now on: for long work
  /// that reads most objects once, and in the order of packs. Otherwise all that was read of packs stays
  /// mapped, and up to 256 MB of trees stay in memory.
  package static func keepLittleInMemory() {
    MemoryLimits(window: 4 << 20, mapped: 32 << 20, cache: 16 << 20).apply()
  }

  /// Runs work that reads most trees and blobs, each of them once: trees are not kept for later, and no
  /// more than 64 MB of packs stay mapped.
  ///
  /// With less, libgit2 maps the same parts again and again, since it unmaps those that it used last.
  package static func readingOnce<Value>(_ work: () throws -> Value) rethrows -> Value {
    readings.withLock { readings in
      if readings.count == 0 {
        readings.usual = .current
        MemoryLimits(window: 4 << 20, mapped: 64 << 20, cache: 1 << 20).apply()
      }
      readings.count += 1
    }
    defer {
      readings.withLock { readings in
        readings.count -= 1
        if readings.count == 0 { readings.usual?.apply() }
      }
    }
    return try work()
  }

  /// The number of pieces of work that read objects once now, and the limits without them.
  private static let readings = Mutex((count: 0, usual: MemoryLimits?.none))
}

/// How much of all repositories libgit2 keeps in memory, in bytes.
private struct MemoryLimits {
  /// Of a pack, mapped as one piece.
  let window: Int
  /// Of all packs.
  let mapped: Int
  /// Objects, most of them trees.
  let cache: Int

  static var current: MemoryLimits {
    _ = LibGit2.isStarted
    var (window, mapped): (size_t, size_t) = (0, 0)
    _ = cairn_git_opt_get_size(Int32(GIT_OPT_GET_MWINDOW_SIZE.rawValue), &window)
    _ = cairn_git_opt_get_size(Int32(GIT_OPT_GET_MWINDOW_MAPPED_LIMIT.rawValue), &mapped)
    return MemoryLimits(window: window, mapped: mapped, cache: Repository.cacheLimit)
  }

  func apply() {
    _ = LibGit2.isStarted
    _ = cairn_git_opt_size(Int32(GIT_OPT_SET_MWINDOW_SIZE.rawValue), window)
    _ = cairn_git_opt_size(Int32(GIT_OPT_SET_MWINDOW_MAPPED_LIMIT.rawValue), mapped)
    Repository.cacheLimit = cache
  }
}
