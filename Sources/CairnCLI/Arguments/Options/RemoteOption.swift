import ArgumentParser
import Cairn

/// The option of commands that transfer images.
struct RemoteOption: ParsableArguments {
  @Option(
    name: .customLong("remote"),
    help: ArgumentHelp("The remote (default: the only one, or origin).", valueName: "remote"))
  var name: String?

  /// Checks that the remote exists, for a dry run.
  func check(in dataset: Dataset) throws { if let name { try dataset.checkRemote(name) } }
}

extension Dataset {
  /// - Throws: ``CairnError/Kind/notFound`` if there is no remote with this name.
  func checkRemote(_ name: String) throws {
    guard try remotes().contains(where: { $0.name == name }) else {
      throw CairnError(SyncError.noRemote(name))
    }
  }
}
