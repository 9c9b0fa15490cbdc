import ArgumentParser
import Cairn

struct Undo: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "undo",
    abstract: "Undo what a command changed.",
    discussion: HelpText.paragraphs(
      """
      Without a number, undoes your last command on this device that changed labels, photos, pins,
      classes, runs, splits or the policy; used again, the one before it. Undoing is another edit:
      sync it to undo the change on all devices. Documents that have since been changed again are
      listed and left unchanged, and so are those that others use now: a new pin that somebody has
      renamed, a new class that others have used for labels. Commands that were run on another
      branch are skipped. To redo, give `cairn undo` the number of the undo.

      Not undone: commits, exchanges with remotes, and settings. Edits on the page of `cairn serve`
      are operations, too.

      EXAMPLES
        cairn undo --dry-run
        cairn undo
        cairn undo 31
      """))

  @Argument(help: "The number of the operation, from `cairn operations`.") var operation: Int?
  @OptionGroup var dryRun: DryRunOption
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let dataset = try globals.dataset()
    let report = try dataset.undo(operation, dryRun: dryRun.isOn)
    let sentence = report.sentence(isDryRun: dryRun.isOn)
    if dryRun.isOn {
      return Console.printDryRun(globals, report.members, [sentence] + report.keptLines)
    }
    Console.print(globals, .object(report.members)) {
      // Documents that were not undone are a warning.
      if report.count > 0 { globals.print(sentence) } else { Console.print(sentence) }
      for line in report.keptLines { Console.print(line) }
    }
  }
}

extension UndoReport {
  fileprivate var members: JSONObject {
    [
      "kept": .array(kept.map { .string($0.description) }), "operation": operation.rendered,
      "undone": undone.rendered,
    ]
  }

  fileprivate func sentence(isDryRun: Bool) -> String {
    let text = "“\(Console.printable(operation.text))”\(operation.byOther)"
    if count == 0 { return "\(kept.isEmpty ? "Nothing left to undo" : "Not undone"): \(text)." }
    return "\(isDryRun ? "Would undo" : "Undid") \(text): \(undone.text)."
  }

  /// The documents that are left unchanged, of many the first ones.
  fileprivate var keptLines: [String] {
    if kept.isEmpty { return [] }
    let shown = kept.prefix(10).map { "  \($0)" }
    let rest = kept.count - shown.count
    let documents = CairnCLI.count(kept.count, "document")
    return ["\(documents) changed or used since, and left unchanged:"] + shown
      + (rest > 0 ? ["  and \(rest) more"] : [])
  }
}
