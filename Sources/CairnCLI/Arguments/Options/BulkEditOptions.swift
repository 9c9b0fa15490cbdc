import ArgumentParser
import Cairn

/// The options of commands that change many photos.
struct BulkEditOptions: ParsableArguments {
  @Flag(
    name: [.customShort("y"), .customLong("yes")],
    help: "Do not ask for confirmation.")
  var yes = false
  @Flag(name: DryRunOption.names, help: DryRunOption.help) var dryRun = false

  /// The number of photos that are changed without a question.
  private static let unasked = 20

  /// Asks on the terminal whether an edit may change many photos, or earlier verdicts.
  ///
  /// - Parameters:
  ///   - verb: What the edit does to the photos: `label`.
  ///   - rest: What follows the number of photos: ` to your favorites`.
  ///   - isUndoable: Whether `cairn undo` undoes it. What it does not undo is always asked.
  /// - Throws: ``CairnError/Kind/unconfirmed`` if the answer is no, or there is no terminal.
  func confirm(
    _ verb: String, _ photos: [PhotoID], _ changes: [VerdictChange] = [],
    to rest: @autoclosure () throws -> String = "", isUndoable: Bool = true
  ) throws {
    if yes { return }
    let number = Set(photos).count
    let bulk =
      try number > (isUndoable ? BulkEditOptions.unasked : 0)
      ? "This would \(verb) \(count(number, "photo"))\(rest())." : nil
    let text = [bulk, changes.sentence].compactMap(\.self).joined(separator: " ")
    try ask(text, isUndoable: isUndoable)
  }

  /// Asks on the terminal whether to do what cannot be undone.
  ///
  /// - Throws: ``CairnError/Kind/unconfirmed`` if the answer is no, or there is no terminal.
  func confirm(forGood text: String) throws { try ask(text, isUndoable: false) }

  private func ask(_ text: String, isUndoable: Bool) throws {
    guard !yes, !text.isEmpty else { return }
    guard let isAgreed = Console.ask("\(text) Continue?") else {
      throw CairnError(
        .unconfirmed, text,
        hint: "To do it: `\(ownCommandLine(adding: "--yes"))`"
          + (isUndoable ? "; `cairn undo` undoes it." : ". It cannot be undone."))
    }
    if !isAgreed { throw CairnError.declined }
  }
}
