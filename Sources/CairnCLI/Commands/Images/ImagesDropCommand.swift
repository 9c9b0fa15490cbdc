import ArgumentParser
import Cairn

struct ImagesDrop: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "drop", abstract: "Delete local images that a remote has.",
    discussion: HelpText.paragraphs(
      """
      Each image is deleted only after the remote confirms that it has it. The photos and their
      labels stay; `cairn images fetch` fetches the images again.

      EXAMPLES
        cairn images drop --find taken:..2024
        cairn images drop --all --remote origin
      """))

  @OptionGroup var selection: ImageSelection
  @OptionGroup var remote: RemoteOption
  @OptionGroup var dryRun: DryRunOption
  @OptionGroup var quiet: QuietOption
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let dataset = try globals.dataset(quiet)
    let photos = try selection.idsToChange(in: dataset)
    guard photos != nil || selection.all else {
      throw CairnError(
        .usage, "No images to drop were selected.",
        hint: "Give photos, `--pin`, `--find` or `--all`.")
    }
    if dryRun.isOn {
      try remote.check(in: dataset)
      let inventory = try dataset.imageInventory(of: photos)
      let images = count(inventory.here, "image")
      return dryRun.print(
        globals, ["bytes": JSON(inventory.bytesHere), "images": JSON(inventory.here)],
        [
          "Would drop up to \(images) (\(byteText(inventory.bytesHere))): "
            + "those that the remote has."
        ])
    }
    let bar = ProgressBar(globals, quiet)
    let report = try dataset.dropImages(of: photos, onRemote: remote.name, options: bar.options)
    bar.finish()
    Console.print(
      globals,
      [
        "bytes": JSON(report.bytes), "changed": .array(report.changed.map { .string($0) }),
        "dropped": JSON(report.dropped),
        "notOnRemote": .array(report.notOnRemote.map { .string($0.description) }),
      ]
    ) {
      quiet.print(
        "\(count(report.dropped, "image")) dropped, \(byteText(report.bytes)) freed.")
      if !report.notOnRemote.isEmpty {
        Console.print(
          "\(count(report.notOnRemote.count, "image")) kept, not on the remote: "
            + "`cairn images push` uploads them.")
      }
      for path in report.changed { Console.print("changed here, kept: \(Console.printable(path))") }
    }
  }
}
