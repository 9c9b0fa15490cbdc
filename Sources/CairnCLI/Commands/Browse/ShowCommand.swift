import ArgumentParser
import Cairn

struct Show: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Show a photo with its labels and their resolution.",
    discussion: HelpText.paragraphs(
      """
      `--picture` shows the image in the terminal: with the kitty or iTerm2 protocol, as sixels if
      libsixel is installed, or otherwise with block characters.

      EXAMPLES
        cairn show 3fa9
        cairn show 3fa9 --picture
        cairn show 3fa9 --open
      """))

  @Argument(help: "A unique prefix of its id, or the path of its file.") var photo: String
  @Flag(help: "Show the image in the terminal.") var picture = false
  @Option(
    help: ArgumentHelp(
      "kitty, iterm, sixel or blocks (default: detected).", valueName: "protocol"))
  var via: TerminalImageProtocol?
  @Flag(help: "Open the image in the default viewer.") var open = false
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let dataset = try globals.dataset()
    let id = try dataset.photoID(photo, relativeTo: currentDirectory())
    let record = try dataset.show(id)
    if open { try ImageViewer.show(try dataset.imageFile(of: id)) }
    if picture || via != nil, !globals.json,
      let imageProtocol = TerminalImageProtocol.ofTerminal(preferring: via)
    {
      try printPicture(of: id, dataset, imageProtocol)
    }
    printPhoto(record, globals)
  }

  private func printPicture(
    of id: PhotoID, _ dataset: Dataset, _ imageProtocol: TerminalImageProtocol
  ) throws {
    let terminal = TerminalImage(imageProtocol: imageProtocol, size: TerminalSize(of: 1))
    do throws(CairnError) {
      let picture = try dataset.picture(of: id, fitting: terminal.side)
      Console.write(terminal.sequence(of: picture))
    } catch {
      // The labels can be shown without the image.
      guard error.kind == .missingImage else { throw error }
      Console.note(error.message)
    }
  }
}
