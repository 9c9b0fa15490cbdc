import Cairn

extension CommitResult {
  /// - Parameter concluded: The changes of a git merge that the commit finished.
  func print(_ concluded: PullSummary?) {
    repairs.print(concluded)
    if let commit {
      Console.print("\(commit.short) \(ChangeSummary(changes).text)")
    } else {
      Console.print("Nothing to commit.")
    }
    problems.print(all: "cairn status --json")
    if uncheckedFiles > 0 {
      Console.note(
        "of \(uncheckedFiles) files, checked only those that cairn wrote; --all checks all")
    }
  }
}
