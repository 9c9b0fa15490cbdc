internal import CairnDocument
internal import CairnFiles
public import CairnPhotos
internal import CairnStore
public import SystemPackage

// What there is to see of a photo.

extension Dataset {
  /// Returns where the image of a photo lies: in the work tree, under the name that programs know images
  /// by, or else among the blobs.
  ///
  /// - Throws: ``CairnError/Kind/missingImage`` when it is not on this disk.
  public func imageFile(of id: PhotoID) throws(CairnError) -> FilePath {
    try translating {
      let photo = try photo(id)
      let path = try directory.location(
        DocumentPath.image(id, photo.image.format).description)
      let status = try directory.files.status(path)
      if let status, status.kind == .regular, status.size == photo.image.bytes { return path }
      guard try directory.blobs.size(of: id) != nil else { throw StoreError.missingBlob(id) }
      return directory.blobs.path(of: id)
    }
  }

  /// Returns the pixels of a photo, upright, small enough to fit a square of `side`.
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
