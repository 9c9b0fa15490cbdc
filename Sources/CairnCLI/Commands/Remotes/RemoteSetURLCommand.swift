import ArgumentParser
import Cairn

struct RemoteSetURL: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set-url", abstract: "Change the URL of a remote in this copy.",
    discussion: HelpText.paragraphs(
      "EXAMPLE\n  cairn remote set-url origin git@example.org:trees.git"))

  @Argument(help: "The remote's name.") var name: String
  @Argument(help: "A path, ssh://you@host/path, you@host:path or https://host/path.")
  var url: String
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let dataset = try globals.dataset()
    try dataset.setAddress(ofRemote: name, url, relativeTo: currentDirectory())
    let address = try dataset.remote(name).address
    Console.printChange(globals, ["name": .string(name), "url": .string(address)]) {
      Console.print("The remote \(name) is now at \(address)")
    }
  }
}
