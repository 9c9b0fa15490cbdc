import ArgumentParser

struct ImagesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "images", abstract: "Manage which images are on this disk.",
    subcommands: [ImagesStatus.self, ImagesFetch.self, ImagesDrop.self, ImagesPush.self])
}
