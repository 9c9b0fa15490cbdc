import ArgumentParser
import Cairn

struct LabelerShow: ParsableCommand, PagedCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Print a labeler's settings as JSON, for another device.",
    discussion: HelpText.paragraphs(
      """
      The output contains no secrets.

      EXAMPLE
        cairn labeler show trees | ssh elsewhere 'cd trees && cairn labeler add trees --from -'
      """))

  @Argument(help: "The labeler.") var name: String
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    Console.print(json: try globals.dataset().labeler(name).json)
  }
}
