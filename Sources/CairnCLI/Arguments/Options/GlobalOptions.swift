import ArgumentParser
import Cairn

/// The options of all commands.
///
/// Each group of options makes the start of a command slower, so the options of nearly all commands
/// are in one.
struct GlobalOptions: ParsableArguments {
  @Flag(
    name: [.customShort("q"), .customLong("quiet")],
    help: "Print no progress and no success message.")
  var quiet = false

  @Option(
    name: .customShort("C"), help: ArgumentHelp("Run as if started in DIR.", valueName: "dir"))
  var directory: String?

  @Flag(help: "Print JSON.")
  var json = false

  @Flag(help: "Do not show long output in a pager.")
  var noPager = false

  /// Prints a success message, unless `--quiet` is given.
  func print(_ text: String) { if !quiet { Console.print(text) } }

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
  func dataset() throws -> Dataset {
    try enter()
    let bar = ProgressBar(self)
    let dataset = try Dataset(
      at: currentDirectory(), command: ownExecutable(), onMessage: GlobalOptions.report,
      onProgress: bar.update, isCancelled: { SignalHandling.shouldStop },
      onMissingIdentity: identityPrompt)
    Pager.setConfigured { try dataset.configuration.value(of: "core.pager") }
    dataset.beginOperation(ownCommand())
    dataset.onWait = { holder in
      Console.note("waiting for \(holder ?? "another process") …")
    }
    if quiet { return dataset }
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
