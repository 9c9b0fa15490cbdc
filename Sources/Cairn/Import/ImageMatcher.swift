internal import CairnDocument
internal import CairnFiles
internal import CairnFormats
internal import CairnStore
internal import SystemPackage

/// Finds the images that imported files name, only within the given directories.
struct ImageMatcher {
  enum Outcome {
    case path(FilePath)
    case problem(String)
  }

  /// A directory that images may be in.
  private struct Root {
    let path: FilePath
    /// The subset whose images it has; nil unless its name says that.
    let subset: Subset?
  }

  private enum Subset { case train, validation, test }

  private let roots: [Root]
  /// The directory that all images must be in.
  private let top: FilePath
  /// The given directory of the images.
  private let images: FilePath?
  private var isGiven: Bool { images != nil }
  private let files: FileSystem
  /// What led to each image, by the hash of its path.
  private var claims: [Int: Claim] = [:]

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
  private static func roots(in directory: FilePath) -> [Root] {
    let names = [
      "images", "Images", "JPEGImages", "data", "train", "val", "valid", "test", "upload",
    ]
    return [Root(path: directory, subset: nil)]
      + names.map { Root(path: directory.appending($0), subset: subset(named: $0[...])) }
  }

  /// Returns the subset that a directory such as `val2017` is named after.
  private static func subset(named directory: Substring) -> Subset? {
    switch directory.prefix(while: \.isLetter).lowercased() {
    case "train", "training": .train
    case "val", "valid", "validation": .validation
    case "test", "testing": .test
    default: nil
    }
  }

  /// Returns the photo id that a file is named after; nil if its name is not one.
  func id(named file: String) -> PhotoID? {
    let name = file.split { $0 == "/" || $0 == "\\" }.last ?? ""
    return PhotoID(String(name.prefix { $0 != "." }))
  }

  /// Returns the path of a photo's image, trying its names in order. Of two different photos that
  /// lead to the same image, at least one by a part of its name, the second is a problem.
  mutating func path(of photo: ImportedPhoto) throws -> Outcome {
    var names = photo.names
    // Some tables name an image by an id, without the extension.
    let last = photo.file.split(separator: "/").last ?? ""
    if !last.isEmpty, !last.contains(".") {
      names += ImageMatcher.extensions.map { "\(photo.file).\($0)" }
    }
    // Beside the file that names it, before any other directory.
    if photo.directory != nil, !isGiven,
      case .image(let image) = try search(names[0], in: [roots[0].path])
    {
      return try outcome(image, of: photo)
    }
    let roots = roots(for: names)
    var problem: String?
    for name in names {
      switch try search(name, in: roots) {
      case .image(let image): return try outcome(image, of: photo)
      case .missing: break
      case .problem(let message): if !name.isEmpty { problem = problem ?? message }
      }
    }
    return .problem(
      problem ?? "there is no image “\(photo.file.prefix(100))”, and no photo with that id")
  }

  private mutating func outcome(_ image: Image, of photo: ImportedPhoto) throws -> Outcome {
    if let count = photo.byteCount, let size = try files.status(image.target)?.size, size != count {
      return .problem(
        "“\(photo.file.prefix(100))” has \(size) bytes, but the labeled image had \(count)")
    }
    return claim(image, for: photo)
  }

  private static let extensions = [
    "jpg", "JPG", "jpeg", "JPEG", "png", "PNG", "webp", "heic", "HEIC",
  ]

  // MARK: Search

  private struct Image {
    /// The path with links resolved.
    let target: FilePath
    /// The path that was looked for.
    let path: FilePath
  }

  private enum Found {
    case image(Image)
    case missing
    case problem(String)
  }

  /// Returns the directories to look in: the photos of one subset are not in that of another.
  private func roots(for names: [String]) -> [FilePath] {
    let subset = names.lazy.compactMap { name in
      name.split { $0 == "/" || $0 == "\\" }.dropLast()
        .lazy.compactMap(ImageMatcher.subset(named:)).last
    }.first
    return roots.filter { subset == nil || $0.subset == nil || $0.subset == subset }.map(\.path)
  }

  /// Returns the image with a name; if there is none, the one with the same path in the notation of
  /// Windows.
  private func search(_ name: String, in roots: [FilePath]) throws -> Found {
    let written = try searchExactly(name, in: roots)
    guard case .missing = written, name.utf8.contains(UInt8(ascii: "\\")) else { return written }
    return try searchExactly(name.replacing("\\", with: "/"), in: roots)
  }

