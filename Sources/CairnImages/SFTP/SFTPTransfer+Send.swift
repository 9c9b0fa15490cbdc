internal import CairnDocument
internal import CairnStore
internal import CairnTransport
internal import SystemPackage

extension SFTPTransfer {
  /// Sends an image.
  ///
  /// - Parameters:
  ///   - leftover: The temporary file of an earlier attempt, to be continued. One of an encrypted
  ///     image is removed: it was encrypted with another random key.
  ///   - onBroken: Called with the temporary file when the connection was lost.
  func send(
    _ image: ImageObject, from file: FilePath, continuing leftover: String?,
    replacing isReplacing: Bool, onBroken: (_ leftover: String) -> Void, progress: (Int) -> Void
  ) throws {
    let source = try HashVerifyingReader(image, at: file)
    let name = UploadName.make(for: image)
    let temporary = directory.path("tmp", name)
    var known = 0
    var handle: SFTPHandle?
    if let leftover, image.hash != image.id {
      _ = try session.status(.remove(directory.path("tmp", leftover)))
    } else if let leftover {
      (handle, known) = try continued(directory.path("tmp", leftover), as: temporary, image, file)
    }
    let open = try handle ?? create(temporary, for: image)
    do {
      try write(source, open, image, after: known, progress)
      try finish(open, image)
      if known > 0 { _ = try session.status(.setMode(temporary, 0o444)) }
      try rename(temporary, as: image, replacing: isReplacing)
    } catch {
      // A leftover file is not an image; a later upload continues or removes it.
      if session.isBroken {
        onBroken(name)
      } else {
        _ = try? session.exchange([.close(open), .remove(temporary)])
      }
      throw error
    }
  }

  /// Takes over the temporary file of an earlier attempt under a new name, so that nobody else
  /// renames it meanwhile.
  ///
  /// What it has is read back: after a crash of the server, it may be other bytes.
  /// - Returns: The open file and the number of bytes that it has; nil if it cannot be continued.
  private func continued(
    _ leftover: String, as temporary: String, _ image: ImageObject, _ file: FilePath
  ) throws -> (SFTPHandle?, Int) {
    guard try session.status(.rename(leftover, to: temporary)).isDone else { return (nil, 0) }
    _ = try session.status(.setMode(temporary, 0o644))
    if case .attributes(let there) = try session.exchange(.attributes(temporary)), there.isFile,
      let size = there.size.flatMap({ Int(exactly: $0) }), size <= image.size,
      case .handle(let handle) = try session.exchange(.openToContinue(temporary))
    {
      let count = size / SFTPSession.blockSize * SFTPSession.blockSize
      if try isBeginning(count, of: image, at: file, in: handle) { return (handle, count) }
      _ = try session.status(.close(handle))
    }
    _ = try session.status(.remove(temporary))
    return (nil, 0)
  }

  /// Whether the first bytes of an open file there are those of an image here.
  private func isBeginning(
    _ count: Int, of image: ImageObject, at file: FilePath, in handle: SFTPHandle
  ) throws -> Bool {
    let source = try HashVerifyingReader(image, at: file)
    var (here, isEqual) = ([UInt8](), true)
    try read(handle, 0..<count, of: image) { bytes in
      while isEqual, here.count < bytes.count, let piece = try source.next() { here += piece }
      isEqual = isEqual && here.prefix(bytes.count).elementsEqual(bytes)
      here.removeFirst(min(bytes.count, here.count))
    }
    return isEqual
  }

