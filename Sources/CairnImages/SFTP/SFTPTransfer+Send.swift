internal import CairnDocument
internal import CairnStore
internal import CairnTransport
internal import SystemPackage

extension SFTPTransfer {
  func send(
    _ image: Pointer, from file: FilePath, replacing isReplacing: Bool, progress: (Int) -> Void
  ) throws {
    let source = try HashVerifyingReader(image, at: file)
    let random = UInt64.random(in: 0 ... .max)
    let temporary = directory.path("tmp", "\(image.id).\(String(random, radix: 36))")
    let handle = try create(temporary, for: image)
    do {
      try write(source, handle, image, progress)
      try finish(handle, image)
      if isReplacing, !session.supports(.replace) {
        _ = try session.status(.remove(directory.path(of: image)))
      }
      try rename(temporary, as: image)
    } catch {
      // A leftover file is not an image; a later upload removes it.
      if !session.isBroken { _ = try? session.exchange([.close(handle), .remove(temporary)]) }
      throw error
    }
  }

  private func create(_ path: String, for image: Pointer) throws -> SFTPHandle {
    var response = try session.exchange(.create(path))
    var created: [SFTPStatus] = []
    if case .status(let status) = response, status.code != .permissionDenied {
      created = try session.statuses(
        [.makeDirectory(directory.root), .makeDirectory(directory.path("tmp"))])
      response = try session.exchange(.create(path))
    }
    switch response {
    case .handle(let handle): return handle
    case .status(let status) where !status.isDone:
      // An error from creating a directory is more useful than the missing directory.
      let forbidden = created.first { $0.code == .permissionDenied }
      throw refusal(forbidden ?? status, image)
    default: throw session.unexpected()
    }
  }

  /// Writes the image, with many blocks outstanding, and reports the blocks that the server has
  /// accepted.
  private func write(
    _ source: HashVerifyingReader, _ handle: SFTPHandle, _ image: Pointer, _ progress: (Int) -> Void
  ) throws {
    var offset = 0
    var sizes: [UInt32: Int] = [:]
    func receiveStatus() throws {
      let (request, response) = try session.receive()
      guard case .status(let status) = response, let size = sizes.removeValue(forKey: request)
      else { throw session.unexpected() }
      guard status.isDone else { throw refusal(status, image) }
      progress(size)
    }
    while let piece = try source.next() {
      var rest = piece[...]
      while !rest.isEmpty {
        let block = rest.prefix(SFTPSession.blockSize)
        rest = rest.dropFirst(block.count)
        while session.isFull { try receiveStatus() }
        let request = try session.send(.write(handle, offset: offset, block))
        sizes[request] = block.count
        offset += block.count
      }
    }
    while !sizes.isEmpty { try receiveStatus() }
  }

  /// Makes the written file durable, and creates its directories in the same round trip.
  private func finish(_ handle: SFTPHandle, _ image: Pointer) throws {
    let closing: [SFTPRequest] =
      (session.supports(.sync) ? [.sync(handle)] : []) + [.close(handle)]
    let directories = directory.directories(of: image).dropFirst().map(SFTPRequest.makeDirectory)
    for status in try session.statuses(closing + directories).prefix(closing.count)
    where !status.isDone && status.code != .unsupported {
      throw refusal(status, image)
    }
  }

  /// Renames the temporary file to the image's name.
  private func rename(_ temporary: String, as image: Pointer) throws {
    let path = directory.path(of: image)
    let move: SFTPRequest =
      session.supports(.replace) ? .replace(temporary, to: path) : .rename(temporary, to: path)
    if try session.status(move).isDone { return }
    let created = try session.statuses(
      directory.directories(of: image).map(SFTPRequest.makeDirectory))
    var status = try session.status(move)
    if status.isDone { return }
    // Another client may have sent it meanwhile; otherwise the file with its name is not the image.
    switch try session.exchange(.attributes(path)) {
    case .attributes(let file) where file.isFile && file.size == UInt64(image.size):
      return _ = try session.status(.remove(temporary))
    case .attributes:
      status = try session.statuses([.remove(path), move])[1]
      if status.isDone { return }
    default: break
    }
    throw refusal(created.first { $0.code == .permissionDenied } ?? status, image)
  }

  /// Returns the error for a rejected image. Most servers report a full disk only as “Failure”, so
  /// this queries the free space.
  private func refusal(_ status: SFTPStatus, _ image: Pointer) -> TransferError {
    let what = "write to \(directory.root)"
    let plain = TransferError(status, address, cannot: what, scope: .remote)
    guard status.code == .failure, session.supports(.space),
      case .space(let space)? = try? session.exchange(.space(directory.root))
    else { return plain }
    if space.isReadOnly {
      return TransferError(
        TransportError(.forbidden, address, "it cannot \(what): the disk there is read-only"),
        scope: .remote)
    }
    guard space.free < UInt64(image.size) else { return plain }
    return TransferError(
      TransportError(.noSpace, address, "it cannot \(what): no space is left there"), scope: .remote
    )
  }

  /// Removes files that interrupted uploads left more than a day ago.
  func removeStaleUploads() throws {
    guard case .handle(let handle) = try session.exchange(.openDirectory(directory.path("tmp")))
    else { return }
    let oldest = UInt64(max(0, Environment.machine.now() / 1000 - 24 * 60 * 60))
    var old: [SFTPRequest] = []
    // This many responses are enough; the next upload handles the rest.
    for _ in 0..<100 {
      guard case .names(let names) = try session.exchange(.readDirectory(handle)) else { break }
      for entry in names where SFTPTransfer.isTemporary(entry.name) {
        guard let modified = entry.attributes.modified, modified < oldest else { continue }
        old.append(.remove(directory.path("tmp", String(decoding: entry.name, as: UTF8.self))))
      }
    }
    _ = try session.exchange([.close(handle)] + old.prefix(1000))
  }

  /// Whether a name is one that ``send(_:from:replacing:progress:)`` creates.
  private static func isTemporary(_ name: [UInt8]) -> Bool {
    let parts = name.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0].count == 64, (1...13).contains(parts[1].count) else {
      return false
    }
    return parts.joined().allSatisfy {
      (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
        || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0)
    }
  }
}
