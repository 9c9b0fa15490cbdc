import ArgumentParser
import Cairn

struct SplitList: ParsableCommand, PagedCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the recorded splits.",
    discussion: HelpText.paragraphs("EXAMPLE\n  cairn split list"))

  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let splits = try globals.dataset().splits()
    Console.print(globals, .array(splits.map { $0.split.rendered($0.name) })) {
      for record in splits { Console.print(record.split.line(record.name)) }
      if splits.isEmpty { Console.print("No splits are recorded.") }
    }
  }
}
