import ArgumentParser
import Cairn

/// Confirmation that earlier verdicts on many photos may change.
struct Confirmation: ParsableArguments {
  @Flag(name: [.customShort("y"), .long], help: "Change your own earlier verdicts without asking.")
  var yes = false

  /// Asks on the terminal whether an edit may change these verdicts.
  ///
  /// - Throws: ``CairnError/Kind/unconfirmed`` if the answer is no, or there is no terminal.
  func require(_ changes: [VerdictChange]) throws {
    guard !yes, let sentence = changes.sentence else { return }
    guard let isAgreed = Console.ask("\(sentence) Continue?") else {
      throw CairnError(
        .unconfirmed, sentence, hint: "To change them: `\(ownCommandLine(adding: "--yes"))`.")
    }
    if !isAgreed { throw CairnError.declined }
  }
}

extension CairnError {
  static let declined = CairnError(.unconfirmed, "Nothing was changed.")
}

extension Console {
  /// Asks a question on the terminal, with “no” as the default answer; nil if there is no terminal.
  static func ask(_ question: String) -> Bool? {
    guard isTerminal(0), isTerminal(2) else { return nil }
    writeAll("\(printable(question)) [y/N] ", to: 2)
    guard let answer = readLine() else {
      writeAll("\n", to: 2)
      return false
    }
    return ["y", "yes"].contains(answer.trimmed.lowercased())
  }
}

/// Returns the command line of this process with one more option, quoted for a shell.
func ownCommandLine(adding option: String) -> String {
  var arguments = Array(CommandLine.arguments.dropFirst())
  arguments.insert(option, at: arguments.firstIndex(of: "--") ?? arguments.endIndex)
  return (["cairn"] + arguments.map(shellArgument)).joined(separator: " ")
}
