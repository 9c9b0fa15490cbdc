import ArgumentParser
import Cairn

struct PinAdd: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Add a pin.",
    discussion: HelpText.paragraphs(
      "EXAMPLE\n  cairn pin add 48.8584 2.2945 --name \"Champ de Mars\""))

  @OptionGroup var location: CoordinateArguments
  @Option(help: "The pin's name.") var name: String = ""
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let coordinate = try location.coordinate()
    let pin = try globals.dataset().addPin(
      at: coordinate, name: ArgumentEscaping.unescaped(name))
    Console.printChange(globals, pin.rendered()) { pin.printLine("Added pin") }
  }
}
