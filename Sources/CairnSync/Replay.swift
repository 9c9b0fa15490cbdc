internal import CairnFiles
internal import CairnGit
public import CairnStore
public import SystemPackage

/// What git brings in commit by commit: by a rebase, a cherry-pick, a revert or out of a stash.
public enum Replay {
  /// Returns when the commit that `git rebase` is bringing in was authored, in seconds since 1970; nil
  /// where none is.
  ///
  /// git writes this down before it merges. Of a cherry-pick it tells nothing until it has merged.
  /// - Parameter gitDirectory: “.git” of the work tree.
  public static func authorTime(in gitDirectory: FilePath, world: World) -> Int64? {
    let script = gitDirectory.appending("rebase-merge").appending("author-script")
    guard let bytes = try? world.files.read(script, limit: 1 << 16) else { return nil }
    // GIT_AUTHOR_DATE='@1700000000 +0000'
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    let date = lines.first { $0.hasPrefix("GIT_AUTHOR_DATE='@") }?.split(separator: "@").last
    return date.flatMap { Int64($0.prefix { $0.isNumber }) }
  }

  /// Returns the time in seconds since 1970, rounded up: what is said now is later than all that was
  /// said before.
  public static func now(in world: World) -> Int64 { (world.now() + 999) / 1000 }
}

extension Replica {
  /// When what git has stopped over was made, in seconds since 1970: a revert, or what was stashed,
  /// counts as an edit of now.
  func replayTime() throws -> Int64 {
    if let time = Replay.authorTime(in: repository.gitDirectory, world: world) { return time }
    for name in ["CHERRY_PICK_HEAD", "REBASE_HEAD"] {
      let bytes = try world.files.read(repository.gitDirectory.appending(name), limit: 256)
      if let bytes, let id = ObjectID(String(decoding: bytes, as: UTF8.self).prefix(40)) {
        return try repository.commit(id).author.time
      }
    }
    return Replay.now(in: world)
  }
}
