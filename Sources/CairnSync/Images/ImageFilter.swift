package import CairnDocument
internal import CairnFiles
internal import CairnGit
package import CairnStore
package import SystemPackage

/// A filter for git that turns images into pointers and back, where git-lfs is not installed.
///
/// Source: gitattributes(5), “filter”; Git LFS specification, “Intro”.
package struct ImageFilter {
  private let blobs: BlobStore
  private let files: FileSystem
  /// Called with an image that git adds and that was erased, so that it is not kept.
  package var onErased: (PhotoID) -> Void = { _ in }

  /// Returns the next piece of a file; nil at its end.
  typealias Source = () throws -> [UInt8]?
  typealias Sink = ([UInt8]) throws -> Void

  /// Creates the filter of the repository that git runs it for, whose work tree is `path`.
  package init(at path: FilePath, environment: Environment) throws {
    let directory = environmentVariable("GIT_DIR").map { path.pushing(FilePath($0)) } ?? path
    let repository = try Repository.open(directory, files: environment.files)
    blobs = try repository.blobStore(environment)
    files = environment.files
  }

  /// Reads an image, adds it to the blob store and writes its pointer; a pointer passes through.
  package func clean(_ input: FileDescriptor, _ output: FileDescriptor) throws {
    try clean(from: pieces(of: input), to: { _ = try output.writeAll($0) })
  }

  /// Reads a pointer and writes its image; the input passes through if it is not a pointer, or the
  /// image is not on this disk.
  package func smudge(_ input: FileDescriptor, _ output: FileDescriptor) throws {
    try smudge(from: pieces(of: input), to: { _ = try output.writeAll($0) })
  }

  func clean(from source: Source, to sink: Sink) throws {
    let (start, isComplete) = try beginning(of: source)
    if isComplete, start.isEmpty || Pointer(bytes: start) != nil { return try sink(start) }
    var first: [UInt8]? = start
    let staged = try blobs.stage {
      defer { first = nil }
      return try first ?? source()
    }
    if try blobs.isErased(staged.id) {
      // git gets the pointer, which it has already; the bytes are not kept.
      blobs.discard(staged)
      onErased(staged.id)
    } else {
      try blobs.install(staged)
    }
    try sink(Pointer(id: staged.id, size: staged.size).bytes)
  }

  func smudge(from source: Source, to sink: Sink) throws {
    let (start, isComplete) = try beginning(of: source)
    if isComplete, let pointer = Pointer(bytes: start),
      try blobs.size(of: pointer.id) == pointer.size
    {
      try files.forEachPiece(of: blobs.path(of: pointer.id)) { try sink(Array($0)) }
      return
    }
    try sink(start)
    while let piece = try source() { try sink(piece) }
  }

  /// Reads up to the maximum size of a pointer, and returns whether that was the whole file.
  private func beginning(of source: Source) throws -> (bytes: [UInt8], isComplete: Bool) {
    var bytes: [UInt8] = []
    while bytes.count < Pointer.sizeLimit {
      guard let piece = try source() else { return (bytes, true) }
      bytes += piece
    }
    return (bytes, false)
  }

  private func pieces(of input: FileDescriptor) -> Source {
    {
      var buffer = [UInt8](repeating: 0, count: 1 << 16)
      let count = try buffer.withUnsafeMutableBytes { try input.read(into: $0) }
      return count == 0 ? nil : Array(buffer.prefix(count))
    }
  }
}
