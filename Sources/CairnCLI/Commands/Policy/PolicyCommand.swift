import ArgumentParser

struct PolicyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "policy", abstract: "Show or change how labels are resolved.",
    discussion: HelpText.paragraphs("EXAMPLE\n  cairn policy show"),
    subcommands: [PolicyShow.self, PolicySet.self])
}
