import ArgumentParser
import Cairn
import CairnBase

/// The photo and the options of `cairn show` and `cairn photo show`.
struct ShowArguments: ParsableArguments {
  @Argument(help: "A unique prefix of the photo's id, or its file: a path or the original name.")
  var photo: String
  @Flag(help: "Show the image in the terminal.") var picture = false
  @Option(
    help: ArgumentHelp(
      "How to show images in the terminal (default: detected).", valueName: "protocol"))
  var via: TerminalImageProtocol?
  @Flag(help: "Open the image with CAIRN_VIEWER or the default program.") var open = false
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let dataset = try globals.dataset()
    let id = try dataset.photoID(photo, relativeTo: currentDirectory())
    let record = try dataset.show(id)
    if open { try ImageViewer.show(try dataset.imageFile(of: id)) }
    if picture || via != nil, !globals.json,
      let imageProtocol = TerminalImageProtocol.ofTerminal(preferring: via)
    {
      try printPicture(of: id, boxes: record.boxes, dataset, imageProtocol)
    }
    printPhoto(record, try dataset.erasure(of: id), try dataset.redaction(of: id), globals)
  }

  private func printPicture(
    of id: PhotoID, boxes: [NormalizedRect], _ dataset: Dataset,
    _ imageProtocol: TerminalImageProtocol
  ) throws {
    let terminal = TerminalImage(imageProtocol: imageProtocol, size: TerminalSize(of: 1))
    do throws(CairnError) {
      let picture = try dataset.picture(of: id, fitting: terminal.side)
      Console.write(terminal.sequence(of: picture, boxes: boxes))
    } catch {
      // The labels can be shown without the image.
      guard error.kind == .missingImage || error.kind == .erased else { throw error }
      Console.note(error.message)
    }
  }
}

extension PhotoRecord {
  /// The boxes of labels that assert that a class is present.
  fileprivate var boxes: [NormalizedRect] {
    labels.filter { $0.verdict == .present }.compactMap { $0.region?.box }
  }
}
