import ArgumentParser

struct PhotoRemove: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Remove photos from view; their labels and images are kept.",
    discussion: HelpText.paragraphs(
      """
      EXAMPLES
        cairn photo remove 3fa9 c4d0
        cairn photo remove --find 'label:blurred by:me'
      """))

  @OptionGroup var arguments: RemovalArguments

  func run() throws { try arguments.setRemoved(true) }
}
