internal import CLibgit2
internal import CairnFiles
package import SystemPackage

extension Repository {
  /// Returns whether enough loose objects or packs have accumulated to make repacking worthwhile,
  /// by the rule of `git gc --auto` and its configuration (`gc.auto`, `gc.autoPackLimit`,
  /// `maintenance.auto`).
  ///
  /// It reads only two directories: object ids are evenly distributed, so one directory of 256 is
  /// representative of all loose objects.
  ///
  /// - Parameter list: Returns the names in a directory; nil when there is none.
  package func isMaintenanceDue(list: (FilePath) throws -> [String]?) throws -> Bool {
    let loose = try list(objectsDirectory.appending("17"))?.count { $0.utf8.count == 38 } ?? 0
    let names = try list(packDirectory) ?? []
    let packs = names.count { $0.hasSuffix(".idx") } - names.count { $0.hasSuffix(".keep") }
    if loose == 0, packs < 2 { return false }
    // git must know which packs of a partial clone may refer to objects that are not here.
    if try promisor() != nil { return false }
    let looseLimit = try configuration("gc.auto").map(number) ?? 6700
    let packLimit = try configuration("gc.autoPackLimit").map(number) ?? 50
    guard looseLimit > 0, try flag("maintenance.auto") else { return false }
    return loose > (looseLimit + 255) / 256 || packLimit > 0 && packs > packLimit
  }

  package func isMaintenanceDue() throws -> Bool { try isMaintenanceDue { try files.list($0) } }

  /// Returns a boolean value of git's configuration.
  package func flag(_ key: String, default isOn: Bool = true) throws(GitError) -> Bool {
    try configuration(key).map(isTrue) ?? isOn
  }

  /// Parses a boolean value of git's configuration: `true`, `on`, `0`.
  func isTrue(_ text: String) throws(GitError) -> Bool {
    var value: CInt = 0
    try check(git_config_parse_bool(&value, text), "read the value “\(text)”")
    return value == 1
  }

  /// Parses a number of git's configuration: `6700`, `10k`.
  private func number(_ text: String) throws(GitError) -> Int64 {
    var value: Int64 = 0
    try check(git_config_parse_int64(&value, text), "read the number “\(text)”")
    return value
  }

  /// Packs the refs into one file (`git pack-refs`).
  package func packReferences(git: GitProgram) throws {
    try git.run("pack-refs", ["--all", "--prune"], in: self)
  }

  /// Removes the temporary files of interrupted writers, of any machine, and indexes without a pack
  /// left by interrupted removals, that have not been modified for a day: no process is still
  /// writing them.
  ///
  /// - Parameter now: Milliseconds since 1970.
  package func removeStaleObjectFiles(now: Int64) throws {
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
    for name in try files.list(commonDirectory) ?? [] where TemporaryName.isName(name) {
      let path = commonDirectory.appending(name)
      if let status = try files.status(path), status.modified < dayAgo {
        try files.removeTree(path)
      }
    }
  }

  /// Returns whether a file belongs to a pack that no longer exists: an index or a file derived
  /// from one.
  private func isOrphan(_ name: String, among names: Set<String>) -> Bool {
    [".idx", ".rev", ".bitmap"].contains { end in
      name.hasPrefix("pack-") && name.hasSuffix(end)
        && !names.contains(name.dropLast(end.count) + ".pack")
    }
  }
}
