import ArgumentParser
import Cairn

/// The option of commands that transfer images.
struct RemoteOption: ParsableArguments {
  @Option(name: .customLong("remote"), help: RemoteOption.help) var name: String?

  /// The help of the option, and of the argument of the commands that exchange commits.
  static let help: ArgumentHelp =
    "The remote (default: the branch's own, the only one, or origin)."

  /// Checks that the remote exists, for a dry run.
  func check(in dataset: Dataset) throws { if let name { _ = try dataset.remote(name) } }
}
