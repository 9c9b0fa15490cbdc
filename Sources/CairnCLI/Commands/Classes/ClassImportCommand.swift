import ArgumentParser
import Cairn
import SystemPackage

struct ClassImport: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Import classes from a list, with their aliases and parents.",
    discussion: HelpText.paragraphs(
      """
      The list can be one of these:

        text  one class per line, or lines such as `n02096177 cairn, cairn terrier`, with a
              WordNet id and aliases
        CSV   a header with name, and optionally id, aliases and parent
        JSON  names, or objects with name, id, aliases and parent; Keras' ImageNet classes;
              dog.ceo's breeds

      Existing names, parents and sets are not changed, so importing a list twice is safe. Ids and
      further names become aliases, so that a model's class names are recognized.

      EXAMPLES
        cairn class import synset_words.txt --dry-run
        cairn class import imagenet_class_index.json
        cairn class import breeds.csv --set breed
      """))

  @Argument(help: "The file that contains the list.") var file: String
  @Option(help: "Add the classes to this exclusive set.") var set: String?
  @OptionGroup var dryRun: DryRunOption
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let dataset = try globals.dataset()
    var options = ClassImportOptions()
    options.isDryRun = dryRun.isOn
    if let set {
      guard let key = ClassKey(naming: set) else {
        throw CairnError(
          .invalidInput, "“\(set)” cannot be the name of a set.", hint: "For example: `breed`.")
      }
      options.set = key
    }
    let path = currentDirectory().pushing(FilePath(file))
    let report = try dataset.importClasses(from: path, options: options)
    Console.print(
      globals,
      [
        "added": .array(report.added.map { .string($0.text) }), "aliases": JSON(report.aliases),
        "dryRun": .bool(dryRun.isOn), "known": JSON(report.known), "members": JSON(report.members),
        "notes": .array(report.notes.map { .string($0) }), "parents": JSON(report.parents),
      ]
    ) { print(report) }
  }

  private func print(_ report: ClassImportReport) {
    for note in report.notes.prefix(20) { Console.print(Console.printable(note)) }
    if report.notes.count > 20 { Console.print("… and \(report.notes.count - 20) more.") }
    if globals.quiet, !dryRun.isOn { return }
    let parts = [
      (report.added.count, "new class", "new classes"), (report.aliases, "alias", "aliases"),
      (report.parents, "parent", "parents"),
      (report.members, "member of the set", "members of the set"),
    ].filter { $0.0 > 0 }.map { "\($0.0) \($0.0 == 1 ? $0.1 : $0.2)" }
    let added = parts.isEmpty ? "Nothing new" : parts.joined(separator: ", ")
    let end = dryRun.isOn ? " Nothing was changed." : ""
    Console.print("\(added); \(report.known) already known.\(end)")
  }
}
