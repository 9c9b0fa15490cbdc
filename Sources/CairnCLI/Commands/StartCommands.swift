import ArgumentParser
import Cairn
import SystemPackage

struct Init: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "init",
    abstract: "Create a dataset.",
    discussion: HelpText.paragraphs("EXAMPLE\n  cairn init field-trip --name \"Field trip 2026\""))

  @Argument(help: "Its directory, created if missing.") var directory: String = "."
  @Option(help: "Its display name (default: the directory's name).") var name: String?
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    try globals.enter()
    let path = currentDirectory().pushing(FilePath(directory)).lexicallyNormalized()
    let dataset = try Dataset.create(
      at: path, name: name, command: ownExecutable(), environment: GlobalOptions.environment)
    let name = try dataset.name()
    Console.print(
      globals, ["name": .string(name), "path": .string(dataset.root.string)]
    ) {
      Console.print("Started the dataset “\(name)” in \(dataset.root).")
      Console.print("Next: cairn photo add DIR, then cairn label PHOTO CLASS --create.")
    }
  }
}

struct Clone: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "clone",
    abstract: "Clone a dataset into a new directory.",
    discussion: HelpText.paragraphs(
      """
      EXAMPLES
        cairn clone /media/usb/trees.git trees
        cairn clone git@example.org:trees.git
        cairn clone /media/usb/trees.git --documents none   without checking out documents
      """))

  @Argument(
    help: "A path, ssh://you@host/path, you@host:path or https://host/path.")
  var url: String
  @Argument(help: "The new directory (default: the last part of the URL).") var directory: String?
  @Flag(help: "Do not fetch images; `cairn images fetch` can fetch them later.") var noImages =
    false
  @Option(
    help:
      "Documents to check out: `all`, `none`, or what `cairn checkout` takes, separated by commas.")
  var documents = "all"
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    try globals.enter()
    let path = currentDirectory().pushing(FilePath(directory ?? defaultDirectory))
    let bar = ProgressBar(globals)
    var options = bar.options
    if noImages { options.images = false }
    let (dataset, checkout, images) = try Dataset.clone(
      url, to: path, relativeTo: currentDirectory(), part: part, command: ownExecutable(),
      options: options, environment: GlobalOptions.environment)
    bar.finish()
    let name = try dataset.name()
    Console.print(
      globals,
      [
        "came": checkout.changed.rendered,
        "imagesFailure": JSON(images.failure.map { CairnError($0).message }),
        "imagesMissing": JSON(checkout.imagesMissing), "name": .string(name),
        "path": .string(dataset.root.string),
      ]
    ) {
      let came = part == .all ? ": \(checkout.changed.text)" : ", checked out in part"
      Console.print("Cloned “\(name)” into \(dataset.root)\(came).")
      if checkout.imagesMissing > 0 {
        Console.print(
          "\(count(checkout.imagesMissing, "image")) left behind: `cairn images fetch` brings them."
        )
      }
      if part == .all, checkout.changed.values.reduce(0, +) > Clone.many {
        Console.print("It is large: git is quicker here after `cairn checkout none`.")
      }
    }
    try images.endIfFailed(globals)
  }

  /// Of so many documents, as files, git's own status takes a good part of a second.
  private static let many = 100_000

  private var part: SparseSelection {
    switch documents {
    case "all": .all
    case "none": .none
    default: .places(documents.split(separator: ",").map(String.init))
    }
  }

  private var defaultDirectory: String {
    let last = url.split { $0 == "/" || $0 == ":" }.last { $0 != ".git" } ?? "dataset"
    return last.hasSuffix(".git") ? String(last.dropLast(4)) : String(last)
  }
}
