import ArgumentParser
import Cairn

struct ImagesStatus: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Count the images on this disk and those that are missing.",
    discussion: HelpText.paragraphs(
      """
      EXAMPLES
        cairn images status
        cairn images status --pin harbor
      """))

  @OptionGroup var selection: ImageSelection
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let dataset = try globals.dataset()
    let inventory = try dataset.imageInventory(of: selection.ids(in: dataset))
    Console.print(
      globals,
      [
        "bytesElsewhere": JSON(inventory.bytesElsewhere), "bytesHere": JSON(inventory.bytesHere),
        "elsewhere": JSON(inventory.elsewhere), "erased": JSON(inventory.erased),
        "here": JSON(inventory.here),
      ]
    ) {
      let here = count(inventory.here, "image")
      Console.print("\(here) on this disk (\(byteText(inventory.bytesHere))).")
      if inventory.elsewhere > 0 {
        Console.print(
          "\(inventory.elsewhere) elsewhere (\(byteText(inventory.bytesElsewhere))): "
            + "`cairn images fetch` fetches them.")
      }
      if inventory.erased > 0 { Console.print("\(inventory.erased) erased.") }
    }
  }
}
