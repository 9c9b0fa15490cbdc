internal import CLibgit2
internal import LibC
internal import SystemPackage

/// A failed git operation: the kind of failure, a message and an optional remedy.
package struct GitError: Error, Equatable, Sendable, CustomStringConvertible {
  package enum Code: Sendable {
    case notFound, exists, ambiguous, locked, modified, corrupt, ownership, noSpace, permission,
      tooDeep, other
    /// cairn does not support repositories of this kind.
    case unsupported
    /// A shallow or partial clone lacks an object, and it could not be fetched.
    case incomplete
    /// The operation was stopped.
    case cancelled
  }

  package let code: Code
  /// A sentence without its final period.
  package let message: String
  /// A shell command that fixes the problem.
  package let remedy: String?

  package init(_ code: Code, _ message: String, remedy: String? = nil) {
    (self.code, self.message, self.remedy) = (code, message, remedy)
  }

  package var description: String { message }
}

/// The initialization of libgit2, done once with the settings that the rest of cairn relies on.
enum LibGit2 {
  /// The number of packs that are open at once: above that from which maintenance combines them.
  static let openPackLimit = 64

  static let isStarted: Bool = {
    git_libgit2_init()
    _ = cairn_git_opt_int(Int32(GIT_OPT_ENABLE_FSYNC_GITDIR.rawValue), 1)
    _ = cairn_git_opt_int(Int32(GIT_OPT_ENABLE_STRICT_OBJECT_CREATION.rawValue), 0)
    // ``Repository/checkOwner()`` checks the owner by git's own rule: libgit2 supports neither
    // `GIT_CONFIG_GLOBAL` nor a user without a configuration.
    _ = cairn_git_opt_int(Int32(GIT_OPT_SET_OWNER_VALIDATION.rawValue), 0)
    // ``Repository/complete()`` and `workTreeConfiguration` implement these extensions.
    let copies: [UnsafeMutablePointer<CChar>?] = [strdup("partialclone"), strdup("worktreeconfig")]
    var extensions = copies.map { $0.map { UnsafePointer<CChar>($0) } }
    _ = cairn_git_opt_extensions(&extensions, extensions.count)
    for copy in copies { free(copy) }
    // A directory of 256 others is a tree of 7.5 KB, which a pull reads repeatedly; by default only
    // trees up to 4 KB are cached.
    _ = cairn_git_opt_cache(GIT_OBJECT_TREE, 16 << 10)
    // Keeps a 12-byte header from making libgit2 allocate memory for 4 billion objects.
    _ = cairn_git_opt_size(Int32(GIT_OPT_SET_PACK_MAX_OBJECTS.rawValue), 1 << 27)
    // A pack stays open after it was read, even if it is removed, and each commit and pull makes one: a
    // process that runs for days would have too many open files, 256 on macOS. Packs that were not read
    // for the longest time are closed.
    _ = cairn_git_opt_size(Int32(GIT_OPT_SET_MWINDOW_FILE_LIMIT.rawValue), LibGit2.openPackLimit)
    if let flag = environmentVariable("GIT_CONFIG_NOSYSTEM"), flag != "0", flag != "false" {
      _ = cairn_git_opt_search_path(Int32(GIT_CONFIG_LEVEL_SYSTEM.rawValue), "")
    }
    if environmentVariable("GIT_CONFIG_GLOBAL") != nil {
      _ = cairn_git_opt_search_path(Int32(GIT_CONFIG_LEVEL_GLOBAL.rawValue), "")
      _ = cairn_git_opt_search_path(Int32(GIT_CONFIG_LEVEL_XDG.rawValue), "")
    }
    return true
  }()
}

/// Returns whether libgit2 reports that the requested object or other item does not exist.
func isNotFound(_ status: CInt) -> Bool { status == GIT_ENOTFOUND.rawValue }

/// Turns a libgit2 status into an error that describes the operation. libgit2 keeps its message per
/// thread, so call this immediately after the failing call.
@discardableResult
func check(_ status: CInt, _ doing: @autoclosure () -> String) throws(GitError) -> CInt {
  if status >= 0 { return status }
  let detail = git_error_last().flatMap { $0.pointee.message }.map { String(cString: $0) }
  // libgit2 reports the system's error only as text.
  let system: [(Errno, GitError.Code)] = [
    (.noSpace, .noSpace), (.permissionDenied, .permission), (.readOnlyFileSystem, .permission),
  ]
  let refused = system.first { detail?.hasSuffix($0.0.description) == true }?.1
  // A commit with a date of more than 64 bits, or without an author.
  let isDamaged = detail?.hasPrefix("failed to parse signature") == true
  let code: GitError.Code =
    switch git_error_code(status) {
    case GIT_ENOTFOUND: .notFound
    case GIT_EEXISTS: .exists
    case GIT_EAMBIGUOUS: .ambiguous
    case GIT_ELOCKED: .locked
    case GIT_EMODIFIED: .modified
    case GIT_EOWNER: .ownership
    default: refused ?? (isDamaged ? .corrupt : .other)
    }
  throw GitError(code, "cannot \(doing())" + (detail.map { ": \($0)" } ?? ""))
}
