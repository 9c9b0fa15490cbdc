import ArgumentParser
import Cairn

/// The options of commands that take a set of photos: a query, a pin, or both.
struct PhotoSelection: ParsableArguments {
  @Option(name: FindOption.name, parsing: .unconditional, help: FindOption.help)
  private var find: String?
  @Option(help: ArgumentHelp("Photos assigned to this pin.", valueName: "pin")) var pin: String?

  var isGiven: Bool { find != nil || pin != nil }

  /// Returns the query of the given options, which must all match; nil if none is given.
  ///
  /// - Throws: ``CairnError/Kind/invalidInput`` when `--find` is empty.
  func query() throws -> PhotoQuery? {
    let found = try find.map { try photoQuery($0).selecting() }
    let parts = [pin.map { PhotoQuery.pin($0) }, found].compactMap(\.self)
    return parts.isEmpty ? nil : .all(parts)
  }

  /// - Returns: Nil if no option is given.
  func ids(in dataset: Dataset) throws -> [PhotoID]? { try query().map { try dataset.find($0) } }

  /// Returns the photos to change; nil if no option is given.
  func idsToChange(in dataset: Dataset) throws -> [PhotoID]? {
    try query().map(dataset.photosToChange)
  }
}

/// Photos, given one by one or by options.
struct PhotoArguments: ParsableArguments {
  @Argument(help: "Unique prefixes of photo ids, or files: paths or original names.")
  var photos: [String] = []
  @OptionGroup var selection: PhotoSelection

  func validate() throws {
    if photos.isEmpty != selection.isGiven {
      throw ValidationError("Give photos, or --find or --pin instead.")
    }
  }

  func ids(in dataset: Dataset) throws -> [PhotoID] {
    try selection.idsToChange(in: dataset)
      ?? photos.map { try dataset.photoID($0, relativeTo: currentDirectory()) }
  }
}

/// Photos, then a class; or only a class, for the photos that options select.
struct PhotosAndClass: ParsableArguments {
  @Argument(help: ArgumentHelp("Photos, then the class.", valueName: "photo… class"))
  var arguments: [String]
  @OptionGroup var selection: PhotoSelection

  func validate() throws {
    if selection.isGiven ? arguments.count != 1 : arguments.count < 2 {
      throw ValidationError(
        selection.isGiven
          ? "With --find or --pin, give only the class."
          : "Give photos and a class, such as `3fa9 oak`.")
    }
  }

  var className: String { arguments.last ?? "" }

  /// Returns the photos that were named one by one and have no result, each once.
  func skipped(_ photos: [PhotoID], _ results: [LabelResult]) -> [PhotoID] {
    if selection.isGiven { return [] }
    var seen = Set(results.map(\.label.photo))
    return photos.filter { seen.insert($0).inserted }
  }

  func ids(in dataset: Dataset) throws -> [PhotoID] {
    try selection.idsToChange(in: dataset)
      ?? arguments.dropLast().map { try dataset.photoID($0, relativeTo: currentDirectory()) }
  }
}