  private func searchExactly(_ file: String, in roots: [FilePath]) throws -> Found {
    var parts = file.split(separator: "/", omittingEmptySubsequences: false)
    let isPlain = !file.isEmpty && file.utf8.count <= 4096 && !file.utf8.contains(0)
    guard isPlain, let name = parts.last, !name.isEmpty, name != "..", name != "." else {
      return .problem("“\(file.prefix(100))” cannot be the name of an image")
    }
    var isAbsolute = file.hasPrefix("/")
    // Readers put the directory of their file before a name, even before `C:/`.
    let drive = parts.indices.last {
      parts[$0].hasSuffix(":") && ($0 == 0 || parts[$0].count == 2)
    }
    if let drive {
      isAbsolute = true
      parts.removeSubrange(...drive)
    }
    let path = FilePath(file).lexicallyNormalized()
    let isOutside =
      isAbsolute ? !path.starts(with: top) : path.components.first?.kind == .parentDirectory
    if isOutside, !isGiven {
      return .problem(
        "“\(file.prefix(100))” is outside the directory; give the image directory with --image-dir")
    }
    var candidates = isGiven ? ImageMatcher.ends(of: parts) : []
    if !isOutside, isAbsolute || !isGiven { candidates.insert(path, at: 0) }
    for candidate in candidates {
      let found = try image(at: candidate, in: roots)
      if case .missing = found { continue }
      return found
    }
    return .missing
  }

  /// Returns the ends of a path on another computer, the longest first: `b/c.jpg`, `c.jpg`.
  private static func ends(of parts: [Substring]) -> [FilePath] {
    let path = FilePath(parts.joined(separator: "/")).lexicallyNormalized()
    let names = path.components.filter { $0.kind == .regular }.suffix(32)
    return names.indices.map { FilePath(root: nil, names[$0...]) }
  }

  /// Returns the only image at a path in these directories.
  private func image(at candidate: FilePath, in roots: [FilePath]) throws -> Found {
    func problem(_ what: String) -> Found { .problem("“\(candidate.string.prefix(100))” \(what)") }
    var images: [Image] = []
    for root in roots {
      let path = root.pushing(candidate)
      guard try files.status(path) != nil, let target = files.resolve(path) else { continue }
      guard let top = files.resolve(top), target.starts(with: top) else {
        return problem("is a link to a path outside the directory")
      }
      guard try files.status(target)?.kind == .regular else { continue }
      if !images.contains(where: { $0.target == target }) {
        images.append(Image(target: target, path: path))
      }
      // The given directory itself comes first.
      if root == self.images { break }
    }
    guard let first = images.first else { return .missing }
    if images.count == 1 { return .image(first) }
    // The same bytes are the same photo, at any path.
    let ids = Set(try images.map { try BlobStore.hash($0.target, files: files) })
    if ids.count == 1 { return .image(first) }
    return problem("is in several directories, with different contents")
  }

  // MARK: Claims

  /// What led to an image first. It is kept small, since files may name a million.
  private struct Claim {
    /// The hash of the photo's whole name.
    let name: Int
    /// The hash of the observation that the photo is of.
    let observation: Int?
    /// Whether the image is where the whole name says.
    let isExact: Bool
  }

  private mutating func claim(_ image: Image, for photo: ImportedPhoto) -> Outcome {
    let name = ImageMatcher.components(ofName: photo.wholeName)
    let components = ImageMatcher.components(ofName: image.path.string)
    let claim = Claim(
      name: name.hashValue, observation: photo.observation?.hashValue,
      isExact: components.suffix(name.count).elementsEqual(name))
    guard let first = claims[image.target.hashValue] else {
      claims[image.target.hashValue] = claim
      return .path(image.target)
    }
    let isSame =
      first.name == claim.name || first.isExact && claim.isExact
      || first.observation != nil && first.observation == claim.observation
    if isSame { return .path(image.target) }
    let path = image.path.components.suffix(2).map(\.string).joined(separator: "/")
    return .problem(
      "“\(photo.wholeName.prefix(100))” and another name both lead to \(path.prefix(100)): one of "
        + "the two images is missing")
  }

  /// Returns the components of a name of any system, the last one without its extension.
  private static func components(ofName name: String) -> [String] {
    let path = FilePath(name.replacing("\\", with: "/")).lexicallyNormalized()
    var components = path.components.filter { $0.kind == .regular && !$0.string.hasSuffix(":") }
    guard let last = components.popLast() else { return [] }
    return components.map(\.string) + [last.stem]
  }
}
