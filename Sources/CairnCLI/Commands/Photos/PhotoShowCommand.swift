import ArgumentParser
import Cairn

struct PhotoShow: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show a photo with its labels.",
    discussion: HelpText.paragraphs("EXAMPLE\n  cairn photo show 3fa9"))

  @Argument(help: "A unique prefix of its id, or the path of its file.") var photo: String
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let dataset = try globals.dataset()
    let id = try dataset.photoID(photo, relativeTo: currentDirectory())
    printPhoto(try dataset.show(id), globals)
  }
}
