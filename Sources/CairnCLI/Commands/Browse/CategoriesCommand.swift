import ArgumentParser
import Cairn

struct Categories: ParsableCommand, PagedCommand {
  static let configuration = CommandConfiguration(
    commandName: "categories",
    abstract: "List the classes with photo counts and a sample photo.",
    discussion: HelpText.paragraphs(
      """
      For each class, prints how many photos have it confirmed, predicted, disputed and rejected,
      and the photo with the highest confidence.

      EXAMPLES
        cairn categories
        cairn categories --find 'taken:2024-05 near:48.85,2.35,10km'
      """))

  @OptionGroup var selection: PhotoSelection
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let dataset = try globals.dataset()
    let categories = try dataset.categories(selection.query() ?? .everything)
    Console.print(globals, .array(categories.map(\.rendered))) {
      if categories.isEmpty { return Console.print("No photos with resolved classes.") }
      let header = ["class"] + ClassCount.columns.map(\.rawValue) + ["sample"]
      let rows = categories.map { category in
        [category.name] + ClassCount.columns.map { "\(category.counts[$0] ?? 0)" }
          + [category.sample.short]
      }
      Console.table([header] + rows).forEach { Console.print($0) }
    }
  }
}

extension ClassCount {
  fileprivate static let columns: [Resolution.State] = [
    .confirmed, .predicted, .disputed, .rejected,
  ]

  fileprivate var rendered: JSON {
    let counts = ClassCount.columns.map { ($0.rawValue, JSON(self.counts[$0] ?? 0)) }
    return .object(
      JSONObject(
        counts + [
          ("class", .string(classKey.text)), ("name", .string(name)),
          ("sample", .string(sample.description)),
        ]))
  }
}
