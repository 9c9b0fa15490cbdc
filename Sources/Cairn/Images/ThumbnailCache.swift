internal import CairnDocument
internal import CairnFiles
internal import SystemPackage

/// Thumbnails of photos, JPEGs under `thumbnails/ab/cd/<id>.jpg`; derived data, so they may be
/// deleted.
struct ThumbnailCache {
  let directory: FilePath
  let files: FileSystem
  /// Maximum size in bytes; beyond it the oldest thumbnails are removed.
  var limit = 2 << 30

  func path(of id: PhotoID) -> FilePath {
    let text = id.description
    let (first, second) = (text.prefix(2), text.dropFirst(2).prefix(2))
    return FilePath("\(directory.string)/\(first)/\(second)/\(text).jpg")
  }

  func read(_ id: PhotoID) throws -> [UInt8]? { try files.read(path(of: id)) }

  func has(_ id: PhotoID) throws -> Bool { try files.status(path(of: id)) != nil }

  /// Writes a thumbnail, and occasionally trims the cache.
  func write(_ bytes: [UInt8], of id: PhotoID) throws {
    let path = path(of: id)
    // Concurrent writers write the same bytes.
    try files.createDirectory(above: path)
    try files.write(bytes, to: path, temporary: FilePath("\(path).tmp"))
    if id.digest[1] % ThumbnailCache.trimInterval == 0 { try trim(path) }
  }

  /// One in this many writes trims the cache.
  private static let trimInterval: UInt8 = 64

  /// Trims the part of the cache that contains `path`, one of 256, if it exceeds its share of the
  /// limit: removes its oldest thumbnails. Ids are hashes, so the parts have about equal sizes.
  private func trim(_ path: FilePath) throws {
    let part = path.removingLastComponent().removingLastComponent()
    var thumbnails: [(path: FilePath, status: FileStatus)] = []
    for name in try files.list(part) ?? [] {
      let directory = part.appending(name)
      for name in try files.list(directory) ?? [] {
        let path = directory.appending(name)
        if let status = try files.status(path) { thumbnails.append((path, status)) }
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
