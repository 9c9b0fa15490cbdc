import ArgumentParser
import Cairn

struct Pull: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pull",
    abstract: "Fetch from a remote and merge.",
    discussion: HelpText.paragraphs(
      """
      Merges without questions and without conflicts, and reports what was received, new
      disagreements and photos that others removed. --find and --pin select the photos whose images
      are fetched; all documents are always fetched.

      EXAMPLES
        cairn pull
        cairn pull origin --find state:disputed
      """))

  @OptionGroup var transfer: TransferArguments
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let dataset = try globals.dataset()
    try transfer.checkSelection()
    try transfer.bandwidth.apply(to: dataset)
    var report = try dataset.pull(transfer.remote, options: transfer.options)
    if let selected = try transfer.fetchSelected(dataset) { report.images = selected }
    let summary = try dataset.summary(of: report)
    let finishedMerge = try report.repairs.finishedMerge.map { try dataset.summary(of: $0) }
    Console.print(globals, report.rendered(summary, finishedMerge: finishedMerge)) {
      report.print(summary, finishedMerge: finishedMerge, globals)
    }
    try report.images.endIfFailed(globals, isRequested: transfer.requestsImages)
  }
}
