internal import CairnFiles

/// The images below an import's directory, by the names that label files refer to them with.
struct ImageStems {
  /// Paths by path without extension; of several images, the first.
  private var byPath: [String: String] = [:]
  /// Paths by name without extension; nil for a name that several images have.
  private var byName: [String: String?] = [:]
  private var directories: Set<Substring> = []

  init(_ source: ImportReader) throws {
    for path in try source.paths(imageExtensions) {
      let stem = ImageStems.stem(of: path)
      byPath[stem] = byPath[stem] ?? path
      let name = String(stem.split(separator: "/").last ?? "")
      directories.insert(ImageStems.directory(of: stem))
      byName[name] = byName[name] == nil ? .some(path) : .some(nil)
    }
  }

  /// Returns a path without its extension.
  static func stem(of path: String) -> String {
    guard let dot = path.lastIndex(of: "."), !path[dot...].contains("/") else { return path }
    return String(path[..<dot])
  }

  private static func directory(of stem: String) -> Substring {
    stem[..<(stem.lastIndex(of: "/") ?? stem.startIndex)]
  }

  /// Returns whether there are images in the directory of this path.
  func hasDirectory(of stem: String) -> Bool {
    directories.contains(ImageStems.directory(of: stem))
  }

  /// Returns the path of the image with exactly this path without extension; nil when there is none.
  subscript(stem: String) -> String? { byPath[stem] }

  /// Returns the path of the image with this path without extension, otherwise of the only one with
  /// its name; nil when there is none.
  func path(_ stem: String) -> String? {
    if let path = byPath[stem] { return path }
    return byName[String(stem.split(separator: "/").last ?? "")] ?? nil
  }

  /// Returns a photo whose file a format names without its extension.
  func photo(_ stem: String, _ location: ImportedLocation) -> ImportedPhoto {
    path(stem).map { ImportedPhoto($0, location: location) }
      ?? ImageStems.missingPhoto(stem, location)
  }

  /// Returns a photo that is not below the directory, but may be in another one, which is given with
  /// the import.
  static func missingPhoto(_ stem: String, _ location: ImportedLocation) -> ImportedPhoto {
    let names = ["jpg", "jpeg", "png", "webp", "JPG", "JPEG", "PNG"].map { "\(stem).\($0)" }
    var photo = ImportedPhoto(names[0], location: location)
    photo.otherFiles = Array(names.dropFirst())
    return photo
  }
}
