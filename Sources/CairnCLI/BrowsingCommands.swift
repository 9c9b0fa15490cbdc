import ArgumentParser
import Cairn

struct Categories: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "categories",
    abstract: "List the classes of photos, with how many there are of each, and a sample.",
    discussion: """
      The columns are: the class, the photos that people confirmed, those that models predict, those that
      people disagree on, those that people rejected, and the photo that shows it best.

      EXAMPLES
        cairn categories
        cairn categories --find 'taken:2024-05 near:48.85,2.35,10km'
      """)

  @OptionGroup var selection: PhotoSelection
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let dataset = try globals.dataset()
    let tallies = try dataset.categories(selection.query() ?? .everything)
    Console.print(globals, .array(tallies.map(\.rendered))) {
      if tallies.isEmpty { return Console.print("No class stands on any photo.") }
      let header = ["class"] + ClassTally.columns.map(\.rawValue) + ["sample"]
      let rows = tallies.map { tally in
        [tally.name] + ClassTally.columns.map { "\(tally.counts[$0] ?? 0)" } + [tally.sample.short]
      }
      Console.table([header] + rows).forEach { Console.print($0) }
    }
  }
}

extension ClassTally {
  fileprivate static let columns: [Resolution.State] = [
    .confirmed, .predicted, .disputed, .rejected,
  ]

  fileprivate var rendered: JSON {
    let counts = ClassTally.columns.map { ($0.rawValue, JSON(self.counts[$0] ?? 0)) }
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
    abstract: "Put photos among your favourites; each person has their own.",
    discussion: """
      A favourite is your label of the class “favorite”. It is synced as labels are, nothing is resolved
      from it, and no export has it. `cairn find is:favorite` finds yours.

      EXAMPLES
        cairn favorite 3fa9 c4d0
        cairn favorite --find 'label:dog taken:2024-05-01'
        cairn favorite 3fa9 --remove
      """)

  @OptionGroup var target: PhotoArguments
  @Flag(help: "Take them away from your favourites.") var remove = false
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
        let state = remove ? "none of your favourites" : "one of your favourites"
        Console.print("\(id.short) is \(state) \(changed ? "now" : "already")")
      }
    }
  }
}
