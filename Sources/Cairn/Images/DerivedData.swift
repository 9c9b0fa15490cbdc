internal import CairnDocument
internal import CairnFiles
internal import LibC
internal import SystemPackage

/// What is computed from the images of photos and cached on this device: thumbnails, perceptual
/// hashes, mean colors and features.
struct DerivedData {
  /// `.git/cairn`.
  let directory: FilePath
  let files: FileSystem

  /// Files of records of equal size that begin with the 32 bytes of a photo's id.
  private static let recordFiles = [("perceptual-hashes", 48), ("colors", 36)]

  private var thumbnails: ThumbnailCache {
    ThumbnailCache(directory: directory.appending("thumbnails"), files: files)
  }

  /// Deletes what was computed from the images of some photos. A file of features that has any of
  /// them is deleted as a whole: features are computed again when they are needed.
  func erase(_ photos: Set<PhotoID>) throws {
    for photo in photos {
      for path in try thumbnails.paths(of: photo) { try files.remove(path) }
    }
    for (name, size) in DerivedData.recordFiles {
      let path = directory.appending(name)
      for photo in photos {
        for offset in try offsets(of: photo, in: path) {
          try files.overwrite(path, at: offset, count: size)
        }
      }
    }
    for path in try featureFiles()
    where try photos.contains(where: { try !offsets(of: $0, in: path).isEmpty }) {
      try files.remove(path)
    }
  }

  /// Returns the files that have something that was computed from the image of a photo.
  func remains(of photo: PhotoID) throws -> [FilePath] {
    let candidates =
      DerivedData.recordFiles.map { directory.appending($0.0) } + (try featureFiles())
    let records = try candidates.filter { try !offsets(of: photo, in: $0).isEmpty }
    return try thumbnails.paths(of: photo) + records
  }

  private func featureFiles() throws -> [FilePath] {
    let folder = directory.appending("features")
    return try (files.list(folder) ?? []).map { folder.appending($0) }
      .filter { try files.status($0)?.kind == .regular }
  }

  /// Returns where the id of a photo is in a file.
  private func offsets(of photo: PhotoID, in path: FilePath) throws -> [Int] {
    guard let size = try files.status(path)?.size, size > 0 else { return [] }
    let digest = photo.digest
    return try files.withMapping(of: path) { bytes in
      var found: [Int] = []
      var start = 0
      while start + digest.count <= bytes.count, let base = bytes.baseAddress,
        let match = memchr(base + start, Int32(digest[0]), bytes.count - digest.count - start + 1)
      {
        let offset = UnsafeRawPointer(match) - base
        let isMatch = memcmp(match, digest, digest.count) == 0
        if isMatch { found.append(offset) }
        start = offset + (isMatch ? digest.count : 1)
      }
      return found
    }
  }
}
