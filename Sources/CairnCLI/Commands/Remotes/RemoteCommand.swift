import ArgumentParser

struct RemoteCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remote", abstract: "Manage remotes.",
    subcommands: [
      RemoteAdd.self, RemoteList.self, RemoteImages.self, RemoteRename.self, RemoteSetURL.self,
      RemoteRemove.self,
    ])
}
