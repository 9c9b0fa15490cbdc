internal import CairnDocument
internal import CairnFiles
internal import CairnPhotos
internal import CairnStore
internal import SystemPackage

/// Hashes and inspects single files without touching the rest of the dataset, on any thread.
struct PhotoLoader: Sendable {
  let directory: DatasetDirectory
  var makesPreviews = true
  /// Whether a sidecar may be a link.
  var followsLinks = true

  /// A file to add, with the result of hashing and inspecting it.
  struct Prepared: Sendable {
    let file: FilePath
    /// Fails with an ``ImageError`` if the file is not a complete image.
    let outcome: Result<Photo, any Error>
  }

  /// A staged copy of an image in the blob store, discarded on deinit if it was not installed.
  final class Copy: Sendable {
    let staged: BlobStore.Staged
    private let blobs: BlobStore

    init(_ file: FilePath, _ blobs: BlobStore) throws {
      (staged, self.blobs) = (try blobs.stage(file, recordingChecksum: true), blobs)
    }

    deinit { blobs.discard(staged) }
  }

  struct Photo: Sendable {
    let copy: Copy
    let image: ImageFacts
    /// Nil for a photo that is already in the dataset.
    var metadata: PhotoMetadata?
    var preview: Result<PhotoPreview, ImageError>?
    var notes: [String] = []

    var staged: BlobStore.Staged { copy.staged }
  }

  /// Maximum size of a sidecar in bytes.
  private static let sidecarLimit = 4 << 20

  private var files: FileSystem { directory.files }

  func prepare(_ file: FilePath) -> Prepared {
    Prepared(file: file, outcome: Result { try photo(file) })
  }

  /// Copies an image and reads metadata from the copy and a sidecar, so that the file may change in
  /// the meantime.
  ///
  /// - Throws: ``ImageError`` when it is not a complete image, ``StoreError/erasedBlob(_:)`` when the
  ///   image was erased.
  func photo(_ file: FilePath) throws -> Photo {
    guard let target = files.resolve(file) else {
      throw CairnError(.notFound, "There is no file \(file).")
    }
    // Reading a pipe or a device may block or never end.
    guard try files.status(target)?.kind == .regular else {
      throw CairnError(.invalidImage, "\(file) is not a regular file.")
    }
    let copy = try Copy(file, directory.blobs)
    if try directory.blobs.isErased(copy.staged.id) {
      throw StoreError.erasedBlob(copy.staged.id)
    }
    return try files.withMapping(of: copy.staged.path) { bytes in
      var photo = Photo(copy: copy, image: try ImageFacts(inspecting: bytes))
      let document = try directory.location(DocumentPath.photo(copy.staged.id).description)
      if try files.exists(document) { return photo }
      photo.metadata = metadata(of: bytes, photo.image, file, &photo.notes)
      guard makesPreviews else { return photo }
      do throws(ImageError) {
        photo.preview = .success(try PhotoPreview(of: bytes))
      } catch {
        photo.preview = .failure(error)
        photo.notes.append("it \(error)")
      }
      return photo
    }
  }

  private func metadata(
    of bytes: UnsafeRawBufferPointer, _ image: ImageFacts, _ file: FilePath,
    _ notes: inout [String]
  ) -> PhotoMetadata {
    let sidecar: (path: FilePath, bytes: [UInt8])?
    do {
      sidecar = try self.sidecar(of: file)
    } catch {
      sidecar = nil
      notes.append("its sidecar is invalid: \(error)")
    }
    let metadata = PhotoMetadata(of: bytes, image, sidecar: sidecar?.bytes)
    if let failure = metadata.failure {
      notes.append("its metadata is damaged (\(failure)); the readable parts were kept")
    }
    if metadata.sidecarFailure != nil, let name = sidecar?.path.lastComponent?.string {
      notes.append("its sidecar “\(name)” is not valid XMP")
    }
    return metadata
  }

  /// Returns the location recorded in a file; nil if there is none or it cannot be read.
  func location(of file: FilePath) -> CaptureLocation? {
    guard (try? files.status(files.resolve(file) ?? file)?.kind) == .regular else { return nil }
    let sidecar = (try? sidecar(of: file))?.bytes
    func location(_ bytes: UnsafeRawBufferPointer) -> CaptureLocation? {
      PhotoMetadata.location(in: bytes, sidecar: sidecar)
    }
    if let part = (try? files.withReader(of: file) { try imageWithoutPixels($0) }) ?? nil {
      return part.withUnsafeBytes(location)
    }
    // Another program may change the file meanwhile.
    let scratch = directory.privateDirectory.appending("tmp")
    return (try? files.withCopy(of: file, in: scratch, location)) ?? nil
  }

  /// Returns the XMP sidecar of an image: `photo.jpg.xmp`, otherwise `photo.xmp`; nil if there is
  /// none.
  private func sidecar(of file: FilePath) throws -> (path: FilePath, bytes: [UInt8])? {
    let directory = file.removingLastComponent()
    guard let name = file.lastComponent?.string, let stem = file.stem else { return nil }
    for name in ["\(name).xmp", "\(name).XMP", "\(stem).xmp", "\(stem).XMP"] {
      let path = directory.appending(name)
      // Most photos have none; resolving a path looks at each directory above it.
      var status = try files.status(path)
      if followsLinks, status?.kind == .symlink {
        status = try files.resolve(path).flatMap { try files.status($0) }
      }
      guard status?.kind == .regular else { continue }
      return try files.read(path, limit: PhotoLoader.sidecarLimit).map { (path, $0) }
    }
    return nil
  }
}
