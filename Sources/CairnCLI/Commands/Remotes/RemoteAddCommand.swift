import ArgumentParser
import Cairn

struct RemoteAdd: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Add a remote.",
    discussion: HelpText.paragraphs(
      """
      cairn uses the same ssh program, keys and settings as git, and git's credential helpers for
      passwords.

      EXAMPLES
        cairn remote add origin /media/usb/trees.git --create
        cairn remote add origin git@example.org:trees.git
        cairn remote add origin https://example.org/trees.git
      """))

  @Argument(help: "The remote's name; `origin` is the default remote.") var name: String
  @Argument(help: "A path, ssh://you@host/path, you@host:path or https://host/path.")
  var url: String
  @Flag(help: "Create an empty repository there first.") var create = false
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let dataset = try globals.dataset()
    try dataset.addRemote(name, url, creating: create, relativeTo: currentDirectory())
    let address = try dataset.remotes().first { $0.name == name }?.address ?? url
    Console.printChange(globals, ["name": .string(name), "url": .string(address)]) {
      Console.print("Added the remote \(name): \(address)")
    }
  }
}
