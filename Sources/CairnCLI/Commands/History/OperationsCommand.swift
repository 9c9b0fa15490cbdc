import ArgumentParser
import Cairn
import CairnBase

struct Operations: ParsableCommand, PagedCommand {
  static let configuration = CommandConfiguration(
    commandName: "operations",
    abstract: "List the commands that changed documents on this device.",
    discussion: HelpText.paragraphs(
      """
      Newest first. `cairn undo` undoes an operation. The last 1,000 that changed a few documents, and
      the last 1,000 larger ones, are kept.

      EXAMPLES
        cairn operations --limit 10
        cairn undo 31
      """))

  @OptionGroup var limit: LimitOption
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let limit = try limit.value()
    let operations = try globals.dataset().operations().prefix(limit ?? .max)
    Console.print(globals, .array(operations.map(\.rendered))) {
      for operation in operations {
        let number = Style.yellow(String(operation.number))
        let state = operation.isUndone ? " (undone)" : ""
        let text = Console.printable(operation.text) + operation.byOther
        Console.print("\(number) \(localTime(milliseconds: operation.time)) \(text)\(state)")
      }
      if operations.isEmpty { Console.print("Nothing to undo.") }
    }
  }
}

extension OperationRecord {
  /// The person, if it was another one than the current user.
  var byOther: String { isOwn ? "" : by.map { ", by \($0.identity)" } ?? "" }

  var rendered: JSON {
    [
      "by": JSON(by?.description), "command": .string(text), "number": JSON(number),
      "time": .string(RFC3339.text(milliseconds: time)), "undone": .bool(isUndone),
      "undoes": undoes.map { JSON($0) } ?? .null,
    ]
  }
}
