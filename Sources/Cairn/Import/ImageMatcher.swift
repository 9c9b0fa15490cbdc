internal import CairnDocument
internal import CairnFiles
internal import CairnStore
internal import SystemPackage

/// Finds the images that imported files name, only within the given directories.
struct ImageMatcher {
  enum Outcome {
    case path(FilePath)
    case problem(String)
  }

  private let roots: [FilePath]
  /// The directory that all images must be in.
  private let top: FilePath
  /// The given directory of the images.
  private let images: FilePath?
  private var isGiven: Bool { images != nil }
  private let files: FileSystem

  /// - Parameters:
  ///   - path: The imported file or directory, with links resolved.
  ///   - images: The directory of the images; nil to look next to the imported files.
  init(_ path: FilePath, images: FilePath?, files: FileSystem) {
    self.files = files
    self.images = images
    if let images {
      (roots, top) = (ImageMatcher.roots(in: images), images)
      return
    }
    let top = files.directoryExists(path) ? path : path.removingLastComponent()
    var tops = [top]
    // Annotations are in a directory of their own next to the image directory.
    if ["annotations", "Annotations", "labels"].contains(top.lastComponent?.string ?? "") {
      tops.append(top.removingLastComponent())
    }
    self.top = tops.last!
    roots = tops.flatMap { ImageMatcher.roots(in: $0) }
  }

  /// Returns a directory and those below it in which programs put images.
  private static func roots(in directory: FilePath) -> [FilePath] {
    let names = [
      "images", "Images", "JPEGImages", "data", "train", "val", "valid", "test", "upload",
    ]
    return [directory] + names.map { directory.appending($0) }
  }

  /// Returns the photo id that a file is named after; nil if its name is not one.
  func id(named file: String) -> PhotoID? {
    let name = file.split(separator: "/").last ?? ""
    return PhotoID(String(name.prefix { $0 != "." }))
  }

  /// Returns the path of an image, trying its names in order.
  func path(of names: [String]) throws -> Outcome {
    let first = try path(of: names[0])
    if case .path = first { return first }
    let name = names[0].split(separator: "/").last ?? ""
    // Some tables name an image by an id, without the extension.
    let endings = name.isEmpty || name.contains(".") ? [] : ImageMatcher.extensions
    for name in names.dropFirst() + endings.map({ "\(names[0]).\($0)" }) {
      if case .path(let path) = try path(of: name) { return .path(path) }
    }
    return first
  }

  /// Returns the ends of a path on another computer, the longest first: `b/c.jpg`, `c.jpg`.
  private static func ends(of parts: [Substring]) -> [String] {
    let names = parts.filter { !["", ".", ".."].contains($0) && !$0.hasSuffix(":") }.suffix(32)
    return names.indices.map { names[$0...].joined(separator: "/") }
  }

  private static let extensions = [
    "jpg", "JPG", "jpeg", "JPEG", "png", "PNG", "webp", "heic", "HEIC",
  ]

  private func path(of file: String) throws -> Outcome {
    let parts = file.split(separator: "/", omittingEmptySubsequences: false)
    let isPlain = !file.isEmpty && file.utf8.count <= 4096 && !file.utf8.contains(0)
    guard isPlain, let name = parts.last, !name.isEmpty, name != "..", name != "." else {
      return .problem("“\(file.prefix(100))” cannot be the name of an image")
    }
    let isAbsolute = file.hasPrefix("/") || parts[0].hasSuffix(":")
    let isOutside = parts.contains("..") || isAbsolute && !FilePath(file).starts(with: top)
    if isOutside, !isGiven {
      return .problem(
        "“\(file.prefix(100))” is outside the directory; give the image directory with --image-dir")
    }
    let candidates =
      isOutside ? ImageMatcher.ends(of: parts) : isGiven ? [file, String(name)] : [file]
    var found: [FilePath] = []
    for root in roots {
      for candidate in candidates {
        let path = root.pushing(FilePath(candidate))
        guard try files.status(path) != nil, let target = files.resolve(path) else { continue }
        guard let top = files.resolve(top), target.starts(with: top) else {
          return .problem("“\(file.prefix(100))” is a link to a path outside the directory")
        }
        guard try files.status(target)?.kind == .regular else { continue }
        if !found.contains(target) { found.append(target) }
        break
      }
      // The given directory itself comes first.
      if !found.isEmpty, root == images { break }
    }
    if let path = found.first {
      if found.count == 1 { return .path(path) }
      // The same bytes are the same photo, at any path.
      let ids = Set(try found.map { try BlobStore.hash($0, files: files) })
      if ids.count == 1 { return .path(path) }
      return .problem("“\(file.prefix(100))” is in several directories, with different contents")
    }
    return .problem("there is no image “\(file.prefix(100))”, and no photo with that id")
  }
}
