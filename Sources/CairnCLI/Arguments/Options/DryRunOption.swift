import ArgumentParser
import Cairn

/// The option of commands that change documents or files, to report the changes without making
/// them.
struct DryRunOption: ParsableArguments {
  @Flag(name: DryRunOption.names, help: DryRunOption.help) var isOn = false

  static let names: NameSpecification = [.customShort("n"), .customLong("dry-run")]
  static let help: ArgumentHelp = "Show what the command would do, without doing it."
}

extension GlobalOptions {
  /// Opens the dataset of the current directory; in a dry run, its edits write nothing.
  func dataset(_ dryRun: DryRunOption) throws -> Dataset {
    let dataset = try dataset()
    dataset.isDryRun = dryRun.isOn
    return dataset
  }
}
