import ArgumentParser
import Cairn

struct PinRestore: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore", abstract: "Restore a removed pin.",
    discussion: HelpText.paragraphs("EXAMPLE\n  cairn pin restore harbor"))

  @OptionGroup var target: PinArgument
  @OptionGroup var dryRun: DryRunOption
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let dataset = try globals.dataset(dryRun)
    let pin = try dataset.setPinRemoved(try dataset.pin(target.pin).id, false)
    try pin.print("Restored pin", would: "restore pin", in: dataset, dryRun, globals)
  }
}
