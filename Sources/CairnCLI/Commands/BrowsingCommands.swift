import ArgumentParser
import Cairn

struct Categories: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "categories",
    abstract: "List the classes with photo counts and a sample photo.",
    discussion: HelpText.paragraphs(
      """
      The columns are the class, the numbers of confirmed, predicted, disputed and rejected photos, and
      the photo with the highest confidence.

      EXAMPLES
        cairn categories
        cairn categories --find 'taken:2024-05 near:48.85,2.35,10km'
      """))

  @OptionGroup var selection: PhotoSelection
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let dataset = try globals.dataset()
    let tallies = try dataset.categories(selection.query() ?? .everything)
    Console.print(globals, .array(tallies.map(\.rendered))) {
      if tallies.isEmpty { return Console.print("No photo has a resolved class.") }
      let header = ["class"] + ClassCount.columns.map(\.rawValue) + ["sample"]
      let rows = tallies.map { tally in
        [tally.name] + ClassCount.columns.map { "\(tally.counts[$0] ?? 0)" } + [tally.sample.short]
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

struct Favorite: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "favorite",
    abstract: "Mark photos as your favorites.",
    discussion: HelpText.paragraphs(
      """
      A favorite is your own label of the class “favorite”. Favorites are synced like labels, but take no
      part in resolution and are never exported. `cairn find is:favorite` finds yours.

      EXAMPLES
        cairn favorite 3fa9 c4d0
        cairn favorite --find 'label:dog taken:2024-05-01'
        cairn favorite 3fa9 --remove
      """))

  @OptionGroup var target: PhotoArguments
  @Flag(help: "Remove them from your favorites.") var remove = false
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let dataset = try globals.dataset()
    let photos = try dataset.setFavorites(target.ids(in: dataset), !remove)
    Console.print(
      globals,
      .array(
        photos.map {
          [
            "changed": .bool($0.changed), "favorite": .bool(!remove),
            "id": .string($0.id.description),
          ]
        })
    ) {
      for (id, changed) in photos {
        let state = remove ? "not a favorite" : "a favorite"
        Console.print("\(id.short) is \(state) \(changed ? "now" : "already")")
      }
    }
  }
}
