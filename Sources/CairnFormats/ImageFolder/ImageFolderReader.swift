internal import CairnDocument

/// A reader of one directory per class, with images at any depth, optionally below one directory
/// per subset. Source: torchvision `datasets/folder.py`; Ultralytics “Image Classification
/// Datasets”.
struct ImageFolderReader {
  private let source: ImportReader
  private let layout: FolderLayout?

  /// - Parameter layout: The kind of the top-level directories; nil to infer it from their names.
  init(_ source: ImportReader, _ layout: FolderLayout?) {
    (self.source, self.layout) = (source, layout)
  }

  func read() throws {
    if let file = source.file {
      throw FormatError(ImportedLocation(file), "it is a file, not a directory of classes")
    }
    let tops = try source.names(in: "", areDirectories: true)
    guard try areSubsets(tops) else { return try read("") }
    try reportStrayImages(in: "")
    for subset in tops { try read(subset) }
  }

  /// The usual names of subsets.
  private static let subsetNames: Set<String> = [
    "train", "training", "val", "valid", "validation", "test", "testing",
  ]

  /// Returns whether the top-level directories are subsets: all have the name of a subset, and
  /// contain directories and no images.
  private func areSubsets(_ tops: [String]) throws -> Bool {
    if let layout { return layout == .subsets }
    let names = ImageFolderReader.subsetNames
    guard !tops.isEmpty, tops.allSatisfy({ names.contains($0.lowercased()) }) else { return false }
    for top in tops {
      if try source.names(in: top, areDirectories: true).isEmpty { return false }
      if try !images(in: top).isEmpty { return false }
    }
    let list = tops.map { "“\($0)”" }.joined(separator: ", ")
    try source.note(
      "\(list): read as subsets with classes below; to read them as classes: `--folders classes`."
    )
    return true
  }

  private func images(in directory: String) throws -> [String] {
    try source.names(in: directory, areDirectories: false).filter {
      imageExtensions.contains($0.split(separator: ".").last?.lowercased() ?? "")
    }
  }

  private func reportStrayImages(in directory: String) throws {
    for name in try images(in: directory) {
      try source.problem(
        ImportedLocation(join(directory, name)), "an image outside of any class directory")
    }
  }

  /// - Parameter parent: The directory that contains the directories of classes.
  private func read(_ parent: String) throws {
    try reportStrayImages(in: parent)
    for name in try source.names(in: parent, areDirectories: true) {
      for path in try source.paths(in: join(parent, name), imageExtensions) {
        try source.photo(
          ImportedPhoto(path, labels: [ImportedLabel(name)], location: ImportedLocation(path)))
      }
    }
  }

  private func join(_ directory: String, _ name: String) -> String {
    directory.isEmpty ? name : "\(directory)/\(name)"
  }
}
