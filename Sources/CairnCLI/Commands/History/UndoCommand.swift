import ArgumentParser
import Cairn

struct Undo: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "undo",
    abstract: "Undo what a command changed.",
    discussion: HelpText.paragraphs(
      """
      Without a number, undoes the last command of this device that changed labels, photos, pins,
      classes, runs or the policy; used again, the one before it. Undoing is another edit: sync it
      to undo the change on all devices. What was changed again since stays as it is and is listed,
      and so does what others use now, such as a new class with labels of others. `cairn undo` with
      the number of an undo restores what was undone.

      Not undone: commits, exchanges with remotes, and settings. `cairn serve` undoes its own edits.

      EXAMPLES
        cairn undo --dry-run
        cairn undo
        cairn undo 31
      """))

  @Argument(help: "The number of the operation, from `cairn operations`.") var operation: Int?
  @OptionGroup var dryRun: DryRunOption
  @OptionGroup var quiet: QuietOption
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let dataset = try globals.dataset(quiet)
    let report = try dataset.undo(operation, dryRun: dryRun.isOn)
    if dryRun.isOn {
      let text = Console.printable(report.operation.text)
      return dryRun.print(
        globals, report.members, ["Would undo “\(text)”: \(report.undone.text)."] + report.keptLines
      )
    }
    Console.print(globals, quiet, .object(report.members)) {
      let text = Console.printable(report.operation.text)
      Console.print("Undid “\(text)”: \(report.undone.text).")
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

  /// The documents that stay as they are, of many the first ones.
  fileprivate var keptLines: [String] {
    if kept.isEmpty { return [] }
    let shown = kept.prefix(10).map { "  \($0)" }
    let rest = kept.count - shown.count
    let documents = CairnCLI.count(kept.count, "document")
    return ["\(documents) changed or used since, and left as is:"] + shown
      + (rest > 0 ? ["  and \(rest) more"] : [])
  }
}
