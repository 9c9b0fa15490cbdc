import ArgumentParser
import Cairn

/// The options of all commands.
struct GlobalOptions: ParsableArguments {
  @Option(
    name: .customShort("C"), help: ArgumentHelp("Run as if started in DIR.", valueName: "dir"))
  var directory: String?

  @Flag(help: "Print JSON.")
  var json = false

  @Flag(help: "Do not show long output in a pager.")
  var noPager = false

  /// Changes to the directory of `-C`, if given.
  func enter() throws {
    if let directory, !changeDirectory(directory) {
      throw CairnError(.notFound, "There is no directory “\(directory)”.")
    }
  }

  /// Asks for the identity on a terminal, unless a program reads the output.
  var identityPrompt: @Sendable () -> Author? {
    let mayAsk = !json
    return { mayAsk ? IdentityPrompt.ask() : nil }
  }

  /// Prints a message of the library on stderr.
  static let report: @Sendable (String) -> Void = { Console.note($0) }

  /// Opens the dataset of the current directory.
  ///
  /// - Parameter quiet: The option of commands that report their progress.
  func dataset(_ quiet: QuietOption? = nil) throws -> Dataset {
    try enter()
    let bar = ProgressBar(self, quiet)
    let dataset = try Dataset(
      at: currentDirectory(), command: ownExecutable(), onMessage: GlobalOptions.report,
      onProgress: bar.update, isCancelled: { SignalHandling.shouldStop },
      onMissingIdentity: identityPrompt)
    Pager.setConfigured { try dataset.configuration.value(of: "core.pager") }
    dataset.beginOperation(ownCommand())
    dataset.onWait = { holder in
      Console.note("waiting for \(holder ?? "another process") …")
    }
    if quiet?.isOn ?? false { return dataset }
    dataset.onConfigure = {
      Console.note(
        "configured git in this clone: it uses Git LFS for images and cairn to merge documents")
    }
    dataset.onMaintenance = { report in
      if report.milliseconds > 1000 { Console.note(report.sentence) }
    }
    return dataset
  }
}
