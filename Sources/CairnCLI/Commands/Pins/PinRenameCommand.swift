import ArgumentParser
import Cairn

struct PinRename: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rename", abstract: "Rename a pin.",
    discussion: HelpText.paragraphs("EXAMPLE\n  cairn pin rename harbor \"Old harbor\""))

  @OptionGroup var target: PinArgument
  @Argument(help: "The new name.") var name: String
  @OptionGroup var dryRun: DryRunOption
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let dataset = try globals.dataset(dryRun)
    let pin = try dataset.renamePin(try dataset.pin(target.pin).id, to: name)
    try pin.print("Renamed pin", would: "name pin", in: dataset, dryRun, globals)
  }
}
