package import CairnDocument
internal import CairnFiles
package import SystemPackage

/// The handling of images in an export.
public enum ImagePolicy: String, Sendable, CaseIterable {
  case copy, link
  /// Images stay in the dataset and are referred to by their paths there.
  case none
}

/// The source of the images of an export.
package struct ImageSource {
  package var policy: ImagePolicy
  /// Returns the path of a photo's image; nil when it is not on this disk.
  package var path: (AnnotatedPhoto) throws -> FilePath?
  /// The photos whose images were erased.
  package var erased: Set<PhotoID>
  /// Returns the bytes to write instead of the image's own; nil to copy or link it unchanged.
  package var replacement: ((FilePath, AnnotatedPhoto) throws -> [UInt8]?)?

  package init(
    _ policy: ImagePolicy, path: @escaping (AnnotatedPhoto) throws -> FilePath?,
    erased: Set<PhotoID>, replacement: ((FilePath, AnnotatedPhoto) throws -> [UInt8]?)? = nil
  ) {
    (self.policy, self.path) = (policy, path)
    (self.erased, self.replacement) = (erased, replacement)
  }

  /// Returns the reason why a photo is exported without its image; nil if the export includes it, or
  /// no images at all.
  private func loss(of photo: AnnotatedPhoto) throws -> LossReport.Kind? {
    if try policy == .none || path(photo) != nil { return nil }
    return erased.contains(photo.id) ? .erasedImage : .image
  }

  /// Returns the part of a photo that a format can hold, and whether its image is exported; nil if
  /// the photo is left out.
  func fitted(
    _ photo: AnnotatedPhoto, as format: ExportFormat, to limits: FormatCapabilities,
    _ leftOut: inout LossReport
  ) throws -> (photo: AnnotatedPhoto, hasImage: Bool)? {
    let loss = try self.loss(of: photo)
    if let loss, format.isMadeOfImages {
      leftOut.add(loss)
      return nil
    }
    guard let fitted = photo.fitted(to: limits, &leftOut) else { return nil }
    if let loss { leftOut.add(loss) }
    return (fitted, policy != .none && loss == nil)
  }
}

/// The directory that a format is written to.
final class FormatOutput {
  let root: FilePath
  let files: FileSystem
  let images: ImageSource
  /// The name of the dataset.
  let title: String
  private var directories: Set<String> = [""]

  init(_ root: FilePath, files: FileSystem, images: ImageSource, title: String) {
    (self.root, self.files, self.images, self.title) = (root, files, images, title)
  }

  /// Creates a file that is written piece by piece.
  func open(_ path: String) throws -> OutputFile {
    try OutputFile(try filePath(path), files)
  }

  /// Creates a file with these bytes.
  func write(_ bytes: [UInt8], to path: String) throws {
    try files.create(try filePath(path), bytes)
  }

  func append(_ bytes: [UInt8], to path: String) throws {
    try files.append(bytes, to: try filePath(path))
  }

  /// Copies or links a photo's image into a directory.
  ///
  /// - Returns: The path of the image; in the dataset when the images stay there, or it has none.
  func placeImage(_ photo: AnnotatedPhoto, in directory: String) throws -> String {
    guard images.policy != .none, let source = try images.path(photo) else {
      return DocumentPath.image(photo.id, photo.image.format).description
    }
    let path = directory.isEmpty ? photo.fileName : "\(directory)/\(photo.fileName)"
    if let bytes = try images.replacement?(source, photo) {
      try write(bytes, to: path)
    } else if images.policy == .link {
      try files.share(source, at: try filePath(path))
    } else {
      try files.copy(source, to: try filePath(path))
    }
    return path
  }

  /// Calls `body` with the size of a photo's image and a function that passes on its bytes in
  /// pieces.
  func readImage(
    _ photo: AnnotatedPhoto,
    _ body: (_ size: Int, _ pieces: ((UnsafeRawBufferPointer) throws -> Void) throws -> Void) throws
      -> Void
  ) throws {
    guard let source = try images.path(photo) else { return }
    if let bytes = try images.replacement?(source, photo) {
      return try body(bytes.count) { take in try bytes.withUnsafeBytes { try take($0) } }
    }
    let size = try files.status(source)?.size ?? 0
    try body(Int(size)) { take in _ = try files.forEachPiece(of: source, take) }
  }

  /// Returns the path on disk of a file in this directory, and creates its parent directory.
  private func filePath(_ path: String) throws -> FilePath {
    let filePath = root.pushing(FilePath(path))
    let directory = path.split(separator: "/").dropLast().joined(separator: "/")
    if directories.insert(directory).inserted {
      try files.createDirectory(above: filePath)
    }
    return filePath
  }
}

/// A file that is written piece by piece, through a buffer.
final class OutputFile {
  let path: FilePath
  private let files: FileSystem
  private let file: FileDescriptor
  private var bytes: [UInt8] = []
  private var isOpen = true
  /// The number of bytes written, including buffered ones.
  private(set) var count = 0

  private static let limit = 1 << 17

  init(_ path: FilePath, _ files: FileSystem) throws {
    (self.path, self.files) = (path, files)
    file = try files.createNew(path)
  }

  deinit { if isOpen { try? file.close() } }

  func write(_ text: String) throws { try write(text.utf8) }

  func write(_ more: some Sequence<UInt8>) throws {
    let before = bytes.count
    bytes.append(contentsOf: more)
    count += bytes.count - before
    if bytes.count >= OutputFile.limit { try flush() }
  }

  /// Writes a value without white space.
  func write(_ json: JSON) throws {
    let before = bytes.count
    JSON.appendLine(ofCanonical: json.canonicalBytes, to: &bytes)
    bytes.removeLast()
    count += bytes.count - before
    if bytes.count >= OutputFile.limit { try flush() }
  }

  private func flush() throws {
    try files.writeAll(bytes, to: file, path)
    bytes.removeAll(keepingCapacity: true)
  }

  func close() throws {
    try flush()
    isOpen = false
    try file.close()
  }

  /// Appends the contents of another file, then closes and removes it.
  func take(_ other: OutputFile) throws {
    try other.close()
    try files.forEachPiece(of: other.path) { try write($0) }
    try files.remove(other.path)
  }
}

/// A JSON array written one element per line.
final class ArrayOutput {
  let file: OutputFile
  private var isEmpty = true

  init(_ file: OutputFile) { self.file = file }

  func write(_ element: JSON) throws {
    try file.write(isEmpty ? "\n" : ",\n")
    isEmpty = false
    try file.write(element)
  }
}
