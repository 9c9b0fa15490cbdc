import ArgumentParser
import Cairn

struct PinAdd: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Add a pin.",
    discussion: HelpText.paragraphs(
      "EXAMPLE\n  cairn pin add 48.8584 2.2945 --name \"Champ de Mars\""))

  @OptionGroup var location: CoordinateArguments
  @Option(help: "The pin's name.") var name: String = ""
  @OptionGroup var dryRun: DryRunOption
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let coordinate = try location.coordinate()
    let dataset = try globals.dataset(dryRun)
    let pin = try dataset.addPin(at: coordinate, name: ArgumentEscaping.unescaped(name))
    if dryRun.isOn {
      let place = "\(coordinate.latitude), \(coordinate.longitude)"
      return Console.printDryRun(
        globals,
        ["latitude": JSON(coordinate.latitude), "longitude": JSON(coordinate.longitude)],
        ["Would add a pin at \(place)."])
    }
    Console.printChange(globals, pin.rendered()) { pin.printLine("Added pin") }
  }
}
