internal import CairnDocument

/// A reader of one directory per class, with images at any depth, optionally below one directory
/// per split. Source: torchvision `datasets/folder.py`; Ultralytics “Image Classification
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
    guard try areParts(tops) else { return try read("") }
    try tellStray(in: "")
    for part in tops { try read(part) }
  }

  /// The usual names of splits.
  private static let parts: Set<String> = [
    "train", "training", "val", "valid", "validation", "test", "testing",
  ]

  /// Returns whether the top-level directories are splits: all have the name of a split, and
  /// contain directories and no images.
  private func areParts(_ tops: [String]) throws -> Bool {
    if let layout { return layout == .parts }
    guard !tops.isEmpty, tops.allSatisfy({ ImageFolderReader.parts.contains($0.lowercased()) })
    else { return false }
    for top in tops {
      if try source.names(in: top, areDirectories: true).isEmpty { return false }
      if try !images(in: top).isEmpty { return false }
    }
    let names = tops.map { "“\($0)”" }.joined(separator: ", ")
    try source.note(
      "\(names): taken for parts of the data, with the classes below; `--top classes` says otherwise."
    )
    return true
  }

  private func images(in directory: String) throws -> [String] {
    try source.names(in: directory, areDirectories: false).filter {
      imageExtensions.contains($0.split(separator: ".").last?.lowercased() ?? "")
    }
  }

  private func tellStray(in directory: String) throws {
    for name in try images(in: directory) {
      try source.problem(
        ImportedLocation(join(directory, name)), "an image outside of any class directory")
    }
  }

  private func read(_ part: String) throws {
    try tellStray(in: part)
    for name in try source.names(in: part, areDirectories: true) {
      for path in try source.paths(in: join(part, name), imageExtensions) {
        try source.photo(
          ImportedPhoto(path, labels: [ImportedLabel(name)], place: ImportedLocation(path)))
      }
    }
  }

  private func join(_ directory: String, _ name: String) -> String {
    directory.isEmpty ? name : "\(directory)/\(name)"
  }
}
