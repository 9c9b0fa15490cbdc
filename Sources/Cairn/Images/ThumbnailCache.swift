internal import CairnDocument
internal import CairnFiles
internal import SystemPackage

/// Thumbnails of photos, JPEGs under `thumbnails/ab/<id>.jpg`; derived data, so they may be deleted.
///
/// One level of directories: most images are large, but a directory for each thumbnail would take as
/// much of the disk as the thumbnail.
struct ThumbnailCache {
  let directory: FilePath
  let files: FileSystem
  /// Maximum size in bytes; beyond it the oldest thumbnails are removed.
  var limit = 2 << 30

  func path(of id: PhotoID) -> FilePath {
    let text = id.description
    return FilePath("\(directory.string)/\(text.prefix(2))/\(text).jpg")
  }

  /// Returns all paths that may have a photo's thumbnail, among them that of an unfinished write and
  /// that of earlier versions, which had two levels of directories.
  func paths(of id: PhotoID) -> [FilePath] {
    let path = path(of: id)
    let former = path.removingLastComponent()
      .appending(String(id.description.dropFirst(2).prefix(2)))
      .appending("\(id).jpg")
    return [path, former].flatMap { [$0, FilePath("\($0).tmp")] } + [unfinished(id)]
  }

  private func unfinished(_ id: PhotoID) -> FilePath { FilePath("\(directory.string)/\(id).tmp") }

  func read(_ id: PhotoID) throws -> [UInt8]? { try files.read(path(of: id)) }

  func has(_ id: PhotoID) throws -> Bool { try files.status(path(of: id)) != nil }

  /// Writes a thumbnail, and occasionally trims the cache.
  func write(_ bytes: [UInt8], of id: PhotoID) throws {
    let path = path(of: id)
    func write() throws(FileError) {
      // Concurrent writers write the same bytes.
      try files.write(bytes, to: path, temporary: unfinished(id))
    }
    do throws(FileError) {
      try write()
    } catch  where error.code == .noSuchFileOrDirectory {
      try files.createDirectory(directory)
      try write()
    }
    if id.digest[1] % ThumbnailCache.trimInterval == 0 { try trim(path.removingLastComponent()) }
  }

  /// One in this many writes trims the cache.
  private static let trimInterval: UInt8 = 64

  /// Trims a part of the cache, one of 256, if it exceeds its share of the limit: removes its oldest
  /// thumbnails. Ids are hashes, so the parts have about equal sizes.
  private func trim(_ part: FilePath) throws {
    var thumbnails: [(path: FilePath, status: FileStatus)] = []
    for name in try files.list(part) ?? [] {
      let path = part.appending(name)
      guard let status = try files.status(path) else { continue }
      if status.kind == .directory {
        // Of an earlier version.
        try files.removeTree(path)
      } else {
        thumbnails.append((path, status))
      }
    }
    var total = thumbnails.reduce(0) { $0 + Int($1.status.size) }
    guard total > limit / 256 else { return }
    thumbnails.sort { $0.status.modified < $1.status.modified }
    for thumbnail in thumbnails where total > limit / 256 / 4 * 3 {
      try files.remove(thumbnail.path)
      total -= Int(thumbnail.status.size)
    }
  }
}
