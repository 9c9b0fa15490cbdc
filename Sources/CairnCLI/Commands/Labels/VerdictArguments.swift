import ArgumentParser
import Cairn

/// The arguments of `cairn accept` and `cairn reject`: photos, and a class that models predicted.
struct VerdictArguments: ParsableArguments {
  @OptionGroup var target: PhotosAndClass
  @OptionGroup var bulk: BulkEditOptions
  @OptionGroup var globals: GlobalOptions

  /// Saves the verdict of the current person on the predictions.
  func save(accepting: Bool) throws {
    let dataset = try globals.dataset()
    let (photos, name) = (try target.ids(in: dataset), target.className)
    if bulk.dryRun {
      let changes = try dataset.verdictChanges(reviewing: photos, name, accepting: accepting)
      let number = Set(try dataset.photos(photos, predicted: name)).count
      let verb = accepting ? "accept" : "reject"
      return Console.printDryRun(
        globals, ["photos": JSON(number), "verdictChanges": JSON(changes.count)],
        ["Would \(verb) the predictions on \(count(number, "photo"))."]
          + [changes.sentence].compactMap(\.self))
    }
    if target.selection.isGiven {
      try bulk.confirm(
        "\(accepting ? "accept" : "reject") the predictions on",
        dataset.photos(photos, predicted: name),
        dataset.verdictChanges(reviewing: photos, name, accepting: accepting))
    }
    let results = try dataset.review(photos, name, accepting: accepting)
    results.print(
      globals, skipped: target.skipped(photos, results), reason: "\(name): not predicted")
  }
}
