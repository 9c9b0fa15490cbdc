import ArgumentParser
import Cairn

struct Checkout: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "checkout",
    abstract: "Choose which documents are checked out (sparse checkout).",
    discussion: HelpText.paragraphs(
      """
      Documents that are not checked out can still be labeled, merged, committed and shown. A sparse
      checkout makes working in a large dataset faster. git sees an ordinary sparse checkout.

      EXAMPLES
        cairn checkout none                 only the files at the top level
        cairn checkout --pin harbor         the photos of a pin, with their labels
        cairn checkout --find state:disputed   photos matching a query
        cairn checkout 3f classes           photos whose ids begin with 3f, and the classes
        cairn checkout all
        cairn checkout                      show what is checked out
      """))

  @Argument(
    help: ArgumentHelp(
      "`all`, `none`, directories, or prefixes of photo ids.", valueName: "documents"))
  var documents: [String] = []
  @OptionGroup var selection: PhotoSelection
  @Flag(help: "Keep what is checked out, and add to it.") var add = false
  @OptionGroup var dryRun: DryRunOption
  @OptionGroup var globals: GlobalOptions

  func validate() throws {
    if selection.isGiven, !documents.isEmpty {
      throw ValidationError("Give documents, or --find or --pin instead.")
    }
  }

  func run() throws {
    let dataset = try globals.dataset()
    let selected = try sparseSelection(in: dataset)
    if dryRun.isOn, let selected { return printDryRun(selected) }
    let report = try selected.map { try dataset.checkOut($0, isAdded: add) }
    let directories = dataset.checkedOutDirectories
    Console.print(
      globals,
      [
        "directories": directories.map { .array($0.map { .string($0) }) } ?? .null,
        "imagesMissing": JSON(report?.imagesMissing ?? 0),
        "placed": JSON(report?.placed ?? 0),
        "remaining": .array((report?.left ?? []).map { .string($0) }),
        "removed": JSON(report?.removed ?? 0),
      ]
    ) {
      guard let report else { return Console.print(Checkout.sentence(directories)) }
      globals.print(Checkout.sentence(directories))
      if report.placed + report.removed > 0 {
        globals.print("\(count(report.placed, "file")) checked out, \(report.removed) removed.")
      }
      for path in report.left { Console.print("kept, not committed: \(path)") }
      if report.imagesMissing > 0 {
        let missing = count(report.imagesMissing, "image")
        globals.print("\(missing) not on this disk: `cairn images fetch` fetches them.")
      }
    }
  }

  private func printDryRun(_ selected: SparseSelection) {
    var counts: JSONObject = ["documents": .array(documents.map { .string($0) })]
    let what: String
    switch selected {
    case .all: what = "all documents"
    case .none: what = "no documents"
    case .photos(let ids):
      what = count(ids.count, "photo")
      counts["photos"] = JSON(ids.count)
    case .paths(let names): what = names.joined(separator: ", ")
    }
    Console.printDryRun(
      globals, counts,
      ["Would check out \(what)\(add ? ", and keep what is checked out" : "")."])
  }

  /// Returns what to check out; nil if nothing was requested.
  private func sparseSelection(in dataset: Dataset) throws -> SparseSelection? {
    if let photos = try selection.ids(in: dataset) { return try sparseSelection(of: photos) }
    switch documents {
    case []: return nil
    case ["all"]: return .all
    case ["none"]: return SparseSelection.none
    default: return .paths(documents)
    }
  }

  private func sparseSelection(of photos: [PhotoID]) throws -> SparseSelection {
    if photos.isEmpty {
      throw CairnError(
        .notFound, "No photos match; nothing was changed.",
        hint: "`cairn checkout none` removes all documents from the work tree.")
    }
    return .photos(photos)
  }

  private static func sentence(_ directories: [String]?) -> String {
    guard let directories else { return "All documents are checked out." }
    if directories.isEmpty {
      return "No documents are checked out; cairn still works with all of them."
    }
    let shown = directories.prefix(10).joined(separator: ", ")
    let more = directories.count > 10 ? " and \(directories.count - 10) more" : ""
    return "Checked out: \(shown)\(more). cairn still works with all documents."
  }
}
