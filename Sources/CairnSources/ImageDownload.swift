internal import CairnFiles
internal import CairnHTTP
internal import Crypto
internal import SystemPackage

/// An image on its way here, in a file that outlives this process: what has come is not asked for again
/// as long as the server has the same.
///
/// Source: RFC 9110, “Range Requests”, “If-Range”.
final class ImageDownload {
  private let location: WebLocation
  private let files: FileSystem
  private let limit: Int
  let place: Place
  private let path: FilePath
  private let file: FileDescriptor
  /// How many bytes are here.
  private var count = 0
  /// What the server calls these bytes.
  private var validator: String?
  private var hasBegun = false

  /// Where all of an image is, for as long as somebody needs it: no other download takes it up or away.
  struct Place: Sendable {
    let directory: FilePath
    private let lock: DirectoryLock

    /// - Returns: Nil while another one has it.
    init?(_ directory: FilePath, files: FileSystem) throws {
      self.directory = directory
      // Whoever has it may take it away between two steps of ours.
      for _ in 0..<100 {
        try files.createDirectory(directory)
        if let lock = try DirectoryLock.take(directory, files: files) {
          guard lock.isOf(directory, files: files) else { continue }
          self.lock = lock
          return
        }
        if try files.exists(directory) { return nil }
      }
      return nil
    }

    /// Takes away all that was kept of an image that is done with.
    func discard(_ files: FileSystem) { try? files.removeTree(directory) }
  }

  private var directory: FilePath { place.directory }

  /// Takes up what there is of an image.
  ///
  /// - Parameters:
  ///   - parent: The directory of all downloads.
  ///   - limit: The most bytes that an image may have.
  /// - Returns: Nil while another process fetches it.
  init?(_ location: WebLocation, in parent: FilePath, limit: Int, files: FileSystem) throws {
    (self.location, self.limit, self.files) = (location, limit, files)
    let digest = SHA256.hash(data: Array(location.text.utf8)).prefix(8)
    let name = digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    guard let place = try Place(parent.appending(name), files: files) else { return nil }
    self.place = place
    path = place.directory.appending("part")
    guard let file = try files.openAlone(path) else { return nil }
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

  /// The request for what is missing.
  var request: HTTPRequest {
    var request = HTTPRequest(.get, location.text)
    request.headers["Accept"] = "image/jpeg,image/png,image/webp,image/*;q=0.5"
    if count > 0, let validator {
      request.headers["Range"] = "bytes=\(count)-"
      request.headers["If-Range"] = validator
    }
    return request
  }

  /// Takes the next bytes of an answer.
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
          .garbled, location.host, "sent another part of the image than it was asked for",
          isTransient: true)
      }
      return
    }
    try restart()
    if let type = response.headers["Content-Type"]?.lowercased(), type.hasPrefix("text/") {
      let name = SourceText.line(String(type.prefix { $0 != ";" })) ?? "text"
      throw SourceError(.notAnImage, location.host, "sent no image but \(name)")
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
      .tooLarge, location.host, "has an image of more than \(limit >> 20) MiB, which is too large")
  }

  /// An answer has come to its end.
  ///
  /// - Returns: The image, under the name that its address gives it.
  func finish(_ response: HTTPResponse) throws -> FilePath {
    if response.status == 416 {
      try restart()
      throw SourceError(
        .garbled, location.host, "has changed the image meanwhile", isTransient: true)
    }
    if response.status == 206, ImageDownload.total(response.headers["Content-Range"]) != count {
      throw SourceError(
        .garbled, location.host, "sent less of the image than there is", isTransient: true)
    }
    guard hasBegun, count > 0 else {
      throw SourceError(.notAnImage, location.host, "sent nothing at all")
    }
    let place = directory.appending("image")
    try files.createDirectory(place)
    let name = location.fileName
    let image = place.appending(name == "." || name == ".." ? "photo" : name)
    try files.rename(path, to: image)
    return image
  }

  /// Forgets what has come.
  private func restart() throws {
    try files.empty(file, path)
    try files.remove(notePath)
    (count, validator) = (0, nil)
  }

  /// What a server calls the bytes of an answer, if they can be told from others by it.
  private static func validator(_ headers: HTTPHeaders) -> String? {
    if let tag = headers["ETag"], tag.hasPrefix("\""), tag.utf8.count < 1024 { return tag }
    guard headers["ETag"] == nil else { return nil }
    return headers["Last-Modified"].flatMap { $0.utf8.count < 100 ? $0 : nil }
  }

  /// The first byte of a `Content-Range` such as `bytes 100-199/200`.
  private static func start(_ range: String?) -> Int? {
    guard let range, range.hasPrefix("bytes ") else { return nil }
    return Int(range.dropFirst("bytes ".count).prefix { $0 != "-" })
  }

  /// The size of the whole in a `Content-Range`.
  private static func total(_ range: String?) -> Int? {
    range?.split(separator: "/").last.flatMap { Int($0) }
  }
}
