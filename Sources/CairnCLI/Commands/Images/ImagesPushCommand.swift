import ArgumentParser
import Cairn

struct ImagesPush: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "push", abstract: "Upload all images that a remote does not have.",
    discussion: HelpText.paragraphs(
      """
      `cairn push` uploads only the images of new commits. This command checks all images; use it,
      for example, after changing the image URL of a remote.

      EXAMPLE
        cairn images push --remote origin
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
      let images = count(inventory.here, "image")
      return dryRun.print(
        globals, ["bytes": JSON(inventory.bytesHere), "images": JSON(inventory.here)],
        [
          "Would upload up to \(images) (\(byteText(inventory.bytesHere))): "
            + "those that the remote is missing."
        ])
    }
    let bar = ProgressBar(globals, quiet)
    let report = try dataset.sendImages(of: photos, to: remote.name, options: bar.options)
    bar.finish()
    Console.print(globals, quiet, ["bytes": JSON(report.bytes), "images": JSON(report.images)]) {
      Console.print(
        report.images == 0
          ? "The remote has all of them."
          : "\(count(report.images, "image")) uploaded (\(byteText(report.bytes))).")
    }
  }
}
