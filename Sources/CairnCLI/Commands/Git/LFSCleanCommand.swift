import ArgumentParser
import Cairn
import SystemPackage

struct LFSClean: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "clean", abstract: "Read an image from stdin, store it, and print its pointer.")

  @Argument(help: "The path of the image, for messages.") var path: String?

  func run() throws {
    let filter = try ImageFilter(at: currentDirectory(), environment: .machine)
    try filter.clean(.standardInput, .standardOutput)
  }
}
