import ArgumentParser
import Cairn

struct ClassCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "class", abstract: "Manage classes.",
    discussion: HelpText.paragraphs(
      """
      CLASS is a class's display name, original name, alias or key.

      EXAMPLE
        cairn class list
      """),
    subcommands: [
      ClassList.self, ClassRename.self, ClassMerge.self, ClassAlias.self, ClassSplit.self,
      ClassSet.self, ClassImport.self,
    ])
}

struct ClassList: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the classes with the number of labeled photos.",
    discussion: HelpText.paragraphs("EXAMPLE\n  cairn class list --json"))

  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let classes = try globals.dataset().classes()
    Console.print(globals, .array(classes.map(\.rendered))) {
      if classes.isEmpty {
        return Console.print("No classes yet: cairn label PHOTO CLASS --create.")
      }
      let names = Dictionary(classes.map { ($0.labelClass.key, $0.labelClass.name.value) }) { $1 }
      let rows = classes.map { record in
        let canonical = record.canonicalKey
        return [
          record.labelClass.key.text, count(record.photos, "photo"), record.labelClass.name.value,
          record.isAlias
            ? "= \(names[canonical] ?? canonical.text)" : record.set.map { "of “\($0)”" } ?? "",
        ]
      }
      Console.table(rows).forEach { Console.print($0) }
    }
  }
}

extension ClassRecord {
  fileprivate var rendered: JSON {
    [
      "aliases": .array(aliases.map { .string($0.text) }),
      "aliasOf": JSON(isAlias ? canonicalKey.text : nil), "key": .string(labelClass.key.text),
      "name": .string(labelClass.name.value), "photos": JSON(photos), "set": JSON(set?.text),
    ]
  }
}

extension ClassEdit {
  /// Prints the class as it is now; `done` for people when something was changed.
  fileprivate func print(_ globals: GlobalOptions, _ done: String) {
    Console.print(
      globals,
      [
        "aliasOf": JSON(labelClass.aliasOf?.value?.text), "changed": .bool(changed),
        "key": .string(labelClass.key.text), "name": .string(labelClass.name.value),
        "set": JSON(labelClass.set?.value?.text),
      ]
    ) {
      let name = Console.printable(labelClass.name.value)
      Console.print(
        changed ? Console.printable(done) : "“\(name)” (\(labelClass.key)) was so already.")
    }
  }
}

struct ClassArgument: ParsableArguments {
  @Argument(help: ArgumentHelp("Its name or key.", valueName: "class")) var className: String
}

struct ClassRename: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rename", abstract: "Change the display name of a class.",
    discussion: HelpText.paragraphs(
      """
      The old name still finds the class.

      EXAMPLE
        cairn class rename puma "Cougar (Puma concolor)"
      """))

  @OptionGroup var target: ClassArgument
  @Argument(help: "Its display name.") var name: String
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let dataset = try globals.dataset()
    let key = try dataset.classKey(target.className)
    let edit = try dataset.renameClass(key, to: name)
    edit.print(globals, "“\(target.className)” is called “\(edit.labelClass.name.value)” now.")
  }
}

struct ClassMerge: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "merge",
    abstract: "Merge one class into another.",
    discussion: HelpText.paragraphs(
      """
      No label is rewritten, so `cairn class split` can undo it.

      EXAMPLE
        cairn class merge hemlok hemlock
      """))

  @OptionGroup var target: ClassArgument
  @Argument(help: "The class that stays.") var into: String
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let dataset = try globals.dataset()
    let key = try dataset.classKey(target.className, followingAliases: false)
    let into = try dataset.classKey(into)
    let edit = try dataset.mergeClass(key, into: into)
    edit.print(
      globals, "\(key) is another name of \(into) now; `cairn class split \(key)` undoes it.")
  }
}

struct ClassAlias: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "alias", abstract: "Add an alias for a class.",
    discussion: HelpText.paragraphs("EXAMPLE\n  cairn class alias \"Tsuga canadensis\" hemlock"))

  @Argument(help: "The new name.") var name: String
  @OptionGroup var target: ClassArgument
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let dataset = try globals.dataset()
    let key = try dataset.classKey(target.className)
    try dataset.aliasClass(name, of: key).print(globals, "“\(name)” means \(key) now.")
  }
}

struct ClassSplit: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "split", abstract: "Turn an alias back into a class of its own.",
    discussion: HelpText.paragraphs("EXAMPLE\n  cairn class split hemlok"))

  @OptionGroup var target: ClassArgument
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let dataset = try globals.dataset()
    let key = try dataset.classKey(target.className, followingAliases: false)
    try dataset.splitClass(key).print(globals, "\(key) is no longer an alias.")
  }
}

struct ClassSet: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set", abstract: "Make classes mutually exclusive (an exclusive set).",
    discussion: HelpText.paragraphs(
      """
      Labeling a photo with one class of an exclusive set implies that the others are absent. The set
      “none” removes classes from their set.

      EXAMPLES
        cairn class set breed beagle terrier poodle
        cairn class set none poodle
      """))

  @Argument(help: "The name of the set, such as “breed”; “none” for no set.") var set: String
  @Argument(help: "The classes.") var classes: [String]
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let dataset = try globals.dataset()
    let key = set == "none" ? nil : ClassKey(naming: set)
    if key == nil, set != "none" {
      throw CairnError(
        .invalidInput, "“\(set)” cannot be the name of a set.", hint: "Such as `breed`.")
    }
    let keys = try classes.map { try dataset.classKey($0) }
    let edits = try keys.map { try dataset.setClassSet($0, key) }
    Console.print(
      globals,
      .array(
        edits.map {
          [
            "changed": .bool($0.changed), "key": .string($0.labelClass.key.text),
            "set": JSON($0.labelClass.set?.value?.text),
          ]
        })
    ) {
      for edit in edits {
        let what = key.map { "one of “\($0)”" } ?? "a free tag"
        Console.print("\(edit.labelClass.key) is \(what) \(edit.changed ? "now" : "already").")
      }
    }
  }
}
