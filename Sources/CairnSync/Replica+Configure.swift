internal import CairnFiles
internal import CairnGit
internal import CairnStore
public import SystemPackage

extension Replica {
  /// Sets up the dataset's own git configuration, so that plain git works in it: it merges documents
  /// as cairn does, shows them in words, and keeps images out of its objects.
  ///
  /// - Parameter command: The `cairn` program; nil where there is none (a library in an app).
  public func configure(command: FilePath?) throws {
    try directory.blobs.prepare()
    let cairn = command.map(shellWord)
    if let cairn { try configureDrivers(cairn) }
    if world.findProgram("git-lfs") != nil {
      if try repository.configuration("filter.lfs.process")?.contains("git-lfs") == true { return }
      try configureImages("git-lfs")
    } else if let cairn {
      try configureImages(cairn + " lfs")
    }
  }

  /// Installs what is not installed yet, as in a clone made by git, or stands for a program that has
  /// moved.
  func refreshConfiguration() throws {
    guard let command else { return }
    let driver = Replica.mergeDriver(shellWord(command))
    if try repository.configuration("merge.cairn.driver") != driver {
      try configure(command: command)
    }
  }

  private static func mergeDriver(_ cairn: String) -> String {
    cairn + " merge-driver %O %A %B %P"
  }

  private func configureDrivers(_ cairn: String) throws {
    try repository.setConfiguration("merge.cairn.name", "joins documents of a cairn dataset")
    try repository.setConfiguration("merge.cairn.driver", Replica.mergeDriver(cairn))
    try repository.setConfiguration("diff.cairn.textconv", cairn + " textconv")
  }

  /// Images go through git-lfs where it is installed, else through `cairn lfs`, which speaks the
  /// same filter protocol.
  private func configureImages(_ filter: String) throws {
    try repository.setConfiguration("filter.lfs.clean", "\(filter) clean -- %f")
    try repository.setConfiguration("filter.lfs.smudge", "\(filter) smudge -- %f")
    try repository.setConfiguration("filter.lfs.process", "\(filter) filter-process")
    try repository.setConfiguration("filter.lfs.required", "true")
  }

  /// Returns how git's shell calls a program: by its name where that finds it, so that it may move.
  private func shellWord(_ program: FilePath) -> String {
    let name = program.lastComponent?.string ?? ""
    let found = world.findProgram(name).flatMap { world.files.resolve($0) }
    return found == world.files.resolve(program) && found != nil
      ? name : shellQuoted(program.string)
  }
}

/// Quotes text for the shell that git runs filters with.
func shellQuoted(_ text: String) -> String {
  "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''")
    + "'"
}
