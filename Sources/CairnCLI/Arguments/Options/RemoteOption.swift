import ArgumentParser
import Cairn

/// The option of commands that transfer images.
struct RemoteOption: ParsableArguments {
  @Option(
    name: .customLong("remote"),
    help: ArgumentHelp("The remote (default: the only one, or origin).", valueName: "remote"))
  var name: String?

  /// Checks that the remote exists, for a dry run.
  func check(in dataset: Dataset) throws { if let name { _ = try dataset.remote(name) } }
}
