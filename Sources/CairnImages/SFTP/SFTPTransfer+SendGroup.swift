internal import CairnDocument

extension SFTPTransfer {
  /// Sends small images together, so that each step of all of them takes one round trip: the files
  /// are created, then written, and renamed only when the server has confirmed every byte.
  ///
  /// - Parameter onBroken: Called with the temporary file of each image when the connection was lost.
  /// - Returns: The positions of the images that the server has now. Of the others nothing is left;
  ///   sending one alone tells why.
  /// - Throws: ``StoreError/corruptBlob(_:_:)`` before anything is sent, when the bytes of one are not
  ///   the image.
  func send(
    _ uploads: [ImageUpload], onBroken: (_ image: PhotoID, _ leftover: String) -> Void
  ) throws -> [Int] {
    let contents = try uploads.map(SFTPTransfer.bytes)
    let names = uploads.map { UploadName.make(for: $0.image) }
    let paths = names.map { directory.path("tmp", $0) }
    do {
      let files = try create(paths)
      let written = try write(contents, files, uploads)
      let moves = written.map { position -> SFTPRequest in
        let path = directory.path(of: uploads[position].image)
        return session.supports(.replace)
          ? .replace(paths[position], to: path) : .rename(paths[position], to: path)
      }
      let moved = try session.statuses(moves)
      let stored = zip(written, moved).filter { $0.1.isDone }.map { $0.0 }
      let left = files.indices.filter { files[$0] != nil && !stored.contains($0) }
      _ = try session.exchange(left.map { SFTPRequest.remove(paths[$0]) })
      return stored
    } catch {
      if session.isBroken {
        for (upload, name) in zip(uploads, names) { onBroken(upload.image.id, name) }
      }
      throw error
    }
  }

  /// Returns the created files; nil for those that cannot be created.
  private func create(_ paths: [String]) throws -> [SFTPHandle?] {
    let files = try session.exchange(paths.map(SFTPRequest.create)).map(handle)
    guard !paths.isEmpty, files.allSatisfy({ $0 == nil }) else { return files }
    // A new store has no directory for them yet.
    _ = try session.exchange(
      [.makeDirectory(directory.root), .makeDirectory(directory.path("tmp"))])
    return try session.exchange(paths.map(SFTPRequest.create)).map(handle)
  }

  private static func bytes(of upload: ImageUpload) throws -> [UInt8] {
    let file = try HashVerifyingReader(upload.image, at: upload.file)
    var bytes: [UInt8] = []
    while let piece = try file.next() { bytes += piece }
    return bytes
  }

  /// Returns the open file of a response; nil if it was not opened or created.
  func handle(_ response: SFTPResponse) throws -> SFTPHandle? {
    switch response {
    case .handle(let handle): return handle
    case .status(let status) where !status.isDone: return nil
    default: throw session.unexpected()
    }
  }

  /// Writes and closes the files, and creates the directories of the images.
  ///
  /// - Returns: The positions of the files that are complete.
  private func write(
    _ contents: [[UInt8]], _ files: [SFTPHandle?], _ uploads: [ImageUpload]
  ) throws -> [Int] {
    var requests: [SFTPRequest] = []
    var parts: [(position: Int, writes: Range<Int>, closing: Range<Int>)] = []
    for (position, file) in files.enumerated() {
      guard let file else { continue }
      let (bytes, first) = (contents[position], requests.count)
      for offset in stride(from: 0, to: bytes.count, by: SFTPSession.blockSize) {
        let block = bytes[offset...].prefix(SFTPSession.blockSize)
        requests.append(.write(file, offset: offset, block))
      }
      let end = requests.count
      if session.supports(.sync) { requests.append(.sync(file)) }
      requests.append(.close(file))
      parts.append((position, first..<end, end..<requests.count))
      requests += directory.directories(of: uploads[position].image).map(SFTPRequest.makeDirectory)
    }
    let statuses = try session.statuses(requests)
    return parts.filter { part in
      statuses[part.writes].allSatisfy(\.isDone)
        && statuses[part.closing].allSatisfy { $0.isDone || $0.code == .unsupported }
    }
    .map { $0.position }
  }
}
