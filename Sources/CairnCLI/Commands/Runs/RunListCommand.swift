import ArgumentParser
import Cairn

struct RunList: ParsableCommand, PagedCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List runs, newest first.",
    discussion: HelpText.paragraphs("EXAMPLE\n  cairn run list"))

  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let runs = try globals.dataset().runs()
    Console.print(globals, .array(runs.map { $0.run.rendered(labels: $0.labels) })) {
      if runs.isEmpty { return Console.print("No runs yet: cairn run start MODEL@VERSION.") }
      let rows = runs.map {
        $0.run.row + [count($0.labels, "label"), $0.run.withdrawn.value ? "withdrawn" : ""]
      }
      Console.table(rows).forEach { Console.print($0) }
    }
  }
}
