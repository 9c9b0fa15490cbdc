import ArgumentParser
import Cairn

struct CommitCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "commit", abstract: "Record changes in the dataset's history.",
    discussion: HelpText.paragraphs("EXAMPLE\n  cairn commit -m \"The north slope\""))

  @Option(name: .shortAndLong, help: "The commit message (default: a summary of the changes).")
  var message: String?
  @Flag(help: "Check every file for edits, and repair what other tools committed.")
  var all = false
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let dataset = try globals.dataset()
    let result = try dataset.commit(message: message, everywhere: all)
    let summary = try result.repairs.concluded.map { try dataset.news(of: $0) }
    Console.print(globals, result.rendered(summary)) { result.print(summary) }
    if !result.problems.isEmpty { throw ExitCode(1) }
  }
}
