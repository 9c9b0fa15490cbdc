import Foundation

/// The installed `git`, with its settings left as they are by default.
struct Git {
  func callAsFunction(_ words: String..., at directory: URL, input: URL? = nil) -> Command {
    var command = Command("git", at: directory, input: input)
    command.words += words
    return command
  }

  /// A push to a directory, with what it costs on the remote's side measured by itself.
  func push(at repository: URL, _ stopwatch: Stopwatch) -> Command {
    let receive = "'\(stopwatch.measure.path)' '\(stopwatch.report.path)' git-receive-pack"
    return self("push", "-q", "--receive-pack=\(receive)", "origin", "main", at: repository)
  }
}
