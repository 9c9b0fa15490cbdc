internal import Cairn
internal import CairnFiles
internal import Hummingbird
internal import SystemPackage

/// Thumbnails, previews and originals.
enum PixelRoutes {
  /// Maximum number of thumbnails of a request.
  static let batchLimit = 50

  static let all = [
    Route(.get, "/api/thumbnails", thumbnails),
    Route(.get, "/api/photos/:photo/thumbnail", thumbnail),
    Route(.get, "/api/photos/:photo/preview", preview),
    Route(.get, "/api/photos/:photo/image", image),
  ]

  // MARK: Batches

  private static func thumbnails(_ request: APIRequest) async throws -> Response {
    let ids = try (request["ids"] ?? "").split(separator: ",").map { text in
      guard let id = PhotoID(String(text)) else {
        throw ServeError.invalid("“\(text.prefix(80))” is not the id of a photo.")
      }
      return id
    }
    guard 1...batchLimit ~= ids.count else {
      throw ServeError.invalid("“ids” must be 1 to \(batchLimit) photo ids.")
    }
    try request.session.take(.thumbnails)
    let (server, session) = (request.server, request.session)
    // Closed when the response ends, or is dropped without being sent.
    let lease = Lease { session.release(.thumbnails) }
    // A photo's thumbnail never changes, so a complete batch may be kept by the browser.
    let isComplete = try await server.library.work { dataset in
      ids.allSatisfy { dataset.hasThumbnail($0) }
    }
    let body = ResponseBody { writer in
      defer { lease.end() }
      try await write(Array(ids.enumerated()).map { ($0, $1) }, server, &writer)
      try await writer.finish(nil)
    }
    return Response(
      status: .ok,
      headers: [
        .contentType: "application/octet-stream",
        .cacheControl: isComplete ? Response.immutable : "no-store",
      ], body: body)
  }

  /// Thumbnails that one worker reads before it sends them: decoding one takes up to 50 ms, reading
  /// one from the cache 0.05 ms.
  private static let portion = 5

  private static func write(
    _ ids: [(index: Int, id: PhotoID)], _ server: ServerState,
    _ writer: inout any ResponseBodyWriter
  ) async throws {
    let portions = stride(from: 0, to: ids.count, by: portion).map {
      Array(ids[$0..<min($0 + portion, ids.count)])
    }
    try await withThrowingTaskGroup(of: [UInt8].self) { group in
      for portion in portions {
        group.addTask { try await records(portion, server) }
      }
      for try await bytes in group { try await writer.write(ByteBuffer(bytes: bytes)) }
    }
  }

  private static func records(
    _ portion: [(index: Int, id: PhotoID)], _ server: ServerState
  ) async throws -> [UInt8] {
    let (bytes, new) = try await server.library.work { dataset in
      var (bytes, new) = ([UInt8](), [(PhotoID, MeanColor)]())
      for (index, id) in portion {
        let (record, color) = dataset.record(of: id, at: index, server.colors)
        bytes += record.bytes
        if let color { new.append((id, color)) }
      }
      server.colors.add(new)
      return (bytes, new)
    }
    if !new.isEmpty {
      let colors = new.map { ($0.0.description, JSON.string($0.1.hex)) }
      server.events.announce("colors", ["colors": .object(JSONObject(colors))])
    }
    return bytes
  }

  // MARK: Single images

  private static func tagged(
    _ request: APIRequest, _ tag: String, _ make: () async throws -> Response
  ) async throws -> Response {
    if request.http.headers[.ifNoneMatch] == tag { return Response(status: .notModified) }
    var response = try await make()
    response.headers[.eTag] = tag
    return response
  }

  private static func thumbnail(_ request: APIRequest) async throws -> Response {
    let id = try request.photoID()
    return try await tagged(request, "\"t\(id)\"") {
      let jpeg = try await request.server.library.work { try $0.thumbnail(of: id) }
      return .bytes(jpeg, type: "image/jpeg", isImmutable: true)
    }
  }

  private static let sides: Set = [640, 1600, 2560]

  private static func preview(_ request: APIRequest) async throws -> Response {
    let id = try request.photoID()
    let side = try request.integer("side", 1...10_000, default: 1600)
    guard sides.contains(side) else {
      throw ServeError.invalid("“side” must be 640, 1600 or 2560.")
    }
    return try await tagged(request, "\"p\(side)-\(id)\"") {
      let key = PreviewCache.Key(photo: id, side: side)
      // Another program may have erased the image meanwhile.
      if let known = request.server.previews[key],
        try await !request.server.library.work({ try $0.isErased(id) })
      {
        return .bytes(known, type: "image/jpeg", isImmutable: true)
      }
      let jpeg = try await request.server.library.work { dataset in
        guard let jpeg = try dataset.picture(of: id, fitting: side).jpegBytes(quality: 85) else {
          throw CairnError(.internalError, "Not enough memory for a preview.")
        }
        return jpeg
      }
      request.server.previews.add(jpeg, key)
      return .bytes(jpeg, type: "image/jpeg", isImmutable: true)
    }
  }

  private static func image(_ request: APIRequest) async throws -> Response {
    let id = try request.photoID()
    let isDownload = request["download"] == "1"
    return try await tagged(request, "\"i\(id)\"") {
      let (file, photo) = try await request.server.library.work { dataset in
        (try dataset.imageFile(of: id), try dataset.show(id).photo)
      }
      let length = try await request.server.library.work { _ in
        try Cairn.Environment.machine.files.status(file).map { Int($0.size) } ?? 0
      }
      let disposition = isDownload ? "attachment" : "inline"
      let format = photo.image.format
      let name = fileName(photo.source.value, "\(id.short).\(format.fileExtension)")
      return Response(
        status: .ok,
        headers: [
          .contentType: format.mediaType, .cacheControl: Response.immutable,
          .contentDisposition: "\(disposition); \(name)",
        ], body: fileBody(file, length, request.server))
    }
  }

  /// Returns the parameters of a header that name a file: in ASCII and, if needed, in all of
  /// Unicode.
  ///
  /// Source: RFC 6266, RFC 8187.
  static func fileName(_ source: String, _ fallback: String) -> String {
    let last = source.split { $0 == "/" || $0 == "\\" }.last.map(String.init) ?? ""
    let isPlain = last.utf8.allSatisfy {
      0x20...0x7E ~= $0 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "%")
    }
    if isPlain, !last.isEmpty { return "filename=\"\(last)\"" }
    let plain = "filename=\"\(fallback)\""
    return last.isEmpty ? plain : "\(plain); filename*=UTF-8''\(PercentEncoding.encoded(last))"
  }

  private static let pieceSize = 256 << 10

  /// Streams a file, piece by piece, as fast as the client takes it.
  private static func fileBody(
    _ path: FilePath, _ length: Int, _ server: ServerState
  ) -> ResponseBody {
    ResponseBody(contentLength: length) { writer in
      let file = try await server.library.work { _ in try FileDescriptor.open(path, .readOnly) }
      do {
        var offset = 0
        while offset < length {
          let (start, size) = (offset, min(pieceSize, length - offset))
          let piece = try await server.library.work { _ in
            try [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
              count = try file.read(
                fromAbsoluteOffset: Int64(start), into: UnsafeMutableRawBufferPointer(buffer))
            }
          }
          if piece.isEmpty { break }
          offset += piece.count
          try await writer.write(ByteBuffer(bytes: piece))
        }
        try? file.close()
      } catch {
        try? file.close()
        throw error
      }
      try await writer.finish(nil)
    }
  }
}
