internal import CairnFiles
internal import CairnGit
package import CairnStore
package import SystemPackage

/// The changes that git applies one by one: in a rebase, a cherry-pick or a revert, or from a
/// stash.
package enum GitReplay {
  /// Returns the author time of the commit that `git rebase` is applying, in seconds since 1970;
  /// nil if there is none.
  ///
  /// git records it before it merges. For a cherry-pick it records nothing until it has merged.
  /// - Parameter gitDirectory: The `.git` directory of the work tree.
  package static func authorTime(in gitDirectory: FilePath, environment: Environment) -> Int64? {
    let script = gitDirectory.appending("rebase-merge").appending("author-script")
    guard let bytes = try? environment.files.read(script, limit: 1 << 16) else { return nil }
    // GIT_AUTHOR_DATE='@1700000000 +0000'
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    let date = lines.first { $0.hasPrefix("GIT_AUTHOR_DATE='@") }?.split(separator: "@").last
    return date.flatMap { Int64($0.prefix { $0.isNumber }) }
  }

  /// Returns the current time in seconds since 1970, rounded up so that it is later than all
  /// earlier stamps.
  package static func now(in environment: Environment) -> Int64 { (environment.now() + 999) / 1000 }
}

extension Replica {
  /// Returns the author time of the change that git stopped at, in seconds since 1970; a revert or
  /// a stash counts as an edit made now.
  func replayTime() throws -> Int64 {
    if let time = GitReplay.authorTime(in: repository.gitDirectory, environment: environment) {
      return time
    }
    for name in ["CHERRY_PICK_HEAD", "REBASE_HEAD"] {
      let bytes = try environment.files.read(repository.gitDirectory.appending(name), limit: 256)
      if let bytes, let id = ObjectID(String(decoding: bytes, as: UTF8.self).prefix(40)) {
        return try repository.commit(id).author.time
      }
    }
    return GitReplay.now(in: environment)
  }
}
