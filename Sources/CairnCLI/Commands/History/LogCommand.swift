import ArgumentParser
import Cairn
import CairnBase

struct Log: ParsableCommand, PagedCommand {
  static let configuration = CommandConfiguration(
    commandName: "log",
    abstract: "Show the history of the dataset, or of a photo.",
    discussion: HelpText.paragraphs(
      """
      The history of a photo shows who labeled it and how, and changes to its classes and runs.
      Classes appear under their current names.

      EXAMPLES
        cairn log --limit 5
        cairn log 3fa9
      """))

  @Argument(help: "Show only the history of this photo.") var photo: String?
  @OptionGroup var limit: LimitOption
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let limit = try limit.value()
    let dataset = try globals.dataset()
    let id = try photo.map { try dataset.photoID($0, relativeTo: currentDirectory()) }
    var count = 0
    var entries: [JSON] = []
    try dataset.log(photo: id, countingDocuments: globals.json) { entry in
      count += 1
      if globals.json { entries.append(entry.rendered) } else { entry.print() }
      return limit.map { count < $0 } ?? true
    }
    Console.print(globals, .array(entries)) {
      if count == 0 { Console.print("Nothing committed yet.") }
    }
  }
}

extension HistoryEntry {
  var rendered: JSON {
    [
      "author": .string(author), "changed": changed?.rendered ?? .null,
      "changes": .array(sentences.map { .string($0) }), "commit": .string(commit),
      "email": .string(email), "fields": .array(changes.flatMap(\.rendered)),
      "merge": .bool(isMerge), "summary": .string(summary),
      "time": .string(RFC3339.text(milliseconds: time)),
    ]
  }

  func print() {
    let head = "\(Style.yellow(String(commit.prefix(10)))) \(localTime(milliseconds: time))"
    Console.print("\(head) \(Console.printable(author)): \(Console.printable(summary))")
    for sentence in sentences { Console.print("  " + Console.printable(sentence)) }
  }
}
