import ArgumentParser

struct PhotoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "photo", abstract: "Manage photos.",
    subcommands: [
      PhotoAdd.self, PhotoList.self, PhotoShow.self, PhotoEdit.self, PhotoRemove.self,
      PhotoRestore.self, PhotoFetchCommand.self, PhotoReplace.self,
    ])
}
