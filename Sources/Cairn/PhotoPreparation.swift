internal import CairnDocument
internal import CairnFiles
internal import CairnPhotos
internal import CairnStore
internal import SystemPackage

/// Does with one file what needs nothing else of the dataset, on any thread.
struct PhotoPreparation: Sendable {
  let directory: DatasetDirectory

  /// A file that is to be added, hashed and looked at.
  final class Prepared: Sendable {
    let file: FilePath
    let outcome: Result<Photo, any Error>
    private let blobs: BlobStore

    fileprivate init(_ file: FilePath, _ outcome: Result<Photo, any Error>, _ blobs: BlobStore) {
      (self.file, self.outcome, self.blobs) = (file, outcome, blobs)
    }

    // What nobody wanted is not left behind.
    deinit {
      if case .success(let photo) = outcome { blobs.discard(photo.staged) }
    }
  }

  struct Photo: Sendable {
    let staged: BlobStore.Staged
    let image: ImageFacts
    /// Nil of a photo that is known already.
    var metadata: PhotoMetadata?
    var preview: Result<PhotoPreview, ImageError>?
    var notes: [String] = []
  }

  /// A sidecar is smaller, in bytes.
  private static let sidecarLimit = 4 << 20

  private var files: FileSystem { directory.files }

  func prepare(_ file: FilePath) -> Prepared {
    Prepared(file, Result { try photo(file) }, directory.blobs)
  }

  private func photo(_ file: FilePath) throws -> Photo {
    guard let target = files.resolve(file) else {
      throw CairnError(.notFound, "There is no file \(file).")
    }
    // A pipe or a device has no end, or waits for one.
    guard try files.status(target)?.kind == .regular else {
      throw CairnError(.invalidImage, "\(file) is not a file.")
    }
    let staged = try directory.blobs.stage(file)
    do {
      return try files.withMapping(of: staged.path) { try photo(file, staged, $0) }
    } catch {
      directory.blobs.discard(staged)
      if let error = error as? ImageError {
        throw CairnError(.invalidImage, "\(file) \(error).")
      }
      throw error
    }
  }

  private func photo(
    _ file: FilePath, _ staged: BlobStore.Staged, _ bytes: UnsafeRawBufferPointer
  ) throws -> Photo {
    var photo = Photo(staged: staged, image: try ImageFacts(inspecting: bytes))
    let document = try directory.location(DocumentPath.photo(staged.id).description)
    if try files.exists(document) { return photo }
    let sidecar: (path: FilePath, bytes: [UInt8])?
    do {
      sidecar = try self.sidecar(of: file)
    } catch {
      sidecar = nil
      photo.notes.append("its sidecar does not read: \(error)")
    }
    let metadata = PhotoMetadata(of: bytes, photo.image, sidecar: sidecar?.bytes)
    if metadata.sidecarFailure != nil, let name = sidecar?.path.lastComponent?.string {
      photo.notes.append("“\(name)” beside it is not XMP")
    }
    photo.metadata = metadata
    do throws(ImageError) {
      photo.preview = .success(try PhotoPreview(of: bytes))
    } catch {
      photo.preview = .failure(error)
      photo.notes.append("it \(error)")
    }
    return photo
  }

  /// Returns where a file says that it was taken; nil where it does not, or does not read.
  func place(of file: FilePath) -> CapturePlace? {
    guard (try? files.status(files.resolve(file) ?? file)?.kind) == .regular else { return nil }
    let sidecar = (try? sidecar(of: file))?.bytes
    return try? files.withMapping(of: file) { PhotoMetadata.place(in: $0, sidecar: sidecar) }
  }

  /// Returns the XMP beside an image: `photo.jpg.xmp`, or else `photo.xmp`; nil where there is none.
  private func sidecar(of file: FilePath) throws -> (path: FilePath, bytes: [UInt8])? {
    let folder = file.removingLastComponent()
    guard let name = file.lastComponent?.string, let stem = file.stem else { return nil }
    for name in ["\(name).xmp", "\(name).XMP", "\(stem).xmp", "\(stem).XMP"] {
      let path = folder.appending(name)
      guard try files.status(files.resolve(path) ?? path)?.kind == .regular else { continue }
      return try files.read(path, limit: PhotoPreparation.sidecarLimit).map { (path, $0) }
    }
    return nil
  }
}
