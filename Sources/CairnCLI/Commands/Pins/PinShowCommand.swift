import ArgumentParser
import Cairn

struct PinShow: ParsableCommand, PagedCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show a pin and its photos.",
    discussion: HelpText.paragraphs("EXAMPLE\n  cairn pin show harbor"))

  @OptionGroup var target: PinArgument
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let dataset = try globals.dataset()
    let pin = try dataset.pin(target.pin)
    var photos: [FoundPhoto] = []
    try dataset.forEachPhoto(.pin(pin.id.text)) { photos.append($0) }
    Console.print(
      globals,
      ["photos": .array(photos.map(\.photo.rendered)), "pin": pin.rendered(photos: photos.count)]
    ) {
      pin.printLine(pin.removed.value ? "Removed pin" : "Pin")
      Console.table(photos.map(\.cells)).forEach { Console.print($0) }
    }
  }
}
