import ArgumentParser

struct PhotoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "photo", abstract: "Manage photos.",
    subcommands: [
      PhotoAdd.self, PhotoList.self, PhotoShow.self, PhotoEdit.self, PhotoRemove.self,
      PhotoRestore.self, PhotoErase.self, PhotoFetchCommand.self, PhotoReplace.self,
    ])
}
