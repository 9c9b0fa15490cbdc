import ArgumentParser
import Cairn

struct PinMove: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "move", abstract: "Move a pin.",
    discussion: HelpText.paragraphs("EXAMPLE\n  cairn pin move harbor -33.8523 151.2108"))

  @OptionGroup var target: PinArgument
  @OptionGroup var location: CoordinateArguments
  @OptionGroup var dryRun: DryRunOption
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let coordinate = try location.coordinate()
    let dataset = try globals.dataset(dryRun)
    let moved = try dataset.pin(ArgumentEscaping.unescaped(target.pin))
    let pin = try dataset.movePin(moved.id, to: coordinate)
    try pin.print(
      "Moved pin", would: "move pin", end: " to \(coordinate.latitude), \(coordinate.longitude)",
      in: dataset, dryRun, globals)
  }
}
