import ArgumentParser
import Cairn
import SystemPackage

struct ExportFeatures: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "features",
    abstract: "Export the features that models are trained on, as NumPy arrays.",
    discussion: HelpText.paragraphs(
      """
      Writes features.npy, with a row of 32-bit floats for each photo, and photos.csv, with the ids of
      the photos in the order of the rows. `cairn export csv` writes their labels. Features that are
      not cached are computed. With --features, they are the output of an ONNX model, as in `cairn
      train`.

      EXAMPLES
        cairn export features ../features
        cairn export features ../features --find state:confirmed --features dinov2.onnx
      """))

  @Argument(help: ArgumentHelp("An empty or new directory.", valueName: "dir"))
  var target: String
  @OptionGroup var selection: PhotoSelection
  @OptionGroup var model: FeatureOptions
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let dataset = try globals.dataset()
    let report = try dataset.exportFeatures(
      to: currentDirectory().pushing(FilePath(target)), of: try selection.query() ?? .everything,
      features: model.file, library: model.libraryPath)
    let left = report.missingImages.count + report.undecodableImages.count
    let erased = report.erasedImages.count
    Console.print(
      globals,
      [
        "directory": .string(target),
        "erasedImages": .array(report.erasedImages.map { .string($0.description) }),
        "features": JSON(report.features),
        "kind": .string(report.kind), "photos": JSON(report.photos),
        "missingImages": .array(report.missingImages.map { .string($0.description) }),
        "undecodableImages": .array(report.undecodableImages.map { .string($0.description) }),
      ]
    ) {
      globals.print(
        "Wrote \(report.features) features of \(count(report.photos, "photo")) to "
          + "\(Console.printable(target)).")
      if left > 0 {
        Console.note(
          "\(count(left, "photo")) left out: the image is not on this disk or cannot be decoded.")
      }
      if erased > 0 { Console.note("\(count(erased, "photo")) left out: the image was erased.") }
    }
  }
}
