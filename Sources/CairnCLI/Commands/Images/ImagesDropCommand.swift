import ArgumentParser
import Cairn

struct ImagesDrop: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "drop", abstract: "Delete local images that a remote has.",
    discussion: HelpText.paragraphs(
      """
      Each image is deleted only after its content on the remote has been verified: by a checksum
      that an S3 server keeps or a machine with sftp computes, otherwise by reading it, which costs
      a download. With --trust-size, a file of the right size is enough. The photos and their labels
      stay; `cairn images fetch` fetches the images again.

      EXAMPLES
        cairn images drop --find taken:..2024
        cairn images drop --all --remote origin
      """))

  @Flag(help: "Do not verify the content of the remote's images, only their size.")
  var trustSize = false
  @OptionGroup var arguments: ImageTransferArguments

  func run() throws {
    let globals = arguments.globals
    let dataset = try arguments.dataset()
    let photos = try arguments.selection.ids(in: dataset)
    guard photos != nil || arguments.selection.all else {
      throw CairnError(
        .usage, "No images to drop were selected.",
        hint: "Give photos, `--pin`, `--find` or `--all`.")
    }
    if arguments.dryRun.isOn {
      let inventory = try dataset.imageInventory(of: photos)
      return try arguments.printDryRun(inventory.here, bytes: inventory.bytesHere, in: dataset) {
        "Would drop up to \($0): those that the remote has."
      }
    }
    let report = try dataset.dropImages(
      of: photos, onRemote: arguments.remote.name, trustsSize: trustSize)
    Console.print(
      globals,
      [
        "bytes": JSON(report.bytes), "changed": .array(report.changed.map { .string($0) }),
        "damaged": .array(report.damaged.map { .string($0.description) }),
        "dropped": JSON(report.dropped),
        "notOnRemote": .array(report.notOnRemote.map { .string($0.description) }),
      ]
    ) {
      globals.print(
        "\(count(report.dropped, "image")) dropped, \(byteText(report.bytes)) freed.")
      if !report.notOnRemote.isEmpty {
        Console.print(
          "\(count(report.notOnRemote.count, "image")) kept, not on the remote: "
            + "`cairn images push` uploads them.")
      }
      if !report.damaged.isEmpty {
        Console.print(
          "\(count(report.damaged.count, "image")) kept, damaged on the remote: "
            + "`cairn images push --repair` replaces them.")
      }
      for path in report.changed { Console.print("changed here, kept: \(Console.printable(path))") }
    }
  }
}
