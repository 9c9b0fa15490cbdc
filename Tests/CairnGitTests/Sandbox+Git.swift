import CairnFiles
import Foundation
import TestSupport

extension Sandbox {
  /// Creates a sandbox for the repository `repo`, in which git runs with fixed names and times.
  convenience init() throws {
    try self.init(defaultDirectory: "repo") { _ in
      [
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "GIT_AUTHOR_NAME": "Ann", "GIT_AUTHOR_EMAIL": "ann@example.org",
        "GIT_AUTHOR_DATE": "1700000000 +0000", "GIT_COMMITTER_NAME": "Carl",
        "GIT_COMMITTER_EMAIL": "carl@example.org", "GIT_COMMITTER_DATE": "1700000000 +0000",
      ]
    }
  }

  /// Returns the sorted names of the files and directories in a directory.
  func names(in path: String) throws -> [String] {
    (try FileSystem().list(self.path(path)) ?? []).sorted()
  }
}
