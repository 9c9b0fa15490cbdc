import ArgumentParser

struct PhotoRestore: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore", abstract: "Restore removed photos with their labels.",
    discussion: HelpText.paragraphs(
      """
      EXAMPLES
        cairn photo restore 3fa9
        cairn photo restore --find is:removed
      """))

  @OptionGroup var arguments: RemovalArguments

  func run() throws { try arguments.setRemoved(false) }
}
