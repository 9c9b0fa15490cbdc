internal import CLibgit2
internal import SystemPackage

/// What git refused, while doing what.
public struct GitError: Error, Equatable, Sendable, CustomStringConvertible {
  public enum Code: Sendable {
    case notFound, exists, ambiguous, locked, modified, corrupt, ownership, noSpace, permission,
      tooDeep, other
  }

  public let code: Code
  /// A sentence without its full stop.
  public let message: String

  public init(_ code: Code, _ message: String) { (self.code, self.message) = (code, message) }

  public var description: String { message }
}

/// Starts libgit2 once, with the settings everything here relies on.
enum LibGit2 {
  static let isStarted: Bool = {
    git_libgit2_init()
    _ = cairn_git_opt_int(Int32(GIT_OPT_ENABLE_FSYNC_GITDIR.rawValue), 1)
    _ = cairn_git_opt_int(Int32(GIT_OPT_ENABLE_STRICT_OBJECT_CREATION.rawValue), 0)
    // A directory of 256 others is a tree of 7.5 KB, which a pull reads again and again; by default only
    // trees up to 4 KB are kept.
    _ = cairn_git_opt_cache(GIT_OBJECT_TREE, 16 << 10)
    // A header of 12 bytes must not make libgit2 ask for memory for 4 billion objects.
    _ = cairn_git_opt_size(Int32(GIT_OPT_SET_PACK_MAX_OBJECTS.rawValue), 1 << 27)
    if let flag = environment("GIT_CONFIG_NOSYSTEM"), flag != "0", flag != "false" {
      _ = cairn_git_opt_search_path(Int32(GIT_CONFIG_LEVEL_SYSTEM.rawValue), "")
    }
    if environment("GIT_CONFIG_GLOBAL") != nil {
      _ = cairn_git_opt_search_path(Int32(GIT_CONFIG_LEVEL_GLOBAL.rawValue), "")
      _ = cairn_git_opt_search_path(Int32(GIT_CONFIG_LEVEL_XDG.rawValue), "")
    }
    return true
  }()
}

/// Turns a status of libgit2 into an error that says what was being done. Its message is kept per
/// thread, so this is called at once.
@discardableResult
func check(_ status: CInt, _ doing: @autoclosure () -> String) throws(GitError) -> CInt {
  if status >= 0 { return status }
  let said = git_error_last().flatMap { $0.pointee.message }.map { String(cString: $0) }
  // libgit2 tells what the system refused only in words.
  let system: [(Errno, GitError.Code)] = [
    (.noSpace, .noSpace), (.permissionDenied, .permission), (.readOnlyFileSystem, .permission),
  ]
  let refused = system.first { said?.hasSuffix($0.0.description) == true }?.1
  let code: GitError.Code =
    switch git_error_code(status) {
    case GIT_ENOTFOUND: .notFound
    case GIT_EEXISTS: .exists
    case GIT_EAMBIGUOUS: .ambiguous
    case GIT_ELOCKED: .locked
    case GIT_EMODIFIED: .modified
    case GIT_EOWNER: .ownership
    default: refused ?? .other
    }
  throw GitError(code, "cannot \(doing())" + (said.map { ": \($0)" } ?? ""))
}
