import ArgumentParser
import Cairn

struct CommitCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "commit", abstract: "Record changes in the dataset's history.",
    discussion: HelpText.paragraphs("EXAMPLE\n  cairn commit -m \"The north slope\""))

  @OptionGroup var message: MessageOption
  @Flag(help: "Check every file for edits, and fix documents that other tools committed.")
  var all = false
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let dataset = try globals.dataset()
    let result = try dataset.commit(message: message.text, everywhere: all)
    let summary = try result.repairs.finishedMerge.map { try dataset.summary(of: $0) }
    Console.print(globals, result.rendered(summary)) { result.print(summary, globals) }
    if !result.problems.isEmpty { throw ExitCode(1) }
  }
}
