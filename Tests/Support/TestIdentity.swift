import Foundation

/// Who signs the commits of tests that use the library in their own process.
package enum TestIdentity {
  /// Commits are signed the same everywhere, whoever runs the tests; looked at, it holds for the process.
  package static let inUse: Void = {
    for (name, value) in [
      ("GIT_AUTHOR_NAME", "Ann"), ("GIT_AUTHOR_EMAIL", "ann@example.org"),
      ("GIT_COMMITTER_NAME", "Ann"), ("GIT_COMMITTER_EMAIL", "ann@example.org"),
      ("GIT_CONFIG_NOSYSTEM", "1"), ("GIT_CONFIG_GLOBAL", "/dev/null"),
    ] { setenv(name, value, 1) }
  }()
}
