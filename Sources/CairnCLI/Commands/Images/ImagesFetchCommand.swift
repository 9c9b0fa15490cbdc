import ArgumentParser
import Cairn

struct ImagesFetch: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fetch", abstract: "Fetch missing images.",
    discussion: HelpText.paragraphs(
      """
      EXAMPLES
        cairn images fetch                      fetch all
        cairn images fetch --find state:disputed
        cairn images fetch 3fa9 --remote usb
      """))

  @OptionGroup var selection: ImageSelection
  @OptionGroup var remote: RemoteOption
  @OptionGroup var dryRun: DryRunOption
  @OptionGroup var quiet: QuietOption
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let dataset = try globals.dataset(quiet)
    let photos = try selection.ids(in: dataset)
    if dryRun.isOn {
      try remote.check(in: dataset)
      let inventory = try dataset.imageInventory(of: photos)
      let images = count(inventory.elsewhere, "image")
      return dryRun.print(
        globals, ["bytes": JSON(inventory.bytesElsewhere), "images": JSON(inventory.elsewhere)],
        ["Would fetch \(images) (\(byteText(inventory.bytesElsewhere)))."])
    }
    let bar = ProgressBar(globals, quiet)
    let report = try dataset.fetchImages(of: photos, from: remote.name, options: bar.options)
    bar.finish()
    Console.print(globals, .object(JSONObject(report.members))) { report.print(quiet) }
    try report.endIfFailed(globals)
    if report.left > 0 { throw ExitCode(CairnError.Kind.missingImage.exitCode) }
  }
}
