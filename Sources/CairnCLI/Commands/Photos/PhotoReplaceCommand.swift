import ArgumentParser
import Cairn

struct PhotoReplace: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replace",
    abstract: "Replace photos with others from a source, at the same pins.",
    discussion: HelpText.paragraphs(
      """
      Each photo is removed only after its replacement has been fetched, so nothing is lost if the
      connection fails. The labels of a replaced photo are kept, and `cairn photo restore` restores
      the photo.

      Without --text, a photo from dog.ceo is replaced by one of the same breed. For any other photo,
      the source is searched around the pin, with the text that found the photo. If there is neither
      pin nor text, the photo's title is searched for.

      EXAMPLES
        cairn photo replace 3fa9 c4d0
        cairn photo replace 3fa9 --source commons --text harbor
      """))

  @OptionGroup var target: PhotoArguments
  @Option(
    help: ArgumentHelp("The source (default: each photo's own).", valueName: "source"))
  var source: SourceArgument?
  @OptionGroup var query: SourceQueryArguments
  @OptionGroup var bulk: BulkEditOptions
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let source = try source?.name()
    let dataset = try globals.dataset()
    let ids = try target.ids(in: dataset)
    let request = try query.request(source ?? .commons)
    if bulk.dryRun {
      return Console.printDryRun(
        globals, ["photos": JSON(ids.count)], ["Would replace \(count(ids.count, "photo"))."])
    }
    if target.selection.isGiven { try bulk.confirm("replace", ids) }
    let report = try SignalHandling.watch {
      try dataset.replacePhotos(ids, from: source, like: request)
    }
    try report.finish(globals, wanted: ids.count)
  }
}
