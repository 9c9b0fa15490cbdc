import ArgumentParser

struct PinCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pin", abstract: "Manage pins on the map.",
    discussion: "PIN is the name of a pin, or a unique prefix of its id (4 digits or more).",
    subcommands: [
      PinAdd.self, PinList.self, PinShow.self, PinMove.self, PinRename.self, PinRemove.self,
      PinRestore.self,
    ])
}
