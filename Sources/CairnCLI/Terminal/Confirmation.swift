import Cairn
import CairnBase

extension CairnError {
  static let declined = CairnError(.unconfirmed, "Nothing was changed.")
}

extension Console {
  /// Asks a question on the terminal, with “no” as the default answer; nil if there is no terminal.
  static func ask(_ question: String) -> Bool? {
    guard isTerminal(0), isTerminal(2) else { return nil }
    message("\(printable(question)) [y/N] ")
    guard let answer = readLine() else {
      writeAll("\n", to: 2)
      return false
    }
    return ["y", "yes"].contains(answer.trimmed.lowercased())
  }
}

/// Returns the command line of this process without the program, the options before the command, and
/// the secrets in addresses, quoted for a shell.
func ownCommand() -> String {
  GlobalArguments.command(of: CommandLine.arguments.dropFirst())
    .map { shellArgument($0.contains("://") ? WebLocation.withoutSecrets($0) : $0) }
    .joined(separator: " ")
}

/// Returns the command line of this process with one more option, quoted for a shell.
func ownCommandLine(adding option: String) -> String {
  var arguments = Array(CommandLine.arguments.dropFirst())
  arguments.insert(option, at: arguments.firstIndex(of: "--") ?? arguments.endIndex)
  return (["cairn"] + arguments.map(shellArgument)).joined(separator: " ")
}
