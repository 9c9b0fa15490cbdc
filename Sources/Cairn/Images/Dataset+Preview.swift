internal import CairnDocument
internal import CairnFiles
public import CairnPhotos
internal import CairnStore
public import SystemPackage

// Paths and pixels of a photo's image.

extension Dataset {
  /// Returns the path of a photo's image: in the work tree, with an extension that programs
  /// recognize, otherwise in the blob store.
  ///
  /// - Throws: ``CairnError/Kind/missingImage`` when it is not on this disk.
  public func imageFile(of id: PhotoID) throws(CairnError) -> FilePath {
    try translating {
      let photo = try photo(id)
      let path = try directory.location(
        DocumentPath.image(id, photo.image.format).description)
      let status = try directory.files.status(path)
      if let status, status.kind == .regular, status.size == photo.image.bytes { return path }
      guard try directory.blobs.size(of: id) != nil else { throw try missingImage(id) }
      return directory.blobs.path(of: id)
    }
  }

  /// Returns the pixels of a photo, upright, scaled down to fit a square of `side`.
  ///
  /// - Throws: ``CairnError/Kind/missingImage`` when its image is not on this disk.
  public func picture(of id: PhotoID, fitting side: Int) throws(CairnError) -> PixelBuffer {
    let file = try imageFile(of: id)
    return try translating {
      do {
        return try directory.files.withMapping(of: file) {
          try PixelBuffer(decoding: $0, fitting: side)
        }
      } catch let error as ImageError {
        throw CairnError(.invalidImage, "\(file) \(error).")
      }
    }
  }
}
