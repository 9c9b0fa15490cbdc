import ArgumentParser
import Cairn

struct ImagesPush: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "push", abstract: "Upload all images that a remote does not have.",
    discussion: HelpText.paragraphs(
      """
      `cairn push` uploads only the images of new commits. This command checks all images; use it,
      for example, after changing the image URL of a remote.

      With --repair, the content of the images that the remote has is verified as well, by a
      checksum, as `cairn images drop` does, or by reading it, and damaged ones are replaced.

      EXAMPLES
        cairn images push --remote origin
        cairn images push --repair
        cairn images push --dry-run                 ask the remote which images it lacks
        cairn images push --bwlimit 500K            500 KiB a second at most
      """))

  @Flag(help: "Also verify the images that the remote has, and replace damaged ones.")
  var repair = false

  @OptionGroup var arguments: ImageTransferArguments

  func validate() throws {
    guard repair, arguments.dryRun.isOn else { return }
    throw ValidationError(
      "--repair cannot be combined with --dry-run: `cairn verify --with NAME --content` finds damaged "
        + "images.")
  }

  func run() throws {
    let globals = arguments.globals
    let dataset = try arguments.dataset()
    let photos = try arguments.selection.ids(in: dataset)
    if arguments.dryRun.isOn {
      let images = try dataset.imagesToSend(of: photos, to: arguments.remote.name)
      return try arguments.printDryRun(images.images, bytes: images.bytes, in: dataset) {
        "Would upload \($0)."
      }
    }
    let report = try dataset.sendImages(
      of: photos, to: arguments.remote.name, repairing: repair)
    Console.printChange(globals, ["bytes": JSON(report.bytes), "images": JSON(report.images)]) {
      Console.print(
        report.images == 0
          ? "The remote has all of them."
          : "\(count(report.images, "image")) uploaded (\(byteText(report.bytes))).")
    }
  }
}
