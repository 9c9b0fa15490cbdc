import ArgumentParser
import Cairn

struct ImagesPush: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "push", abstract: "Upload all images that a remote is missing.",
    discussion: HelpText.paragraphs(
      """
      `cairn push` uploads the images of new commits only. This checks all images, for example after
      the image URL was changed.

      EXAMPLE
        cairn images push --remote origin
      """))

  @OptionGroup var selection: ImageSelection
  @Option(help: "The remote (default: the only one, or origin).") var remote: String?
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let dataset = try globals.dataset()
    let bar = ProgressBar(globals)
    let report = try dataset.sendImages(
      of: selection.ids(in: dataset), to: remote, options: bar.options)
    bar.finish()
    Console.print(globals, ["bytes": JSON(report.bytes), "images": JSON(report.images)]) {
      Console.print(
        report.images == 0
          ? "The remote has all of them."
          : "\(count(report.images, "image")) uploaded (\(byteText(report.bytes))).")
    }
  }
}
