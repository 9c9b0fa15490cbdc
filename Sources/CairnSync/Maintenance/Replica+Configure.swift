internal import CairnBase
internal import CairnFiles
internal import CairnGit
internal import CairnStore
package import SystemPackage

extension Replica {
  /// Sets up the dataset's own git configuration so that plain git works in it: it merges documents
  /// as cairn does, shows them as text, and keeps images out of its objects.
  ///
  /// - Parameter command: The path of the `cairn` program; nil if there is none (a library in an
  ///   app).
  package func configure(command: FilePath?) throws {
    try configure(command: command, [])
  }

  /// - Parameter changes: Settings to make at the same time.
  func configure(command: FilePath?, _ changes: [(key: String, value: String?)]) throws {
    try directory.blobs.prepare()
    let cairn = command.map(shellWord)
    var changes = changes + (cairn.map(Replica.driverSettings) ?? [])
    if environment.findProgram("git-lfs") != nil {
      if try repository.configuration("filter.lfs.process")?.contains("git-lfs") != true {
        changes += Replica.imageSettings("git-lfs")
      }
    } else if let cairn {
      changes += Replica.imageSettings(cairn + " lfs")
    }
    try repository.setConfiguration(changes)
  }

  /// Installs the settings that are missing, as in a clone made by git, or that name a program that
  /// has moved.
  func refreshConfiguration() throws {
    guard let command else { return }
    let driver = try repository.configuration("merge.cairn.driver")
    let filter = try repository.configuration("filter.lfs.clean")
    if isCurrent(driver: driver, filter: filter, of: command) { return }
    try configure(command: command)
    if driver == nil || filter == nil { onConfigure() }
  }

  /// Whether git is configured to merge documents and to filter images, with programs that exist.
  package func isConfigured() throws -> Bool {
    guard let command else { return true }
    let settings = try repository.settings()
    return isCurrent(
      driver: settings["merge.cairn.driver"], filter: settings["filter.lfs.clean"], of: command)
  }

  private func isCurrent(driver: String?, filter: String?, of command: FilePath) -> Bool {
    guard let filter, driver == Replica.mergeDriver(shellWord(command)) else { return false }
    // The program of the filter, if it is one that cairn has installed.
    let isQuoted = filter.hasPrefix("'")
    let program = String(filter.dropFirst(isQuoted ? 1 : 0).prefix { $0 != (isQuoted ? "'" : " ") })
    if program.hasPrefix("/") { return (try? environment.files.exists(FilePath(program))) ?? true }
    return !["cairn", "git-lfs"].contains(program) || environment.findProgram(program) != nil
  }

  private static func mergeDriver(_ cairn: String) -> String {
    cairn + " merge-driver %O %A %B %P"
  }

  private static func driverSettings(_ cairn: String) -> [(key: String, value: String?)] {
    [
      ("merge.cairn.name", "merges documents of a cairn dataset"),
      ("merge.cairn.driver", mergeDriver(cairn)),
      ("diff.cairn.textconv", cairn + " textconv"),
    ]
  }

  /// Returns the settings that pass images through git-lfs where it is installed, otherwise through
  /// `cairn lfs`, which implements the same filter protocol.
  private static func imageSettings(_ filter: String) -> [(key: String, value: String?)] {
    [
      ("filter.lfs.clean", "\(filter) clean -- %f"),
      ("filter.lfs.smudge", "\(filter) smudge -- %f"),
      ("filter.lfs.process", "\(filter) filter-process"),
      ("filter.lfs.required", "true"),
    ]
  }

  /// Returns the word that git's shell calls a program by: its name if that finds it, so that it
  /// may move.
  private func shellWord(_ program: FilePath) -> String {
    let name = program.lastComponent?.string ?? ""
    let found = environment.findProgram(name).flatMap { environment.files.resolve($0) }
    return found == environment.files.resolve(program) && found != nil
      ? name : shellQuoted(program.string)
  }
}
