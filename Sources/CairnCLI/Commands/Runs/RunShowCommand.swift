import ArgumentParser
import Cairn

struct RunShow: ParsableCommand, PagedCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show a run and its parameters.",
    discussion: HelpText.paragraphs("EXAMPLE\n  cairn run show 41d8"))

  @OptionGroup var target: RunArgument
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let dataset = try globals.dataset()
    let run = try dataset.run(target.run)
    let labels = try dataset.runs().first { $0.run.id == run.id }?.labels ?? 0
    Console.print(globals, run.rendered(labels: labels)) {
      Console.print("\(Style.bold(run.id.text)) of \(Console.printable(run.annotator.identity))")
      Console.print(
        "started \(localTime(milliseconds: run.started.milliseconds)) by \(run.by.identity)")
      if !run.parameters.isEmpty { Console.print("with \(run.parameters)") }
      Console.print(
        count(labels, "label")
          + (run.withdrawn.value ? ", which do not count: the run is withdrawn" : ""))
    }
  }
}
