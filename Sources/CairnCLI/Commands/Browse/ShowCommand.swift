import ArgumentParser

/// `cairn show` and `cairn photo show`, which are the same command.
struct ShowCommand<Text: CommandText>: ParsableCommand {
  static var configuration: CommandConfiguration { Text.configuration }

  @OptionGroup var arguments: ShowArguments

  func run() throws { try arguments.run() }
}

typealias Show = ShowCommand<ShowText>
typealias PhotoShow = ShowCommand<PhotoShowText>

enum ShowText: CommandText {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Show a photo with its labels and their resolution.",
    discussion: HelpText.paragraphs(
      """
      `--picture` shows the image in the terminal, with the boxes of its labels. It uses the kitty
      or iTerm2 protocol, sixels if libsixel is installed, or otherwise block characters.

      EXAMPLES
        cairn show 3fa9
        cairn show 3fa9 --picture
        cairn show 3fa9 --open
      """))
}

enum PhotoShowText: CommandText {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show a photo with its labels; the same as cairn show.",
    discussion: HelpText.paragraphs(
      """
      EXAMPLES
        cairn photo show 3fa9
        cairn photo show 3fa9 --picture
      """))
}
