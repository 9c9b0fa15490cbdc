import ArgumentParser
import Cairn

struct RemoteRemove: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Remove a remote from this copy; its data is not changed.",
    discussion: HelpText.paragraphs("EXAMPLE\n  cairn remote remove origin"))

  @Argument(help: "The remote's name.") var name: String
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    try globals.dataset().removeRemote(name)
    Console.printChange(globals, ["name": .string(name)]) {
      Console.print("Removed the remote \(name).")
    }
  }
}
