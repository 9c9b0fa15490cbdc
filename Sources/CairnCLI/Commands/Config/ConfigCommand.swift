import ArgumentParser
import Cairn

struct ConfigCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "config",
    abstract: "Show or change settings: your name, the pager, proxies and others.",
    discussion: HelpText.paragraphs(
      """
      Settings are kept in git's configuration; git uses many of them, too. They apply to this copy
      of the dataset (.git/config) or, with --global, to all of your datasets (~/.gitconfig); those
      of the copy take precedence. git does not have to be installed.

      EXAMPLES
        cairn config list --all
        cairn config set user.name "Ann Lee" --global
        cairn config set cairn.createClasses true
        cairn config unset http.proxy
      """),
    subcommands: [ConfigList.self, ConfigGet.self, ConfigSet.self, ConfigUnset.self])
}

/// The options that select whose configuration a command reads or changes.
struct ConfigScope: ParsableArguments {
  @Flag(name: .customLong("global"), help: "Use the settings for all of your datasets.")
  var isGlobal = false
  @OptionGroup var globals: GlobalOptions

  /// Returns the configuration of the dataset of the current directory, or the user's.
  ///
  /// - Parameter isChanging: Whether it is changed; outside of a dataset, the user's configuration is
  ///   read, but not changed without `--global`.
  func configuration(isChanging: Bool) throws -> GitConfiguration {
    if isGlobal {
      try globals.enter()
      return .user
    }
    do {
      return try globals.dataset().configuration
    } catch let error as CairnError where error.kind == .notADataset {
      if !isChanging { return .user }
      throw CairnError(
        error.kind, error.message, hint: "To change your own settings, add `--global`.")
    }
  }
}
