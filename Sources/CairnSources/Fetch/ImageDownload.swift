internal import CairnBase
internal import CairnFiles
internal import CairnHTTP
internal import Crypto
internal import SystemPackage

/// A resumable download of an image into a file that outlives this process: received bytes are not
/// requested again while the server has the same version.
///
/// Source: RFC 9110, “Range Requests”, “If-Range”.
final class ImageDownload {
  private let location: WebLocation
  private let files: FileSystem
  private let limit: Int
  let destination: Destination
  private let path: FilePath
  private let file: FileDescriptor
  /// The number of bytes received.
  private var count = 0
  /// The server's validator for these bytes.
  private var validator: String?
  private var hasBegun = false

  /// The directory of a download, locked while in use: no other download uses or removes it.
  struct Destination: Sendable {
    let directory: FilePath
    private let lock: DirectoryLock

    /// - Returns: Nil while another process uses it.
    init?(_ directory: FilePath, files: FileSystem) throws {
      self.directory = directory
      // Another process may remove the directory between two of our steps.
      for _ in 0..<100 {
        try files.createDirectory(directory)
        if let lock = try DirectoryLock.acquire(directory, files: files) {
          guard lock.isOf(directory, files: files) else { continue }
          self.lock = lock
          return
        }
        if try files.exists(directory) { return nil }
      }
      return nil
    }

    /// Removes everything kept for a finished image.
    func discard(_ files: FileSystem) { try? files.removeTree(directory) }
  }

  private var directory: FilePath { destination.directory }

  /// Opens or resumes a download.
  ///
  /// - Parameters:
  ///   - parent: The directory of all downloads.
  ///   - limit: The maximum size of an image, in bytes.
  /// - Returns: Nil while another process fetches it.
  init?(_ location: WebLocation, in parent: FilePath, limit: Int, files: FileSystem) throws {
    (self.location, self.limit, self.files) = (location, limit, files)
    let digest = SHA256.hash(data: Array(location.text.utf8)).prefix(8)
    let name = Hex.text(digest)
    guard let destination = try Destination(parent.appending(name), files: files) else {
      return nil
    }
    self.destination = destination
    path = destination.directory.appending("part")
    guard let file = try files.openExclusively(path) else { return nil }
    self.file = file
    count = Int(try files.status(path)?.size ?? 0)
    let note = try files.read(notePath, limit: 8 << 10).map { String(decoding: $0, as: UTF8.self) }
    let lines = note?.split(separator: "\n", omittingEmptySubsequences: false) ?? []
    if lines.count == 2, lines[0] == location.text[...], !lines[1].isEmpty, count > 0 {
      validator = String(lines[1])
    } else if count > 0 {
      try restart()
    }
  }

  deinit { try? file.close() }

  private var notePath: FilePath { directory.appending("from") }

  /// The request for the missing bytes.
  var request: HTTPRequest {
    var request = HTTPRequest(.get, location.text)
    request.headers["Accept"] = "image/jpeg,image/png,image/webp,image/*;q=0.5"
    if count > 0, let validator {
      request.headers["Range"] = "bytes=\(count)-"
      request.headers["If-Range"] = validator
    }
    return request
  }

  /// Writes the next bytes of a response.
  func take(_ response: HTTPResponse, _ bytes: UnsafeRawBufferPointer) throws {
    if !hasBegun { try begin(response) }
    guard bytes.count <= limit - count else { throw tooLarge }
    try files.writeAll(bytes, to: file, path)
    count += bytes.count
  }

  private func begin(_ response: HTTPResponse) throws {
    hasBegun = true
    if response.status == 206 {
      guard validator != nil, ImageDownload.start(response.headers["Content-Range"]) == count else {
        try restart()
        throw SourceError(
          .invalidResponse, location.host, "sent a different range of the image than requested",
          isTransient: true)
      }
      return
    }
    try restart()
    if let type = response.headers["Content-Type"]?.lowercased(), type.hasPrefix("text/") {
      let name = SourceText.line(String(type.prefix { $0 != ";" })) ?? "text"
      throw SourceError(.notAnImage, location.host, "sent \(name) instead of an image")
    }
    if let length = response.headers["Content-Length"].flatMap({ Int($0) }), length > limit {
      throw tooLarge
    }
    validator = ImageDownload.validator(response.headers)
    if let validator {
      try files.write(
        Array("\(location.text)\n\(validator)".utf8), to: notePath,
        temporary: directory.appending("from.new"))
    }
  }

  private var tooLarge: SourceError {
    SourceError(
      .tooLarge, location.host, "has an image larger than the limit of \(limit >> 20) MiB")
  }

  /// Checks a complete response.
  ///
  /// - Returns: The image file, with the file name from its URL.
  func finish(_ response: HTTPResponse) throws -> FilePath {
    if response.status == 416 {
      try restart()
      throw SourceError(
        .invalidResponse, location.host, "changed the image during the download", isTransient: true)
    }
    if response.status == 206, ImageDownload.total(response.headers["Content-Range"]) != count {
      throw SourceError(
        .invalidResponse, location.host, "sent an incomplete image", isTransient: true)
    }
    guard hasBegun, count > 0 else {
      throw SourceError(.notAnImage, location.host, "sent an empty response")
    }
    let imageDirectory = directory.appending("image")
    try files.createDirectory(imageDirectory)
    let name = location.fileName
    let image = imageDirectory.appending(name == "." || name == ".." ? "photo" : name)
    try files.rename(path, to: image)
    return image
  }

  /// Discards the received bytes.
  private func restart() throws {
    try files.truncate(file, path)
    try files.remove(notePath)
    (count, validator) = (0, nil)
  }

  /// Returns the validator of a response, if it is strong enough to identify its bytes.
  private static func validator(_ headers: HTTPHeaders) -> String? {
    if let tag = headers["ETag"], tag.hasPrefix("\""), tag.utf8.count < 1024 { return tag }
    guard headers["ETag"] == nil else { return nil }
    return headers["Last-Modified"].flatMap { $0.utf8.count < 100 ? $0 : nil }
  }

  /// Returns the first byte of a `Content-Range` such as `bytes 100-199/200`.
  private static func start(_ range: String?) -> Int? {
    guard let range, range.hasPrefix("bytes ") else { return nil }
    return Int(range.dropFirst("bytes ".count).prefix { $0 != "-" })
  }

  /// Returns the total size in a `Content-Range`.
  private static func total(_ range: String?) -> Int? {
    range?.split(separator: "/").last.flatMap { Int($0) }
  }
}
