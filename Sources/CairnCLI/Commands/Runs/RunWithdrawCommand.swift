import ArgumentParser

struct RunWithdraw: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "withdraw", abstract: "Withdraw a run, so that its labels no longer count.",
    discussion: HelpText.paragraphs(
      """
      People's labels are kept, including accepted and rejected predictions.

      EXAMPLE
        cairn run withdraw 41d8
      """))

  @OptionGroup var target: RunArgument
  @OptionGroup var dryRun: DryRunOption
  @OptionGroup var globals: GlobalOptions

  func run() throws { try target.setWithdrawn(true, dryRun, globals) }
}
