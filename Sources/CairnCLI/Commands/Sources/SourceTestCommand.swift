import ArgumentParser
import Cairn

struct SourceTest: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "test", abstract: "Query a service without fetching any photos.",
    discussion: HelpText.paragraphs("EXAMPLE\n  cairn source test flickr --text harbor"))

  @Argument(help: "The service.") var source: ServiceArgument
  @Option(help: "Text to search for.") var text: String?
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let name = try source.name()
    var query = SourceQuery()
    query.text = text ?? (name == .dogCEO || name == .inaturalist ? nil : "tree")
    let found = try globals.dataset().testSource(name, query)
    Console.print(globals, ["offered": JSON(found), "source": .string(name.rawValue)]) {
      Console.print("\(name.title) responded with \(count(found, "photo")) on its first page.")
    }
  }
}
