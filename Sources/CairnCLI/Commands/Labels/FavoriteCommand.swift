import ArgumentParser
import Cairn

struct Favorite: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "favorite",
    abstract: "Mark photos as your favorites.",
    discussion: HelpText.paragraphs(
      """
      A favorite is your own label of the class “favorite”. Favorites are synced like labels, but
      take no part in resolution. `cairn export documents` includes them; no other export does.
      `cairn find is:favorite` finds yours.

      EXAMPLES
        cairn favorite 3fa9 c4d0
        cairn favorite --find 'label:dog taken:2024-05-01'
        cairn favorite 3fa9 --remove
      """))

  @OptionGroup var target: PhotoArguments
  @Flag(help: "Remove them from your favorites.") var remove = false
  @OptionGroup var bulk: BulkEditOptions
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let dataset = try globals.dataset()
    let ids = try target.ids(in: dataset)
    if bulk.dryRun {
      let favorites = try dataset.favorites()
      let number = Set(ids).count { favorites.contains($0) == remove }
      let photos = count(number, "photo")
      return Console.printDryRun(
        globals, ["photos": JSON(number)],
        [
          remove
            ? "Would remove \(photos) from your favorites."
            : "Would add \(photos) to your favorites."
        ])
    }
    if target.selection.isGiven {
      try bulk.confirm(
        remove ? "remove" : "add", ids, to: "\(remove ? " from" : " to") your favorites")
    }
    let photos = try dataset.setFavorites(ids, !remove)
    Console.printChange(
      globals,
      .array(
        photos.map {
          [
            "changed": .bool($0.changed), "favorite": .bool(!remove),
            "id": .string($0.id.description),
          ]
        })
    ) {
      PhotoEdits(
        done: remove ? "no longer a favorite" : "now a favorite",
        unchanged: remove ? "not a favorite" : "already a favorite",
        edits: photos.map { ($0.id, $0.changed) }
      ).print()
    }
  }
}
