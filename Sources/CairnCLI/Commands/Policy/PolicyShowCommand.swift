import ArgumentParser
import Cairn

struct PolicyShow: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show the resolution rules of this dataset.",
    discussion: HelpText.paragraphs("EXAMPLE\n  cairn policy show"))

  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let policy = try globals.dataset().policy()
    Console.print(globals, policy.rendered) { policy.print() }
  }
}
