import ArgumentParser

struct Reject: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reject",
    abstract: "Reject a model's predictions.",
    discussion: HelpText.paragraphs(
      """
      EXAMPLES
        cairn reject 3fa9 "Scots pine"
        cairn reject oak --find 'label:oak state:predicted pin:harbor'
      """))

  @OptionGroup var verdict: VerdictArguments

  func run() throws { try verdict.save(accepting: false) }
}
