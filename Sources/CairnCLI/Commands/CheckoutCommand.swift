import ArgumentParser
import Cairn

struct Checkout: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "checkout",
    abstract: "Choose which documents are checked out (sparse checkout).",
    discussion: HelpText.paragraphs(
      """
      Documents that are not checked out can still be labeled, merged, committed and shown. A sparse
      checkout makes working in a large dataset faster. To git it is an ordinary sparse checkout.

      EXAMPLES
        cairn checkout none                 only the files at the top
        cairn checkout --pin harbour        the photos of a pin, with their labels
        cairn checkout --find state:disputed   photos matching a query
        cairn checkout 3f classes           photos whose ids begin with 3f, and the classes
        cairn checkout all
        cairn checkout                      show what is checked out
      """))

  @Argument(help: "`all`, `none`, directories, or prefixes of photo ids.")
  var places: [String] = []
  @OptionGroup var selection: PhotoSelection
  @Flag(help: "Add to what is checked out.") var add = false
  @OptionGroup var globals: GlobalOptions

  func validate() throws {
    if selection.isGiven, !places.isEmpty {
      throw ValidationError("Give places, or a query or pin in their place.")
    }
  }

  func run() throws {
    let dataset = try globals.dataset()
    let bar = ProgressBar()
    let report = try part(of: dataset).map {
      try dataset.checkOut($0, isAdded: add) { bar.update("moving files", $0) }
    }
    bar.finish()
    let directories = dataset.checkedOutDirectories
    Console.print(
      globals,
      [
        "directories": directories.map { .array($0.map { .string($0) }) } ?? .null,
        "imagesMissing": JSON(report?.imagesMissing ?? 0),
        "left": .array((report?.left ?? []).map { .string($0) }),
        "placed": JSON(report?.placed ?? 0), "removed": JSON(report?.removed ?? 0),
      ]
    ) {
      Console.print(Checkout.sentence(directories))
      guard let report else { return }
      if report.placed + report.removed > 0 {
        Console.print("\(count(report.placed, "file")) came, \(report.removed) went.")
      }
      for path in report.left { Console.print("left, not committed: \(path)") }
      if report.imagesMissing > 0 {
        Console.print(
          "\(count(report.imagesMissing, "image")) not here: `cairn images fetch` brings them.")
      }
    }
  }

  private func part(of dataset: Dataset) throws -> SparseSelection? {
    if let photos = try selection.ids(in: dataset) { return try part(of: photos) }
    switch places {
    case []: return nil
    case ["all"]: return .all
    case ["none"]: return SparseSelection.none
    default: return .places(places)
    }
  }

  private func part(of photos: [PhotoID]) throws -> SparseSelection {
    if photos.isEmpty {
      throw CairnError(
        .notFound, "No photo is found, and nothing was moved.",
        hint: "`cairn checkout none` takes all documents out.")
    }
    return .photos(photos)
  }

  private static func sentence(_ directories: [String]?) -> String {
    guard let directories else { return "All documents are checked out." }
    if directories.isEmpty { return "No documents are checked out; all can be worked with." }
    let shown = directories.prefix(10).joined(separator: ", ")
    let more = directories.count > 10 ? " and \(directories.count - 10) more" : ""
    return "Checked out in part: \(shown)\(more). All other documents can be worked with."
  }
}
