import ArgumentParser
import Cairn

struct ImagesDrop: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "drop", abstract: "Delete local images that a remote has.",
    discussion: HelpText.paragraphs(
      """
      Each image is deleted only after the remote confirms that it has it. Photos and labels stay
      and work as before; `cairn images fetch` fetches the images again.

      EXAMPLES
        cairn images drop --find taken:..2024
        cairn images drop --all --remote origin
      """))

  @OptionGroup var selection: ImageSelection
  @Option(help: "The remote (default: the only one, or origin).") var remote: String?
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let dataset = try globals.dataset()
    let photos = try selection.idsToChange(in: dataset)
    guard photos != nil || selection.all else {
      throw CairnError(
        .invalidInput, "No images to drop were selected.",
        hint: "Give photos, `--pin`, `--find` or `--all`.")
    }
    let bar = ProgressBar(globals)
    let report = try dataset.dropImages(of: photos, heldBy: remote, options: bar.options)
    bar.finish()
    Console.print(
      globals,
      [
        "bytes": JSON(report.bytes), "changed": .array(report.changed.map { .string($0) }),
        "dropped": JSON(report.dropped),
        "notOnRemote": .array(report.notOnRemote.map { .string($0.description) }),
      ]
    ) {
      Console.print(
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
