import ArgumentParser
import Cairn

struct SourceList: ParsableCommand, PagedCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the services and their settings.",
    discussion: HelpText.paragraphs("EXAMPLE\n  cairn source list"))

  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let sources = try globals.dataset().sources().filter { $0.url != nil }
    Console.print(globals, .array(sources.map(\.rendered))) {
      let rows = sources.map { [$0.name.rawValue, $0.name.title, $0.keyText, $0.url ?? ""] }
      Console.table(rows).forEach { Console.print($0) }
      for source in sources where source.key == .missing {
        Console.print(
          "API keys for \(source.name.title), and their terms: \(source.name.terms ?? "")")
      }
    }
  }
}
