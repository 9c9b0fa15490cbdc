import ArgumentParser

struct Accept: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "accept",
    abstract: "Confirm a model's predictions.",
    discussion: HelpText.paragraphs(
      """
      EXAMPLES
        cairn accept 3fa9 "Scots pine"
        cairn accept oak --find 'label:oak state:predicted conf:0.95..'
      """))

  @OptionGroup var verdict: VerdictArguments

  func run() throws { try verdict.save(accepting: true) }
}
