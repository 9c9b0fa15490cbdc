internal import CairnFiles
internal import CairnLabelers
internal import CairnPhotos
internal import CairnStore
internal import SystemPackage

/// Calls `body` with the bytes of an image, and whether they are a blob: the image of the photo.
///
/// Its errors are reported for the photo.
struct ImageOpener: Sendable {
  let blobs: BlobStore
  let scratch: FilePath
  let files: FileSystem

  func callAsFunction<Value>(
    _ image: LabelerImage, _ body: (UnsafeRawBufferPointer, _ isBlob: Bool) throws -> Value
  ) throws -> Value {
    do {
      if let photo = image.photo, try blobs.size(of: photo) != nil {
        return try files.withMapping(of: blobs.path(of: photo)) { try body($0, true) }
      }
      // Another program may change the file meanwhile.
      return try files.withCopy(of: image.path, in: scratch) { try body($0, false) }
    } catch let error as ImageError {
      throw LabelerError("the image \(error)")
    } catch let error as LabelerError {
      throw error
    } catch {
      throw LabelerError("the image cannot be read: \(error)")
    }
  }
}

extension Dataset {
  func imageOpener() -> ImageOpener {
    ImageOpener(
      blobs: directory.blobs, scratch: directory.privateDirectory.appending("tmp"),
      files: environment.files)
  }

  /// Returns a function that decodes images for models that run locally.
  func pixelReader() -> PixelReader {
    let open = imageOpener()
    return { image in
      try open(image) { bytes, _ in try PixelBuffer(decoding: bytes, alpha: .dropped) }
    }
  }
}
