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

  @OptionGroup var arguments: ImageTransferArguments

  func run() throws {
    let (globals, quiet) = (arguments.globals, arguments.quiet)
    let dataset = try globals.dataset(quiet)
    let photos = try arguments.selection.ids(in: dataset)
    if arguments.dryRun.isOn {
      let inventory = try dataset.imageInventory(of: photos)
      return try arguments.printDryRun(
        inventory.elsewhere, bytes: inventory.bytesElsewhere, in: dataset
      ) { "Would fetch \($0)." }
    }
    let report = try dataset.fetchImages(of: photos, from: arguments.remote.name)
    Console.print(globals, .object(JSONObject(report.members))) { report.print(quiet) }
    try report.endIfFailed(globals, isRequested: true)
  }
}
