import ArgumentParser
import Cairn
import SystemPackage

struct LFSSmudge: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "smudge", abstract: "Read a pointer from stdin and print its image.")

  @Argument(help: "The path of the image, for messages.") var path: String?

  func run() throws {
    try GitCommands.smudge(in: currentDirectory(), .standardInput, .standardOutput)
  }
}
