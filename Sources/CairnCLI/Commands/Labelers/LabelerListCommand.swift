import ArgumentParser
import Cairn
import SystemPackage

struct LabelerList: ParsableCommand, PagedCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List the labelers of this device and the trained models of the dataset.",
    discussion: HelpText.paragraphs("EXAMPLE\n  cairn labeler list"))

  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let labelers = try globals.dataset().labelers()
    Console.print(globals, .array(labelers.map(\.json))) {
      if labelers.isEmpty {
        return Console.print("No labelers yet: cairn labeler add NAME --preset …")
      }
      let rows = labelers.map { [$0.name, $0.model?.identity ?? "", $0.target] }
      Console.table(rows).forEach { Console.print($0) }
    }
  }
}
