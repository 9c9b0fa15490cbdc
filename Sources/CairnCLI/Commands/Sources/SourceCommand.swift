import ArgumentParser

struct SourceCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "source", abstract: "Manage the services that photos are fetched from.",
    discussion: HelpText.paragraphs(
      """
      API keys are never stored in the dataset: they come from the environment (CAIRN_FLICKR_KEY,
      CAIRN_OPENVERSE_KEY) or from git's credential helpers. Services ask for an address at which
      they can reach you: set CAIRN_CONTACT, or use `cairn source set SOURCE --contact`.
      """),
    subcommands: [SourceList.self, SourceSet.self, SourceTest.self, SourceRemove.self])
}
