import ArgumentParser
import Cairn

/// Consent to reversing earlier verdicts on many photos at once.
struct Confirmation: ParsableArguments {
  @Flag(name: [.customShort("y"), .long], help: "Change your own earlier verdicts without asking.")
  var yes = false

  /// Asks about the verdicts that an edit would reverse, when there is somebody to ask.
  ///
  /// - Throws: ``CairnError/Kind/unconfirmed`` when nobody agreed.
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
  /// Asks a question on the terminal, to which no is the default answer; nil when there is nobody to
  /// answer it.
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

/// Returns this command as it was typed, quoted for a shell, with one more option.
func ownCommandLine(adding option: String) -> String {
  var words = Array(CommandLine.arguments.dropFirst())
  words.insert(option, at: words.firstIndex(of: "--") ?? words.endIndex)
  return (["cairn"] + words.map(shellArgument)).joined(separator: " ")
}
