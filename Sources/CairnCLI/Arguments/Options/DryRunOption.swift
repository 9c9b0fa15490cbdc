import ArgumentParser

/// The option of commands that change many documents or files, to report the changes without
/// making them.
struct DryRunOption: ParsableArguments {
  @Flag(name: DryRunOption.names, help: DryRunOption.help) var isOn = false

  static let names: NameSpecification = [.customShort("n"), .customLong("dry-run")]
  static let help: ArgumentHelp = "Show what the command would do, without doing it."
}
