import ArgumentParser
import Cairn

/// The option of commands that may ask for confirmation.
struct YesOption: ParsableArguments {
  @Flag(
    name: [.customShort("y"), .customLong("yes")],
    help: "Do not ask before changing your earlier verdicts or confirming predictions.")
  var isOn = false

  /// Asks on the terminal whether an edit may change earlier verdicts.
  ///
  /// - Throws: ``CairnError/Kind/unconfirmed`` if the answer is no, or there is no terminal.
  func confirm(_ changes: [VerdictChange]) throws {
    guard !isOn, let sentence = changes.sentence else { return }
    guard let isAgreed = Console.ask("\(sentence) Continue?") else {
      throw CairnError(
        .unconfirmed, sentence, hint: "To change them: `\(ownCommandLine(adding: "--yes"))`.")
    }
    if !isAgreed { throw CairnError.declined }
  }
}
