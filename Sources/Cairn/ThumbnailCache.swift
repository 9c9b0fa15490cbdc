internal import CairnDocument
internal import CairnFiles
internal import SystemPackage

/// Small pictures of photos, JPEGs under `thumbnails/ab/cd/<id>.jpg`; derived, so that they may be
/// deleted.
struct ThumbnailCache {
  let directory: FilePath
  let files: FileSystem
  /// Beyond it the oldest go, in bytes.
  var limit = 2 << 30

  func path(of id: PhotoID) -> FilePath {
    let text = id.description
    return directory.appending(String(text.prefix(2)))
      .appending(String(text.dropFirst(2).prefix(2))).appending("\(text).jpg")
  }

  func read(_ id: PhotoID) throws -> [UInt8]? { try files.read(path(of: id)) }

  func has(_ id: PhotoID) throws -> Bool { try files.status(path(of: id)) != nil }

  /// Keeps a thumbnail.
  func write(_ bytes: [UInt8], of id: PhotoID) throws {
    let path = path(of: id)
    // Whoever makes it at the same time writes the same.
    try files.createDirectory(path.removingLastComponent())
    try files.write(bytes, to: path, temporary: FilePath("\(path).tmp"))
    if id.digest[1] % ThumbnailCache.trimInterval == 0 { try trim(path) }
  }

  /// One in so many thumbnails looks whether there are too many.
  private static let trimInterval: UInt8 = 64

  /// Removes the oldest of the 256th part of all in which `path` lies, where they take more than their
  /// share. Ids are spread evenly, so that the parts need not know of each other.
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
