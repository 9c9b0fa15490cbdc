import ArgumentParser
import Cairn

struct PinCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pin", abstract: "Manage pins on the map.",
    discussion: "PIN is the name of a pin, or a unique prefix of its id (4 digits or more).",
    subcommands: [
      PinAdd.self, PinList.self, PinShow.self, PinMove.self, PinRename.self, PinRemove.self,
      PinRestore.self,
    ])
}

/// Degrees on the command line, southern and western ones included.
struct Degrees: ExpressibleByArgument {
  let value: Double

  init?(argument: String) {
    guard let value = Double(ArgumentEscaping.restored(argument)), value.isFinite else {
      return nil
    }
    self.value = value
  }
}

struct CoordinateArguments: ParsableArguments {
  @Argument(help: "Degrees north, between -90 and 90.") var latitude: Degrees
  @Argument(help: "Degrees east, between -180 and 180.") var longitude: Degrees

  func coordinate() throws -> Coordinate {
    guard let coordinate = Coordinate(latitude: latitude.value, longitude: longitude.value) else {
      throw CairnError(
        .invalidInput,
        "\(latitude.value), \(longitude.value) is not a place: a latitude lies within ±90, a longitude within ±180.",
        hint: "Latitude comes first: `cairn pin add 48.8584 2.2945`.")
    }
    return coordinate
  }
}

extension Pin {
  fileprivate func printLine(_ what: String) {
    let name = name.value.isEmpty ? "" : " “\(Console.printable(name.value))”"
    let place = location.value
    Console.print("\(what) \(id)\(name) at \(place.latitude), \(place.longitude).")
  }
}

struct PinAdd: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Add a pin.",
    discussion: HelpText.paragraphs(
      "EXAMPLE\n  cairn pin add 48.8584 2.2945 --name \"Champ de Mars\""))

  @OptionGroup var place: CoordinateArguments
  @Option(help: "Its display name.") var name: String = ""
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let coordinate = try place.coordinate()
    let pin = try globals.dataset().addPin(at: coordinate, name: name)
    Console.print(globals, pin.rendered()) { pin.printLine("Added pin") }
  }
}

struct PinList: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the pins.",
    discussion: HelpText.paragraphs("EXAMPLE\n  cairn pin list --removed"))

  @Flag(help: "Include removed ones.") var removed = false
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

struct PinArgument: ParsableArguments {
  @Argument(help: "Its name, or a unique prefix of its id.") var pin: String
}

struct PinShow: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show a pin and its photos.",
    discussion: HelpText.paragraphs("EXAMPLE\n  cairn pin show harbour"))

  @OptionGroup var target: PinArgument
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let dataset = try globals.dataset()
    let pin = try dataset.pin(target.pin)
    var photos: [PhotoRecord] = []
    try dataset.forEachPhoto(pin: pin.id) { photos.append($0) }
    Console.print(
      globals,
      ["photos": .array(photos.map(\.photo.rendered)), "pin": pin.rendered(photos: photos.count)]
    ) {
      pin.printLine(pin.removed.value ? "Removed pin" : "Pin")
      Console.table(photos.map(\.cells)).forEach { Console.print($0) }
    }
  }
}

struct PinMove: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "move", abstract: "Move a pin.",
    discussion: HelpText.paragraphs("EXAMPLE\n  cairn pin move harbour -33.8523 151.2108"))

  @OptionGroup var target: PinArgument
  @OptionGroup var place: CoordinateArguments
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let coordinate = try place.coordinate()
    let dataset = try globals.dataset()
    let pin = try dataset.movePin(try dataset.pin(target.pin).id, to: coordinate)
    Console.print(globals, pin.rendered()) { pin.printLine("Moved pin") }
  }
}

struct PinRename: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rename", abstract: "Rename a pin.",
    discussion: HelpText.paragraphs("EXAMPLE\n  cairn pin rename harbour \"Old harbour\""))

  @OptionGroup var target: PinArgument
  @Argument(help: "Its new name.") var name: String
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let dataset = try globals.dataset()
    let pin = try dataset.renamePin(try dataset.pin(target.pin).id, to: name)
    Console.print(globals, pin.rendered()) { pin.printLine("Renamed pin") }
  }
}

struct PinRemove: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Remove a pin; its photos stay.",
    discussion: HelpText.paragraphs("EXAMPLE\n  cairn pin remove harbour"))

  @OptionGroup var target: PinArgument
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let dataset = try globals.dataset()
    let pin = try dataset.setPinRemoved(try dataset.pin(target.pin).id, true)
    Console.print(globals, pin.rendered()) { pin.printLine("Removed pin") }
  }
}

struct PinRestore: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore", abstract: "Restore a removed pin.",
    discussion: HelpText.paragraphs("EXAMPLE\n  cairn pin restore harbour"))

  @OptionGroup var target: PinArgument
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let dataset = try globals.dataset()
    let pin = try dataset.setPinRemoved(try dataset.pin(target.pin).id, false)
    Console.print(globals, pin.rendered()) { pin.printLine("Restored pin") }
  }
}
