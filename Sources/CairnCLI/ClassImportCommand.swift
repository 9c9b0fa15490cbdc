import ArgumentParser
import Cairn
import SystemPackage

struct ClassImport: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Add the classes of a list, with their further names and parents.",
    discussion: """
      The list is text (a class a line; `n02096177 cairn, cairn terrier` with a WordNet id and further
      names), CSV (a header with name, and id, aliases and parent) or JSON (names; objects with name, id,
      aliases and parent; ImageNet's classes as Keras has them; dog.ceo's breeds). What there is stays as
      people have it, and to import a list again changes nothing. Ids and further names become aliases, so
      that what a model calls a class is found.

      EXAMPLES
        cairn class import synset_words.txt --dry-run
        cairn class import imagenet_class_index.json
        cairn class import breeds.csv --set breed
      """)

  @Argument(help: "The list.") var file: String
  @Option(help: "The exclusive set that all of them belong to.") var set: String?
  @Flag(help: "Only say what would be done.") var dryRun = false
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let dataset = try globals.dataset()
    var options = ClassImportOptions()
    options.isRehearsal = dryRun
    if let set {
      guard let key = ClassKey(naming: set) else {
        throw CairnError(
          .invalidInput, "“\(set)” cannot be the name of a set.", hint: "Such as `breed`.")
      }
      options.set = key
    }
    let path = currentDirectory().pushing(FilePath(file))
    let report = try dataset.importClasses(from: path, options: options)
    Console.print(
      globals,
      [
        "added": .array(report.added.map { .string($0.text) }), "aliases": JSON(report.aliases),
        "known": JSON(report.known), "members": JSON(report.members),
        "notes": .array(report.notes.map { .string($0) }), "parents": JSON(report.parents),
      ]
    ) { print(report) }
  }

  private func print(_ report: ClassImportReport) {
    for note in report.notes.prefix(20) { Console.print(Console.printable(note)) }
    if report.notes.count > 20 { Console.print("… and \(report.notes.count - 20) more.") }
    let parts = [
      (report.added.count, "new class", "new classes"), (report.aliases, "alias", "aliases"),
      (report.parents, "parent", "parents"),
      (report.members, "member of the set", "members of the set"),
    ].filter { $0.0 > 0 }.map { "\($0.0) \($0.0 == 1 ? $0.1 : $0.2)" }
    let done = parts.isEmpty ? "Nothing new" : parts.joined(separator: ", ")
    Console.print("\(done); \(report.known) known already.\(dryRun ? " Nothing was changed." : "")")
  }
}
