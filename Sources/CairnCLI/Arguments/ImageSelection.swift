import ArgumentParser
import Cairn

/// The photos whose images a command uses.
struct ImageSelection: ParsableArguments {
  @Argument(help: "Unique prefixes of photo ids, or files: paths or original names.")
  var photos: [String] = []
  @OptionGroup var selection: PhotoSelection
  @Flag(help: "All photos.") var all = false

  func validate() throws {
    if [all, selection.isGiven, !photos.isEmpty].count(where: \.self) > 1 {
      throw ValidationError("Give only one of: photos, --find or --pin, and --all.")
    }
  }

  /// - Returns: Nil for all.
  func ids(in dataset: Dataset) throws -> [PhotoID]? {
    if let found = try selection.ids(in: dataset) { return found }
    if photos.isEmpty { return nil }
    return try photos.map { try dataset.photoID($0, relativeTo: currentDirectory()) }
  }
}
