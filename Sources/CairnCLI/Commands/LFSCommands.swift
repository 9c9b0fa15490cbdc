import ArgumentParser
import Cairn
import SystemPackage

/// What git runs in place of git-lfs where that is not installed.
struct LFS: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lfs", abstract: "Filter images for git if git-lfs is not installed.",
    shouldDisplay: false, subcommands: [LFSClean.self, LFSSmudge.self, LFSFilterProcess.self])
}

struct LFSClean: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "clean", abstract: "Read an image from stdin, store it, and print its pointer.")

  @Argument(help: "The path of the image, for messages.") var path: String?

  func run() throws {
    let filter = try ImageFilter(at: currentDirectory(), environment: .machine)
    try filter.clean(.standardInput, .standardOutput)
  }
}

struct LFSSmudge: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "smudge", abstract: "Read a pointer from stdin and print its image.")

  @Argument(help: "The path of the image, for messages.") var path: String?

  func run() throws {
    let filter = try ImageFilter(at: currentDirectory(), environment: .machine)
    try filter.smudge(.standardInput, .standardOutput)
  }
}

struct LFSFilterProcess: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "filter-process", abstract: "Filter images over git's filter process protocol.")

  func run() throws {
    let filter = try ImageFilter(at: currentDirectory(), environment: .machine)
    try filter.serve(.standardInput, .standardOutput)
  }
}
