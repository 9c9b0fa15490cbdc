import ArgumentParser
import Cairn
import CairnBase

/// The names of commands on a command line.
enum CommandNames {
  /// Checks that the commands named on a command line exist.
  ///
  /// - Parameter arguments: The arguments after `cairn`: `pin lst`, or `help pin lst`.
  /// - Throws: ``CairnError`` of kind `usage` that suggests the closest name.
  static func check(_ arguments: [String], in root: CommandConfiguration) throws(CairnError) {
    var arguments = arguments[...]
    let isHelp = arguments.first == "help"
    if isHelp { arguments = arguments.dropFirst() }
    var (path, configuration) = ("cairn", root)
    while let name = arguments.popFirst(), !name.hasPrefix("-"), name != "help" {
      let subcommands = configuration.subcommands
      if subcommands.isEmpty { return }
      guard let next = subcommands.first(where: { $0.names.contains(name) }) else {
        throw unknown(name, in: path, isHelp: isHelp, among: subcommands)
      }
      (path, configuration) = ("\(path) \(next.names[0])", next.configuration)
    }
  }

  private static func unknown(
    _ name: String, in path: String, isHelp: Bool, among subcommands: [any ParsableCommand.Type]
  ) -> CairnError {
    let visible = subcommands.filter { $0.configuration.shouldDisplay }.map { $0.names[0] }
    let closest = visible.map { (name: $0, distance: editDistance($0, name)) }
      .filter { $0.distance <= max(1, name.count / 3) || $0.name.hasPrefix(name) }
      .min { $0.distance < $1.distance }?.name
    let group = path.split(separator: " ").dropFirst().joined(separator: " ")
    let help = group.isEmpty ? "cairn help" : "cairn help \(group)"
    let command = closest.map { isHelp ? "\(help) \($0)" : "\(path) \($0)" }
    return CairnError(
      .usage, "Unknown command “\(group.isEmpty ? name : "\(group) \(name)")”.",
      hint: command.map { "Did you mean `\($0)`?" } ?? "`\(help)` lists the commands.")
  }
}

extension ParsableCommand {
  /// The name of the command, followed by its aliases.
  static var names: [String] {
    [configuration.commandName ?? _commandName] + configuration.aliases
  }
}
