internal import CLibgit2
internal import CairnFiles
public import SystemPackage

extension Repository {
  /// Whether so many loose objects or packs have piled up that it pays to put them together, by the
  /// rule of `git gc --auto` and the configuration it goes by (`gc.auto`, `gc.autoPackLimit`,
  /// `maintenance.auto`).
  ///
  /// It costs two directories read: object ids spread evenly, so that one directory of 256 speaks for
  /// all loose objects.
  ///
  /// - Parameter list: Returns the names in a directory; nil when there is none.
  public func isUpkeepDue(list: (FilePath) throws -> [String]?) throws -> Bool {
    let loose = try list(objectsDirectory.appending("17"))?.count { $0.utf8.count == 38 } ?? 0
    let names = try list(packDirectory) ?? []
    let packs = names.count { $0.hasSuffix(".idx") } - names.count { $0.hasSuffix(".keep") }
    if loose == 0, packs < 2 { return false }
    let looseLimit = try configuration("gc.auto").map(number) ?? 6700
    let packLimit = try configuration("gc.autoPackLimit").map(number) ?? 50
    guard looseLimit > 0, try flag("maintenance.auto") else { return false }
    return loose > (looseLimit + 255) / 256 || packLimit > 0 && packs > packLimit
  }

  public func isUpkeepDue() throws -> Bool { try isUpkeepDue { try files.list($0) } }

  /// Whether a value of git's configuration that is true by itself is still true.
  public func flag(_ key: String) throws(GitError) -> Bool {
    guard let text = try configuration(key) else { return true }
    var value: CInt = 1
    try check(git_config_parse_bool(&value, text), "read \(key) in git's configuration")
    return value == 1
  }

  /// Reads a number as git's configuration has it: `6700`, `10k`.
  private func number(_ text: String) throws(GitError) -> Int64 {
    var value: Int64 = 0
    try check(git_config_parse_int64(&value, text), "read the number “\(text)”")
    return value
  }

  /// Gathers the refs in one file (`git pack-refs`).
  public func tidyReferences(git: GitProgram) throws {
    try git.run("pack-refs", ["--all", "--prune"], in: self)
  }

  /// Removes the temporary files of writers, and the indexes without a pack of removals, that did not
  /// end well and have not been written to for a day: nobody is writing them any more.
  ///
  /// - Parameter now: Milliseconds since 1970.
  public func removeStaleObjectFiles(now: Int64) throws {
    let dayAgo = (now - 24 * 60 * 60 * 1000) * 1_000_000
    for directory in [objectsDirectory, packDirectory] {
      let names = Set(try files.list(directory) ?? [])
      for name in names
      where name.hasPrefix("tmp_") || name.hasSuffix(".tmp") || isOrphan(name, among: names) {
        let path = directory.appending(name)
        guard let status = try files.status(path), status.kind == .regular,
          status.modified < dayAgo
        else { continue }
        try files.remove(path)
      }
    }
  }

  /// Whether a file is of a pack that is gone: an index or what is derived from one.
  private func isOrphan(_ name: String, among names: Set<String>) -> Bool {
    [".idx", ".rev", ".bitmap"].contains { end in
      name.hasPrefix("pack-") && name.hasSuffix(end)
        && !names.contains(name.dropLast(end.count) + ".pack")
    }
  }
}
