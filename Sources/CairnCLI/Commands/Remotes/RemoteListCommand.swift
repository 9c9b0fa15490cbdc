import ArgumentParser
import Cairn

struct RemoteList: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the remotes.",
    discussion: HelpText.paragraphs("EXAMPLE\n  cairn remote list"))

  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let remotes = try globals.dataset().remotes()
    Console.print(
      globals,
      .array(remotes.map { ["name": .string($0.name), "url": .string($0.address)] })
    ) {
      if remotes.isEmpty { return Console.print("No remotes yet: cairn remote add NAME PATH.") }
      Console.table(remotes.map { [$0.name, $0.address] }).forEach { Console.print($0) }
    }
  }
}
