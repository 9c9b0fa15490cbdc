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
    return date.map { Signature.time($0.prefix { $0.isNumber }) }
  }

  /// Returns the current time in seconds since 1970, rounded up so that it is later than all
  /// earlier stamps.
  package static func now(in environment: Environment) -> Int64 { (environment.now() + 999) / 1000 }
}

extension Replica {
  /// Returns the author time of the change that git stopped at, in seconds since 1970; a revert or
  /// a stash counts as an edit made now.
  func replayTime() throws -> Int64 {
    // git may have left the files of an earlier operation behind.
    let time: Int64? =
      switch try interruptedOperation()?.kind {
      case .rebase:
        try GitReplay.authorTime(in: repository.gitDirectory, environment: environment)
          ?? authorTime(ofCommitIn: "REBASE_HEAD")
      case .cherryPick: try authorTime(ofCommitIn: "CHERRY_PICK_HEAD")
      case .merge, .am, .revert, .bisect, nil: nil
      }
    return time ?? GitReplay.now(in: environment)
  }

  /// Returns the author time of the commit that a file of the git directory names.
  private func authorTime(ofCommitIn name: String) throws -> Int64? {
    let bytes = try environment.files.read(repository.gitDirectory.appending(name), limit: 256)
    let id = bytes.flatMap { ObjectID(String(decoding: $0, as: UTF8.self).prefix(40)) }
    return try id.map { try repository.commit($0).author.time }
  }
}
