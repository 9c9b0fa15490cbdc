import Foundation

/// The installed `git`, with its default settings.
struct Git {
  func callAsFunction(_ words: String..., at directory: URL, input: URL? = nil) -> Command {
    var command = Command("git", at: directory, input: input)
    command.words += words
    return command
  }

  /// Returns the commands that commit one file.
  func commit(_ path: String, at repository: URL, add: [String] = ["add"]) -> [Command] {
    var adding = self(at: repository)
    adding.words += add + [path]
    return [adding, self("commit", "-q", "-m", "label", at: repository)]
  }

  /// Returns a push to a directory, with the cost of the remote's side measured separately.
  func push(at repository: URL, _ stopwatch: Stopwatch) -> Command {
    let receive = "'\(stopwatch.measure.path)' '\(stopwatch.report.path)' git-receive-pack"
    return self("push", "-q", "--receive-pack=\(receive)", "origin", "main", at: repository)
  }
}
