import ArgumentParser

struct SourceCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "source", abstract: "Manage the services that photos are fetched from.",
    discussion: HelpText.paragraphs(
      """
      API keys are never stored in the dataset: they come from the environment (CAIRN_FLICKR_KEY,
      CAIRN_OPENVERSE_KEY) or from git's credential helpers. CAIRN_CONTACT, or --contact, is a
      contact address to send with requests, which services ask for.
      """),
    subcommands: [SourceList.self, SourceSet.self, SourceTest.self, SourceRemove.self])
}
