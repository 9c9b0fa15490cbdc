internal import Cairn
internal import CairnFiles
internal import Hummingbird
internal import NIOCore
internal import SystemPackage

/// Uploads: one file per request, streamed to the disk.
enum UploadRoutes {
  /// Maximum size of a file in bytes.
  static let limit = 256 << 20

  static let all = [Route(.post, "/api/uploads", upload)]

  /// A pin within this distance of a photo's location is the photo's pin, in meters.
  private static let nearby = 100.0

  private static func upload(_ request: APIRequest) async throws -> Response {
    guard let length = request.http.headers[.contentLength].flatMap({ Int($0) }), length > 0 else {
      throw ServeError(
        status: .lengthRequired, kind: "usage", message: "An upload needs Content-Length.")
    }
    if length > limit { throw ServeError.tooLarge("file", limit) }
    let name = try fileName(request["name"] ?? "")
    var options = PhotoImport()
    options.recordedName = name
    options.pin = try pin(request["pin"])
    options.similarity = try request["similar"].map { _ in
      try request.integer("similar", 0...64)
    }
    try request.session.take(.uploads)
    defer { request.session.release(.uploads) }
    let file = try await receive(request)
    let added: AddedPhoto?
    let action: Int?
    do {
      let imports = options
      (added, action) = try await request.server.library.write(as: request.session.person) {
        dataset, state in
        let editor = try state.editor(dataset)
        editor.beginOperation("Added \(name)")
        let added = try dataset.addPhotos([file], imports).first
        guard let added, added.status == .added, let id = added.id else { return (added, nil) }
        return (added, try editor.recordAdded([id], "Added \(name)").action)
      }
    } catch {
      await discard(file, request)
      throw error
    }
    await discard(file, request)
    guard let added else { throw CairnError(.internalError, "The file was not added.") }
    if added.status == .added, let id = added.id {
      request.server.noteEdit()
      request.server.sendPhotos([], added: [id], by: request.session.person, request.client)
    }
    let rows = try await request.rows(of: [added.id].compactMap { $0 })
    return .json([
      ("action", JSON(action.map { "a\($0)" })),
      ("like", JSON(added.similarPhoto?.description)),
      // The file was received under a path of the server.
      ("note", JSON(added.note?.replacing(file.string, with: name))),
      ("photo", rows.array?.first ?? .null),
      ("status", .string(added.status.rawValue)),
    ])
  }

  /// Maximum length of the name of a file in bytes, as on most file systems.
  private static let nameLimit = 255

  /// Returns the last part of a name, which becomes the name of the photo.
  private static func fileName(_ text: String) throws -> String {
    let name = text.split { $0 == "/" || $0 == "\\" }.last.map(String.init) ?? ""
    guard !name.isEmpty, name != ".", name != "..",
      name.unicodeScalars.allSatisfy({ $0.value >= 32 && $0.value != 127 })
    else { throw ServeError.invalid("“name” must be the name of a file.") }
    guard name.utf8.count <= nameLimit else {
      throw ServeError.invalid(
        "The file name is longer than \(nameLimit) bytes.",
        hint: "Rename the file, then add it again.")
    }
    return name
  }

  private static func pin(_ text: String?) throws -> PhotoImport.PinChoice {
    switch text {
    case nil, "": return .nearest(within: nearby)
    case "auto": return .automatic(within: nearby)
    case "none": return .none
    case let text?:
      guard let id = PinID(text) else { throw ServeError.invalid("“\(text)” is not a pin.") }
      return .pin(id)
    }
  }

  // MARK: Files

  /// Writes the body to a file in a directory of its own.
  private static func receive(_ request: APIRequest) async throws -> FilePath {
    let library = request.server.library
    let (path, descriptor) = try await library.work { dataset in
      let files = dataset.files
      let directory = dataset.deviceDirectory.appending("uploads").appending(Sessions.token())
      try files.createDirectory(directory)
      // Its own name may be too long for this file system.
      let path = directory.appending("file")
      return (path, try files.createNew(path))
    }
    do {
      var (size, pending) = (0, [UInt8]())
      for try await buffer in request.http.body {
        size += buffer.readableBytes
        if size > limit { throw ServeError.tooLarge("file", limit) }
        pending += buffer.readableBytesView
        if pending.count >= pieceSize {
          let piece = pending
          try await library.work { _ in _ = try descriptor.writeAll(piece) }
          pending = []
        }
      }
      let piece = pending
      try await library.work { _ in
        _ = try descriptor.writeAll(piece)
        try descriptor.close()
      }
    } catch {
      try? descriptor.close()
      await discard(path, request)
      throw error
    }
    return path
  }

  private static let pieceSize = 256 << 10

  private static func discard(_ file: FilePath, _ request: APIRequest) async {
    _ = try? await request.server.library.work { dataset in
      try dataset.files.removeTree(file.removingLastComponent())
    }
  }
}
