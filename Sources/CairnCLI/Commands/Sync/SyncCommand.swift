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
    if report.failure == nil, !report.pulls.isEmpty,
      let selected = try transfer.fetchSelected(dataset, options)
    {
      report.pulls[report.pulls.count - 1].images = selected
    }
    let pulls = try report.pulls.map { ($0, try dataset.summary(of: $0)) }
    let failure = report.failure.map { CairnError($0) }
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
        "error": failure.map { $0.rendered(exitCode: code(of: $0, report)) } ?? .null,
        "push": report.push?.rendered ?? .null,
        "unreachable": JSON(report.isOffline ? failure?.message : nil),
      ]
    ) {
      report.committed.print(finishedMerge, quiet)
      for (pull, summary) in pulls { pull.print(summary, finishedMerge: nil, quiet) }
      report.push?.print(quiet)
    }
    if let failure {
      Console.note(Console.printable(failure.message))
      if report.isOffline {
        Console.hint("Your changes are committed here; the next `cairn sync` pushes them.")
      } else {
        let commit = report.committed.commit.map {
          "Your changes are committed here as \($0.short), and not pushed."
        }
        let hints = [failure.hint, commit].compactMap { $0 }
        if !hints.isEmpty { Console.hint(hints.joined(separator: " ")) }
      }
      throw ExitCode(code(of: failure, report))
    }
    for pull in report.pulls {
      try pull.images.endIfFailed(globals, isRequested: transfer.requestsImages)
    }
    if !report.committed.problems.isEmpty { throw ExitCode(1) }
  }

  private func code(of failure: CairnError, _ report: SyncReport) -> Int32 {
    (report.isOffline ? .offline : failure.kind).exitCode
  }
}
