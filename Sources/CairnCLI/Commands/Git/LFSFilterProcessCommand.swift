import ArgumentParser
import Cairn
import SystemPackage

struct LFSFilterProcess: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "filter-process", abstract: "Filter images over git's filter process protocol.")

  func run() throws {
    try GitCommands.filterProcess(in: currentDirectory(), .standardInput, .standardOutput)
  }
}
