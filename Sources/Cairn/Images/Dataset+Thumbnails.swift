internal import CairnDocument
internal import CairnFiles
internal import CairnPhotos
internal import CairnStore
internal import SystemPackage

extension Dataset {
  /// Returns a thumbnail of a photo: a JPEG, upright, of at most 320 × 320 pixels.
  ///
  /// It is cached on this device, in `.git/cairn/thumbnails`, as long as there is space.
  /// - Throws: ``CairnError/Kind/missingImage`` when the image is not on this disk,
  ///   ``CairnError/Kind/invalidImage`` when it cannot be decoded.
  public func thumbnail(of id: PhotoID) throws(CairnError) -> [UInt8] {
    try translating {
      let cache = thumbnailCache
      if let cached = try cache.read(id) { return cached }
      guard try directory.blobs.size(of: id) != nil else { throw try missingImage(id) }
      do {
        let preview = try environment.files.withMapping(of: directory.blobs.path(of: id)) {
          try PhotoPreview(of: $0)
        }
        try? cache.write(preview.thumbnail, of: id)
        return preview.thumbnail
      } catch let error as ImageError {
        throw CairnError(.invalidImage, "The image \(id.short)… \(error).")
      }
    }
  }

  var thumbnailCache: ThumbnailCache {
    ThumbnailCache(
      directory: directory.privateDirectory.appending("thumbnails"), files: environment.files)
  }
}
