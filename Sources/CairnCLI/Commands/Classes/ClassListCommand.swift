import ArgumentParser
import Cairn

struct ClassList: ParsableCommand, PagedCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the classes with the number of labeled photos.",
    discussion: HelpText.paragraphs("EXAMPLE\n  cairn class list --json"))

  @Flag(help: "Include removed classes.") var removed = false
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let classes = try globals.dataset().classes(includingRemoved: removed)
    Console.print(globals, .array(classes.map(\.rendered))) {
      if classes.isEmpty {
        return Console.print("No classes yet: cairn label PHOTO CLASS --create.")
      }
      let names = Dictionary(classes.map { ($0.labelClass.key, $0.labelClass.name.value) }) { $1 }
      let rows = classes.map { record in
        let canonical = record.canonicalKey
        return [
          record.labelClass.key.text, count(record.photos, "photo"),
          record.labelClass.name.value + (record.labelClass.removed.value ? " (removed)" : ""),
          record.isAlias
            ? "= \(names[canonical] ?? canonical.text)" : record.set.map { "in “\($0)”" } ?? "",
        ]
      }
      Console.table(rows).forEach { Console.print($0) }
    }
  }
}

extension ClassRecord {
  var rendered: JSON {
    [
      "aliases": .array(aliases.map { .string($0.text) }),
      "aliasOf": JSON(isAlias ? canonicalKey.text : nil), "key": .string(labelClass.key.text),
      "name": .string(labelClass.name.value), "photos": JSON(photos),
      "removed": .bool(labelClass.removed.value), "set": JSON(set?.text),
    ]
  }
}
