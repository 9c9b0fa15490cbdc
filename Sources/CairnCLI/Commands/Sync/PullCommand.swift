import ArgumentParser
import Cairn

struct Pull: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pull",
    abstract: "Fetch from a remote and merge.",
    discussion: HelpText.paragraphs("EXAMPLE\n  cairn pull origin"))

  @OptionGroup var transfer: TransferArguments
  @OptionGroup var quiet: QuietOption
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let bar = ProgressBar(globals, quiet)
    let dataset = try globals.dataset(quiet)
    let options = transfer.options(bar)
    var report = try dataset.pull(transfer.remote, options: options)
    if let selected = try transfer.fetchSelected(dataset, options) { report.images = selected }
    let summary = try dataset.news(of: report)
    let concluded = try report.repairs.concluded.map { try dataset.news(of: $0) }
    bar.finish()
    Console.print(globals, report.rendered(summary, concluded: concluded)) {
      report.print(summary, concluded: concluded, quiet)
    }
    try report.images.endIfFailed(globals)
  }
}