  private func create(_ path: String, for image: ImageObject) throws -> SFTPHandle {
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

  /// Writes the image from an offset on, with many blocks outstanding, and reports the blocks that
  /// the server has accepted, not those that it had before.
  private func write(
    _ source: HashVerifyingReader, _ handle: SFTPHandle, _ image: ImageObject, after known: Int,
    _ progress: (Int) -> Void
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
      var rest = piece.dropFirst(max(0, known - offset))
      offset += piece.count - rest.count
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
  private func finish(_ handle: SFTPHandle, _ image: ImageObject) throws {
    let closing: [SFTPRequest] =
      (session.supports(.sync) ? [.sync(handle)] : []) + [.close(handle)]
    let directories = directory.directories(of: image).dropFirst().map(SFTPRequest.makeDirectory)
    for status in try session.statuses(closing + directories).prefix(closing.count)
    where !status.isDone && status.code != .unsupported {
      throw refusal(status, image)
    }
  }

  /// Renames the temporary file to the image's name.
  ///
  /// - Parameter isReplacing: Whether the file with that name is damaged, whatever its size.
  private func rename(
    _ temporary: String, as image: ImageObject, replacing isReplacing: Bool
  ) throws {
    let path = directory.path(of: image)
    let move: SFTPRequest =
      session.supports(.replace) ? .replace(temporary, to: path) : .rename(temporary, to: path)
    // Some servers do not delete what is not writable, as all images are.
    let replace: [SFTPRequest] = [
      .setMode(path, 0o644), .remove(path), .rename(temporary, to: path),
    ]
    if isReplacing, !session.supports(.replace) {
      if try session.statuses(replace)[2].isDone { return }
    } else if try session.status(move).isDone {
      return
    }
    let created = try session.statuses(
      directory.directories(of: image).map(SFTPRequest.makeDirectory))
    var status = try session.status(move)
    if status.isDone { return }
    // Another client may have sent it meanwhile; otherwise the file with its name is not the image.
    switch try session.exchange(.attributes(path)) {
    case .attributes(let file)
    where !isReplacing && file.isFile && file.size == UInt64(image.size):
      return _ = try session.status(.remove(temporary))
    case .attributes:
      status = try session.statuses(replace)[2]
      if status.isDone { return }
    default: break
    }
    let forbidden = created.first { $0.code == .permissionDenied }
    let error = refusal(forbidden ?? status, image)
    guard forbidden == nil, status.code == .noSuchFile else { throw error }
    if case .attributes = try session.exchange(.attributes(temporary)) { throw error }
    // Another client took this upload for an abandoned one, and continues or has removed it.
    throw TransferError(error.cause, isTransient: true, attempts: 3)
  }

  /// Returns the error for a rejected image. Most servers report a full disk only as “Failure”, so
  /// this queries the free space.
  private func refusal(_ status: SFTPStatus, _ image: ImageObject) -> TransferError {
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

  /// The age in seconds from which nobody writes a temporary file any more.
  private static let quietAge: UInt64 = 30

  /// Removes files that interrupted uploads left more than a day ago.
  ///
  /// - Returns: The newer ones, by the image that they begin.
  func sweepUploads() throws -> [PhotoID: String] {
    let uploads = try listUploads()
    guard let first = uploads.first, let now = try serverTime(like: first.name) else { return [:] }
    var old: [SFTPRequest] = []
    var leftovers: [PhotoID: String] = [:]
    for (name, file) in uploads {
      guard let modified = file.modified else { continue }
      if UInt64(modified) + 24 * 60 * 60 < now {
        old.append(.remove(directory.path("tmp", name)))
      } else if UInt64(modified) + SFTPTransfer.quietAge < now,
        file.size ?? 0 >= UInt64(SFTPSession.blockSize), let id = PhotoID(String(name.prefix(64)))
      {
        leftovers[id] = name
      }
    }
    if !old.isEmpty { _ = try session.exchange(Array(old.prefix(1000))) }
    return leftovers
  }

  private func listUploads() throws -> [(name: String, file: SFTPAttributes)] {
    guard case .handle(let handle) = try session.exchange(.openDirectory(directory.path("tmp")))
    else { return [] }
    var uploads: [(name: String, file: SFTPAttributes)] = []
    // This many responses are enough; the next upload handles the rest.
    for _ in 0..<100 {
      guard case .names(let names) = try session.exchange(.readDirectory(handle)) else { break }
      for entry in names where UploadName.isValid(entry.name) {
        uploads.append((String(decoding: entry.name, as: UTF8.self), entry.attributes))
      }
    }
    _ = try session.status(.close(handle))
    return uploads
  }

  /// Returns the time of the server's clock, in seconds since 1970: the modification time of a file
  /// that it creates now.
  ///
  /// - Parameter name: The name of an upload. The file gets a similar one, so that a later upload
  ///   removes the file if this one cannot.
  private func serverTime(like name: String) throws -> UInt64? {
    let random = String(UInt64.random(in: 0 ... .max), radix: 36)
    let path = directory.path("tmp", "\(name.prefix(64)).\(random)")
    guard case .handle(let handle) = try session.exchange(.create(path)) else { return nil }
    let responses = try session.exchange([.attributes(path), .close(handle), .remove(path)])
    guard case .attributes(let file)? = responses.first else { return nil }
    return file.modified.map { UInt64($0) }
  }
}
