import ArgumentParser
import Cairn

struct PinList: ParsableCommand, PagedCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the pins.",
    discussion: HelpText.paragraphs("EXAMPLE\n  cairn pin list --removed"))

  @Flag(help: "Include removed pins.") var removed = false
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let dataset = try globals.dataset()
    let counts = try dataset.photoCounts()
    let pins = try dataset.pins(includingRemoved: removed).map {
      (pin: $0, photos: counts[$0.id] ?? 0)
    }
    Console.print(globals, .array(pins.map { $0.pin.rendered(photos: $0.photos) })) {
      if pins.isEmpty { return Console.print("No pins yet: cairn pin add LAT LON.") }
      let rows = pins.map { pin, photos in
        [
          pin.id.text, "\(pin.location.value.latitude)", "\(pin.location.value.longitude)",
          "\(photos) photo\(photos == 1 ? "" : "s")",
          pin.name.value + (pin.removed.value ? " (removed)" : ""),
        ]
      }
      Console.table(rows).forEach { Console.print($0) }
    }
  }
}
