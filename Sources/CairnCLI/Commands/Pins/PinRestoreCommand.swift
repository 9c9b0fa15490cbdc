import ArgumentParser
import Cairn

struct PinRestore: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore", abstract: "Restore a removed pin.",
    discussion: HelpText.paragraphs("EXAMPLE\n  cairn pin restore harbor"))

  @OptionGroup var target: PinArgument
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let dataset = try globals.dataset()
    let pin = try dataset.setPinRemoved(try dataset.pin(target.pin).id, false)
    Console.printChange(globals, pin.rendered()) { pin.printLine("Restored pin") }
  }
}
