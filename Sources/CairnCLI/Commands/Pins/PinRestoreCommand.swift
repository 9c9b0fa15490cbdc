import ArgumentParser
import Cairn

struct PinRestore: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore", abstract: "Restore a removed pin.",
    discussion: HelpText.paragraphs("EXAMPLE\n  cairn pin restore harbour"))

  @OptionGroup var target: PinArgument
  @OptionGroup var quiet: QuietOption
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let dataset = try globals.dataset(quiet)
    let pin = try dataset.setPinRemoved(try dataset.pin(target.pin).id, false)
    Console.print(globals, quiet, pin.rendered()) { pin.printLine("Restored pin") }
  }
}
