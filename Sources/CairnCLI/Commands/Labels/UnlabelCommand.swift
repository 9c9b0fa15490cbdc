import ArgumentParser
import Cairn

struct Unlabel: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "unlabel",
    abstract: "Withdraw your labels of a class.",
    discussion: HelpText.paragraphs(
      """
      EXAMPLES
        cairn unlabel 3fa9 oak
        cairn unlabel oak --find 'label:oak state:any by:me labeled:2024-05-01' --yes
      """))

  @OptionGroup var target: PhotosAndClass
  @Option(
    name: .customLong("as"),
    help: ArgumentHelp("Withdraw the labels of this model.", valueName: "model@version"))
  var model: String?
  @OptionGroup var bulk: BulkEditOptions
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let dataset = try globals.dataset()
    let (photos, name) = (try target.ids(in: dataset), target.className)
    let model = try model.map(annotator(model:))
    if bulk.dryRun || target.selection.isGiven {
      let changes =
        try model == nil ? dataset.verdictChanges(withdrawing: photos, name) : []
      let labeled =
        try model.map { try dataset.photos(photos, labeled: name, by: $0) } ?? changes.map(\.photo)
      if bulk.dryRun {
        let number = Set(labeled).count
        return Console.printDryRun(
          globals, ["photos": JSON(number)], ["Would unlabel \(count(number, "photo"))."])
      }
      try bulk.confirm("unlabel", labeled, changes)
    }
    let results = try dataset.unlabel(photos, name, annotator: model)
    results.print(
      globals, skipped: target.skipped(photos, results), reason: "\(name): not labeled")
  }
}
