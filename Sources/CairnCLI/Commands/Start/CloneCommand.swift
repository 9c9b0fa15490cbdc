import ArgumentParser
import Cairn
import SystemPackage

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
  @Option(help: ArgumentHelp("The name of the remote in the clone.", valueName: "name"))
  var origin = "origin"
  @Flag(help: "Do not fetch images; `cairn images fetch` can fetch them later.") var noImages =
    false
  @Option(
    help:
      "Documents to check out: `all`, `none`, or comma-separated arguments of `cairn checkout`.")
  var documents = "all"
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    try globals.enter()
    let path = currentDirectory().pushing(FilePath(directory ?? defaultDirectory))
    let bar = ProgressBar(globals)
    var options = TransferOptions()
    if noImages { options.images = false }
    let clone = try Dataset.clone(
      url, to: path, relativeTo: currentDirectory(), origin: origin, sparse: sparse,
      command: ownExecutable(),
      options: options, onMessage: GlobalOptions.report, onProgress: bar.update,
      onMissingIdentity: globals.identityPrompt)
    let (dataset, checkout, images) = (clone.dataset, clone.checkout, clone.images)
    let name = try dataset.name()
    Console.printChange(
      globals,
      [
        "checkedOut": checkout.changed.rendered,
        "fixups": .array(clone.fixups.map(\.rendered)),
        "imagesFailure": JSON(images.failure.map { CairnError($0).message }),
        "imagesMissing": JSON(checkout.imagesMissing), "name": .string(name),
        "path": .string(dataset.root.string),
      ]
    ) {
      let contents = sparse == .all ? ": \(checkout.changed.text)" : " as a sparse checkout"
      Console.print("Cloned “\(name)” into \(dataset.root)\(contents).")
      printFixups(clone.fixups)
      images.print(globals)
      if checkout.imagesMissing > 0, images.left == 0 {
        let missing = count(checkout.imagesMissing, "image")
        Console.print("\(missing) not fetched: `cairn images fetch` fetches them.")
      }
      if sparse == .all, checkout.changed.values.reduce(0, +) > Clone.largeDataset {
        Console.print("This dataset is large: `cairn checkout none` makes git faster here.")
      }
    }
    try images.endIfFailed(globals)
  }

  /// The number of documents from which `git status` becomes noticeably slow.
  private static let largeDataset = 100_000

  private var sparse: SparseSelection {
    switch documents {
    case "all": .all
    case "none": .none
    default: .paths(documents.split(separator: ",").map(String.init))
    }
  }

  private var defaultDirectory: String {
    let last = url.split { $0 == "/" || $0 == ":" }.last { $0 != ".git" } ?? "dataset"
    return last.hasSuffix(".git") ? String(last.dropLast(4)) : String(last)
  }
}
