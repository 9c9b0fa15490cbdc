internal import CairnDocument
internal import CairnFiles
internal import SystemPackage

/// Thumbnails of photos, JPEGs under `thumbnails/ab/<id>.jpg`; derived data, so they may be deleted.
///
/// One level of directories, unlike images: with two, nearly every thumbnail has a directory of its
/// own, of 4 KiB.
struct ThumbnailCache {
  let directory: FilePath
  let files: FileSystem
  /// Maximum size in bytes; beyond it the oldest thumbnails are removed.
  var limit = 2 << 30

  func path(of id: PhotoID) -> FilePath {
    let text = id.description
    return FilePath("\(directory.string)/\(text.prefix(2))/\(text).jpg")
  }

  /// Returns the files that may have a photo's thumbnail, among them unfinished ones, and those of
  /// earlier versions, which had two levels of directories.
  func paths(of id: PhotoID) throws -> [FilePath] {
    let part = path(of: id).removingLastComponent()
    let former = part.appending(String(id.description.dropFirst(2).prefix(2)))
    return try files(of: id, in: part) + files(of: id, in: former)
  }

  private func files(of id: PhotoID, in directory: FilePath) throws -> [FilePath] {
    try (files.list(directory) ?? []).filter { $0.hasPrefix(id.description) }
      .map { directory.appending($0) }
  }

  func read(_ id: PhotoID) throws -> [UInt8]? { try files.read(path(of: id)) }

  func has(_ id: PhotoID) throws -> Bool { try files.status(path(of: id)) != nil }

  /// Writes a thumbnail, and occasionally trims the cache.
  func write(_ bytes: [UInt8], of id: PhotoID) throws {
    let path = path(of: id)
    // Another process may write the same thumbnail.
    let number = UInt32.random(in: .min ... .max)
    let temporary = FilePath("\(path).\(number)")
    try files.createDirectory(above: path)
    try files.write(bytes, to: path, temporary: temporary)
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
      if let status = try files.status(path), status.kind == .regular {
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
