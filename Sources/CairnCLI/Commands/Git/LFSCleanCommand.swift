import ArgumentParser
import Cairn
import SystemPackage

struct LFSClean: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "clean", abstract: "Read an image from stdin, store it, and print its pointer.")

  @Argument(help: "The path of the image, for messages.") var path: String?

  func run() throws {
    try GitCommands.clean(in: currentDirectory(), .standardInput, .standardOutput)
  }
}
