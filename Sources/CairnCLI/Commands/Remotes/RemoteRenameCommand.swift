import ArgumentParser
import Cairn

struct RemoteRename: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rename", abstract: "Rename a remote in this copy.",
    discussion: HelpText.paragraphs("EXAMPLE\n  cairn remote rename origin server"))

  @Argument(help: "The remote's name.") var name: String
  @Argument(help: "The new name.") var newName: String
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    try globals.dataset().renameRemote(name, to: newName)
    Console.printChange(globals, ["name": .string(newName)]) {
      Console.print("Renamed the remote \(name) to \(newName).")
    }
  }
}
