import ArgumentParser
import Cairn

struct LabelerRemove: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Remove a labeler from this device; its labels stay.",
    discussion: HelpText.paragraphs("EXAMPLE\n  cairn labeler remove trees"))

  @Argument(help: "The labeler.") var name: String
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    try globals.dataset().removeLabeler(name)
    Console.printChange(globals, ["removed": .string(name)]) {
      Console.print("Removed the labeler “\(name)” from this device.")
    }
  }
}
