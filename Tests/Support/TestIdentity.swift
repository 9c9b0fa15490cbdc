import Foundation

/// The author of commits in tests that use the library in their own process.
package enum TestIdentity {
  static let variables = [
    "GIT_AUTHOR_NAME": "Ann", "GIT_AUTHOR_EMAIL": "ann@example.org",
    "GIT_COMMITTER_NAME": "Ann", "GIT_COMMITTER_EMAIL": "ann@example.org",
    "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null",
  ]

  /// Sets the variables for this process, once, so that commits are the same on every machine.
  package static let inUse: Void = {
    for (name, value) in variables { setenv(name, value, 1) }
  }()
}
