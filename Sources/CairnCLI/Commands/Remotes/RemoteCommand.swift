import ArgumentParser

struct RemoteCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remote", abstract: "Manage remotes.",
    subcommands: [RemoteAdd.self, RemoteList.self, RemoteImages.self, RemoteRemove.self])
}
