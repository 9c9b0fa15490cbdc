import Cairn

extension CommitResult {
  /// - Parameter finishedMerge: The changes of a git merge that the commit finished.
  func print(_ finishedMerge: PullSummary?, _ globals: GlobalOptions) {
    repairs.print(finishedMerge, globals)
    if let commit {
      globals.print("\(commit.short) \(ChangeSummary(changes).text)")
    } else {
      globals.print("Nothing to commit.")
    }
    problems.print(all: "cairn status --json")
    if uncheckedFiles > 0 {
      Console.note(
        "checked only those of \(uncheckedFiles) files that cairn wrote; --all checks every file")
    }
  }
}
