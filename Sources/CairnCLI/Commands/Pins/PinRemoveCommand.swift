import ArgumentParser
import Cairn

struct PinRemove: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Remove a pin; its photos stay.",
    discussion: HelpText.paragraphs("EXAMPLE\n  cairn pin remove harbor"))

  @OptionGroup var target: PinArgument
  @OptionGroup var dryRun: DryRunOption
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let dataset = try globals.dataset(dryRun)
    let pin = try dataset.setPinRemoved(try dataset.pin(target.pin).id, true)
    try pin.print("Removed pin", would: "remove pin", in: dataset, dryRun, globals)
  }
}
