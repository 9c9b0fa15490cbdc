import ArgumentParser

struct RunRestore: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore", abstract: "Restore a withdrawn run.",
    discussion: HelpText.paragraphs("EXAMPLE\n  cairn run restore 41d8"))

  @OptionGroup var target: RunArgument
  @OptionGroup var dryRun: DryRunOption
  @OptionGroup var globals: GlobalOptions

  func run() throws { try target.setWithdrawn(false, dryRun, globals) }
}
