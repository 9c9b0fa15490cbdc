import ArgumentParser
import Cairn

struct Sync: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sync",
    abstract: "Commit, pull and push; retry if someone else pushed first.",
    discussion: HelpText.paragraphs("EXAMPLE\n  cairn sync -m \"The north slope\""))

  @OptionGroup var transfer: TransferArguments
  @OptionGroup var message: MessageOption
  @OptionGroup var quiet: QuietOption
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let bar = ProgressBar(globals, quiet)
    let dataset = try globals.dataset(quiet)
    let options = transfer.options(bar)
    var report = try dataset.sync(transfer.remote, message: message.text, options: options)
    if report.unreachable == nil, !report.pulls.isEmpty,
      let selected = try transfer.fetchSelected(dataset, options)
    {
      report.pulls[report.pulls.count - 1].images = selected
    }
    let pulls = try report.pulls.map { ($0, try dataset.summary(of: $0)) }
    let unreachable = report.unreachable.map { CairnError($0) }
    let finishedMerge = try report.committed.repairs.finishedMerge.map {
      try dataset.summary(of: $0)
    }
    bar.finish()
    Console.print(
      globals,
      [
        "commit": JSON((report.push?.commit ?? report.committed.commit)?.description),
        "committed": report.committed.rendered(finishedMerge),
        "pulls": .array(pulls.map { $0.rendered($1, finishedMerge: nil) }),
        "push": report.push?.rendered ?? .null, "unreachable": JSON(unreachable?.message),
      ]
    ) {
      report.committed.print(finishedMerge, quiet)
      for (pull, summary) in pulls { pull.print(summary, finishedMerge: nil, quiet) }
      report.push?.print(quiet)
    }
    if let unreachable {
      Console.note(Console.printable(unreachable.message))
      Console.hint("Your changes are committed here; the next `cairn sync` pushes them.")
      throw ExitCode(CairnError.Kind.offline.exitCode)
    }
    for pull in report.pulls { try pull.images.endIfFailed(globals) }
    if !report.committed.problems.isEmpty { throw ExitCode(1) }
  }
}
