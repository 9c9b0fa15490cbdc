internal import CairnGit
internal import CairnStore
public import SystemPackage

extension Replica {
  /// Sets up the dataset's own git configuration, so that plain git works in it.
  ///
  /// Images go through git-lfs where it is installed, else through `cairn lfs`, which speaks the
  /// same filter protocol.
  /// - Parameter command: The `cairn` program; nil where there is none (a library in an app).
  public func configure(command: FilePath?) throws {
    try directory.blobs.prepare()
    let filter: String
    if findProgram("git-lfs") != nil {
      if try repository.configuration("filter.lfs.process")?.contains("git-lfs") == true { return }
      filter = "git-lfs"
    } else if let command {
      filter = shellQuoted(command.string) + " lfs"
    } else {
      return
    }
    try repository.setConfiguration("filter.lfs.clean", "\(filter) clean -- %f")
    try repository.setConfiguration("filter.lfs.smudge", "\(filter) smudge -- %f")
    try repository.setConfiguration("filter.lfs.process", "\(filter) filter-process")
    try repository.setConfiguration("filter.lfs.required", "true")
  }
}

/// Quotes text for the shell that git runs filters with.
func shellQuoted(_ text: String) -> String {
  "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''")
    + "'"
}
