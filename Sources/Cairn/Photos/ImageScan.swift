internal import CairnDocument
package import CairnFiles
internal import CairnPhotos
public import SystemPackage

/// The files below a path, split into images and others.
public struct ImageScan: Sendable {
  /// Files that are images by their extension or by their first bytes, sorted by name; if a path
  /// names a file, that file, whatever it is.
  public private(set) var images: [FilePath] = []
  /// All other files, each with its type; folders only if their files were not looked at.
  public private(set) var skipped: [SkippedFile] = []
  /// Folders below the path that cannot be read; their files are in neither list.
  public private(set) var unreadable: [(folder: FilePath, error: CairnError)] = []

  /// A file that is not an image.
  public struct SkippedFile: Sendable {
    /// The path of the file.
    public let file: FilePath
    /// Its extension, what its contents look like, or why it was skipped: `hidden`.
    public let type: String
  }

  private let files: FileSystem

  /// Searches folders and all folders below them.
  ///
  /// The sidecars of images, which are read with them, are in neither list.
  public init(of paths: [FilePath]) throws(CairnError) {
    self = try translating { try ImageScan(of: paths, FileSystem()) }
  }

  package init(of paths: [FilePath], _ files: FileSystem) throws(FileError) {
    self.files = files
    for path in paths {
      if files.directoryExists(path) { try search(path) } else { images.append(path) }
    }
  }

  private mutating func search(_ folder: FilePath) throws(FileError) {
    let names = try files.list(folder)?.sorted() ?? []
    var sidecars: [FilePath] = []
    let first = images.count
    for name in names {
      let path = folder.appending(name)
      let kind = try files.status(path)?.kind
      if kind == nil {
        // Its name cannot be a Swift text; anything else was removed in the meantime.
        if name.contains("\u{FFFD}") {
          skipped.append(SkippedFile(file: path, type: "name that is not UTF-8"))
        }
      } else if name.hasPrefix(".") {
        skipped.append(
          SkippedFile(file: path, type: kind == .directory ? "hidden folder" : "hidden"))
      } else if kind == .directory {
        try searchIfReadable(path)
      } else if kind != .regular {
        skipped.append(
          SkippedFile(file: path, type: kind == .symlink ? "symbolic link" : "special file"))
      } else if path.extension?.lowercased() == "xmp" {
        sidecars.append(path)
      } else if let type = typeOfOther(path) {
        skipped.append(SkippedFile(file: path, type: type))
      } else {
        images.append(path)
      }
    }
    addUnused(sidecars, in: folder, images[first...])
  }

  /// Searches a folder below another one; the rest is searched even if it cannot be read.
  private mutating func searchIfReadable(_ folder: FilePath) throws(FileError) {
    do throws(FileError) {
      try search(folder)
    } catch {
      guard error.isOfOneFile else { throw error }
      unreadable.append((folder, CairnError(error)))
    }
  }

  /// Returns the type of a file that is not an image: its extension, otherwise what its first bytes
  /// look like; nil for an image.
  private func typeOfOther(_ file: FilePath) -> String? {
    let suffix = file.extension ?? ""
    if ImageFormat.knownExtensions.contains(suffix.lowercased()) { return nil }
    let head = (try? files.withReader(of: file) { try $0(0, ImageLimit.textSearched) }) ?? []
    let content = head.withUnsafeBytes { FileContent(of: $0) }
    if case .image = content { return nil }
    let isUsual = 1...8 ~= suffix.utf8.count && suffix.allSatisfy { $0.isLetter || $0.isNumber }
    if isUsual { return suffix.uppercased() }
    guard case .other(let name?) = content else { return "unknown" }
    return name
  }

  /// Adds the sidecars that belong to no image.
  private mutating func addUnused(
    _ sidecars: [FilePath], in folder: FilePath, _ images: ArraySlice<FilePath>
  ) {
    if sidecars.isEmpty { return }
    var stems: Set<String> = []
    for image in images where image.removingLastComponent() == folder {
      if let name = image.lastComponent?.string { stems.insert(name) }
      if let stem = image.stem { stems.insert(stem) }
    }
    for sidecar in sidecars where !stems.contains(sidecar.stem ?? "") {
      skipped.append(SkippedFile(file: sidecar, type: "XMP"))
    }
  }
}
