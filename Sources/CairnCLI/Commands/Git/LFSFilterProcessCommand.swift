import ArgumentParser
import Cairn
import SystemPackage

struct LFSFilterProcess: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "filter-process", abstract: "Filter images over git's filter process protocol.")

  func run() throws {
    let filter = try ImageFilter(at: currentDirectory(), environment: .machine)
    try filter.serve(.standardInput, .standardOutput)
  }
}
