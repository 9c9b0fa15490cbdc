import ArgumentParser
import Cairn

/// The names of commands on a command line.
enum CommandNames {
  /// Checks that the commands named on a command line exist.
  ///
  /// - Parameter words: What follows `cairn`: `pin lst`, or `help pin lst`.
  /// - Throws: ``CairnError`` of kind `usage` that suggests the name that was probably meant.
  static func check(_ words: [String], in root: CommandConfiguration) throws(CairnError) {
    var words = words[...]
    let isHelp = words.first == "help"
    if isHelp { words = words.dropFirst() }
    var (path, configuration) = ("cairn", root)
    while let word = words.popFirst(), !word.hasPrefix("-"), word != "help" {
      let subcommands = configuration.all
      if subcommands.isEmpty { return }
      guard let next = subcommands.first(where: { $0.names.contains(word) }) else {
        throw unknown(word, in: path, isHelp: isHelp, among: subcommands)
      }
      (path, configuration) = ("\(path) \(next.names[0])", next.configuration)
    }
  }

  private static func unknown(
    _ word: String, in path: String, isHelp: Bool, among subcommands: [any ParsableCommand.Type]
  ) -> CairnError {
    let visible = subcommands.filter { $0.configuration.shouldDisplay }.map { $0.names[0] }
    let near = visible.map { (name: $0, distance: editDistance($0, word)) }
      .filter { $0.distance <= max(1, word.count / 3) || $0.name.hasPrefix(word) }
      .min { $0.distance < $1.distance }?.name
    let group = path.split(separator: " ").dropFirst().joined(separator: " ")
    let help = group.isEmpty ? "cairn help" : "cairn help \(group)"
    let command = near.map { isHelp ? "\(help) \($0)" : "\(path) \($0)" }
    return CairnError(
      .usage, "Unknown command “\(group.isEmpty ? word : "\(group) \(word)")”.",
      hint: command.map { "Did you mean `\($0)`?" } ?? "`\(help)` lists the commands.")
  }
}

extension CommandConfiguration {
  fileprivate var all: [any ParsableCommand.Type] {
    subcommands + groupedSubcommands.flatMap(\.subcommands)
  }
}

extension ParsableCommand {
  /// The name of the command, and its aliases.
  fileprivate static var names: [String] {
    [configuration.commandName ?? _commandName] + configuration.aliases
  }
}
