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
    let globals = arguments.globals
    let dataset = try arguments.dataset()
    let photos = try arguments.selection.ids(in: dataset)
    if arguments.dryRun.isOn {
      let images = try dataset.imagesToFetch(of: photos, from: arguments.remote.name)
      return try arguments.printDryRun(
        images.images, bytes: images.bytes, in: dataset, missing: images.missing
      ) {
        "Would fetch \($0)."
          + (images.missing > 0 ? " The remote does not have \(images.missing) more." : "")
      }
    }
    let report = try dataset.fetchImages(of: photos, from: arguments.remote.name)
    Console.print(globals, .object(JSONObject(report.members))) { report.print(globals) }
    try report.endIfFailed(globals, isRequested: true)
  }
}
