import ArgumentParser
import Cairn

/// Reads a query as people type it: files that it names are relative to where they are.
func photoQuery(_ text: String) throws(CairnError) -> PhotoQuery {
  try PhotoQuery(text, in: currentDirectory())
}

/// Photos that a query or a pin stands for, wherever a set of photos is meant.
struct PhotoSelection: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Photos matching this query.", valueName: "query"))
  var find: String?
  @Option(help: ArgumentHelp("The photos of a pin.", valueName: "pin")) var pin: String?

  var isGiven: Bool { find != nil || pin != nil }

  /// What is asked for; nil when nothing is. Given both, both must hold.
  func query() throws -> PhotoQuery? {
    let parts = [pin.map { PhotoQuery.term(.pin($0)) }, try find.map { try photoQuery($0) }]
      .compactMap(\.self)
    return parts.isEmpty ? nil : .all(parts)
  }

  /// - Returns: Nil when nothing is asked for.
  func ids(in dataset: Dataset) throws -> [PhotoID]? { try query().map { try dataset.find($0) } }

  /// Returns the photos that are to be changed; nil when nothing is asked for.
  func idsToChange(in dataset: Dataset) throws -> [PhotoID]? {
    try query().map(dataset.photosToChange)
  }
}

/// Photos by name, or those that a query stands for.
struct PhotoArguments: ParsableArguments {
  @Argument(help: "Unique prefixes of their ids, or the paths of their files.")
  var photos: [String] = []
  @OptionGroup var selection: PhotoSelection

  func validate() throws {
    if photos.isEmpty != selection.isGiven {
      throw ValidationError("Give photos, or a query or pin in their place.")
    }
  }

  func ids(in dataset: Dataset) throws -> [PhotoID] {
    try selection.idsToChange(in: dataset)
      ?? photos.map { try dataset.photoID($0, relativeTo: currentDirectory()) }
  }
}

/// Photos, then a class; or a class alone, of the photos that a query stands for.
struct PhotosAndClass: ParsableArguments {
  @Argument(help: ArgumentHelp("Photos, then the class.", valueName: "photo… class"))
  var words: [String]
  @OptionGroup var selection: PhotoSelection

  func validate() throws {
    if selection.isGiven ? words.count != 1 : words.count < 2 {
      throw ValidationError(
        selection.isGiven
          ? "Give the class alone: a query or pin says which photos."
          : "Give photos and a class, such as `3fa9 oak`.")
    }
  }

  var className: String { words.last ?? "" }

  func ids(in dataset: Dataset) throws -> [PhotoID] {
    try selection.idsToChange(in: dataset)
      ?? words.dropLast().map { try dataset.photoID($0, relativeTo: currentDirectory()) }
  }
}
