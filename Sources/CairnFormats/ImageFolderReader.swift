internal import CairnDocument

/// A directory for each class, with images at any depth below it. Source: torchvision
/// `datasets/folder.py`.
struct ImageFolderReader {
  private let source: ForeignSource
  private let depth: Int

  /// - Parameter depth: How many directories, those of the parts, stand above those of the classes.
  init(_ source: ForeignSource, depth: Int) { (self.source, self.depth) = (source, depth) }

  func read() throws {
    if let file = source.file {
      throw FormatError(ForeignPlace(file), "it is a file, not a directory of classes")
    }
    if depth == 0 { return try read("") }
    for part in try source.names(in: "", areDirectories: true) { try read(part) }
  }

  private func read(_ part: String) throws {
    let stray = try source.names(in: part, areDirectories: false).filter {
      imageExtensions.contains($0.split(separator: ".").last?.lowercased() ?? "")
    }
    for name in stray {
      try source.problem(ForeignPlace(join(part, name)), "an image that lies in no class")
    }
    for name in try source.names(in: part, areDirectories: true) {
      for path in try source.paths(in: join(part, name), imageExtensions) {
        try source.photo(
          ForeignPhoto(path, labels: [ForeignLabel(name)], place: ForeignPlace(path)))
      }
    }
  }

  private func join(_ directory: String, _ name: String) -> String {
    directory.isEmpty ? name : "\(directory)/\(name)"
  }
}
