package import CairnDocument
package import CairnFiles
internal import Crypto
package import SystemPackage

/// The images of a repository by the SHA-256 of their bytes, in the layout of git-lfs.
///
/// Source: Git LFS, docs/spec.md “The Server”, fs/fs.go: `lfs/objects/ab/cd/<oid>`. Files are
/// read-only, since work trees and other stores may have hard links to them.
package struct BlobStore: Sendable {
  /// The directory `lfs`.
  package let directory: FilePath
  package let environment: Environment

  package init(directory: FilePath, environment: Environment) {
    (self.directory, self.environment) = (directory, environment)
  }

  private var files: FileSystem { environment.files }

  package func path(of id: PhotoID) -> FilePath {
    let text = id.description
    let (first, second) = (text.prefix(2), text.dropFirst(2).prefix(2))
    return FilePath("\(directory.string)/objects/\(first)/\(second)/\(text)")
  }

  /// Returns the size of a blob in bytes; nil if it is not in the store.
  package func size(of id: PhotoID) throws(FileError) -> Int? {
    guard let status = try files.status(path(of: id)), status.kind == .regular else { return nil }
    return Int(status.size)
  }

  /// Whether the disk of the store is known to have no reflinks, so that hard links are as good.
  package func isOnDiskWithoutReflinks() throws(FileError) -> Bool {
    guard let status = try files.status(directory) else { return false }
    return FileSystem.hasNoReflinks(status.device)
  }

  /// Returns the blobs whose ids begin with some digits, at least 4.
  package func ids(startingWith prefix: String) throws(FileError) -> [PhotoID] {
    let folder = directory.appending("objects").appending(String(prefix.prefix(2)))
      .appending(String(prefix.dropFirst(2).prefix(2)))
    return try (files.list(folder) ?? []).filter { $0.hasPrefix(prefix) }.compactMap { PhotoID($0) }
  }

  /// Bytes on this disk, hashed but not yet a blob of the store.
  package struct Staged: Sendable {
    package let id: PhotoID
    package let size: Int
    package let path: FilePath
  }

  /// Copies a file next to the store and hashes it on the way. Call ``install(_:)`` or
  /// ``discard(_:)`` afterwards, and ``flush()`` after installing.
  ///
  /// - Parameters:
  ///   - durable: Whether the bytes must be on the disk on return.
  ///   - isRecording: Whether the copy keeps the CRC-32 of the bytes, so that a push need not hash them
  ///     again.
  package func stage(
    _ source: FilePath, durable: Bool = false, recordingChecksum isRecording: Bool = false
  ) throws -> Staged {
    let temporary = try temporaryFile()
    var (hash, checksum) = (SHA256(), BlobChecksum())
    let record: ((FileDescriptor) -> Void)? =
      isRecording ? { checksum.record(of: PhotoID(digest: hash.finalize()), in: $0) } : nil
    let size = try files.copy(source, to: temporary, durable: durable, finish: record) {
      hash.update(bufferPointer: $0)
      if isRecording { checksum.update($0) }
    }
    return Staged(id: PhotoID(digest: hash.finalize()), size: size, path: temporary)
  }

  /// Writes bytes that come in pieces next to the store, hashes them on the way, and records their
  /// CRC-32.
  package func stage(pieces: () throws -> [UInt8]?) throws -> Staged {
    let temporary = try temporaryFile()
    let file = try files.createNew(temporary)
    do {
      var (hash, checksum) = (SHA256(), BlobChecksum())
      var size = 0
      while let piece = try pieces() {
        hash.update(data: piece)
        piece.withUnsafeBytes { checksum.update($0) }
        size += piece.count
        try files.writeAll(piece, to: file, temporary)
      }
      let id = PhotoID(digest: hash.finalize())
      checksum.record(of: id, in: file)
      try files.sync(file, temporary)
      try file.close()
      try files.makeReadOnly(temporary)
      return Staged(id: id, size: size, path: temporary)
    } catch {
      try? file.close()
      try? files.remove(temporary)
      throw error
    }
  }

  /// Makes staged bytes a blob; discards them if the blob exists already.
  ///
  /// - Parameters:
  ///   - name: The name of the blob, if it is not the hash of the bytes, since they are encrypted.
  ///   - isReplacing: Whether they replace a blob, which is damaged.
  /// - Throws: ``StoreError/erasedBlob(_:)`` for an image that was erased.
  package func install(
    _ staged: Staged, as name: PhotoID? = nil, replacing isReplacing: Bool = false
  ) throws {
    let name = name ?? staged.id
    if try isErased(name) {
      discard(staged)
      throw StoreError.erasedBlob(name)
    }
    if !isReplacing, try size(of: name) == staged.size { return discard(staged) }
    do {
      try files.rename(staged.path, to: path(of: name))
    } catch {
      discard(staged)
      throw error
    }
  }

  /// Makes the name of a blob durable, with the directories that it is in.
  ///
  /// - Parameter synced: The directories above that of the blob that need no sync. Those that get one
  ///   are added: remove a directory in which another one is created.
  package func syncName(of id: PhotoID, _ synced: inout Set<FilePath>) throws(FileError) {
    var parent = path(of: id).removingLastComponent()
    try files.syncDirectory(parent)
    while parent.removeLastComponent(), parent.starts(with: directory) {
      if synced.contains(parent) { continue }
      try files.syncDirectory(parent)
      synced.insert(parent)
    }
  }

  /// Makes the installed blobs durable.
  package func flush() throws(FileError) { try files.syncEverything(directory) }

  /// Removes a blob.
  package func remove(_ id: PhotoID) throws(FileError) { try files.remove(path(of: id)) }

  package func discard(_ staged: Staged) { try? files.remove(staged.path) }

  /// Removes files that an interrupted process left behind: staged ones, and downloads that no
  /// other process resumes.
  ///
  /// - Parameter hours: Their minimum age; that of a download is a day or more.
  package func removeLeftovers(olderThan hours: Int64 = 1) throws(FileError) {
    try removeLeftovers(in: "tmp", olderThan: hours) { $0.hasPrefix("cairn-") }
    try removeLeftovers(in: "incomplete", olderThan: max(hours, 24), PartialBlob.isPrivate)
  }

  private func removeLeftovers(
    in name: String, olderThan hours: Int64, _ isLeftover: (String) -> Bool
  ) throws(FileError) {
    let directory = self.directory.appending(name)
    for name in try files.list(directory) ?? [] where isLeftover(name) {
      let path = directory.appending(name)
      guard let status = try files.status(path),
        status.modified / 1_000_000 < environment.now() - hours * 3_600_000
      else { continue }
      try files.remove(path)
    }
  }

  /// Creates the directories of a new store, so that a later operation that fails leaves no new
  /// ones behind.
  package func prepare() throws(FileError) {
    try files.createDirectory(directory.appending("objects"))
    try files.createDirectory(directory.appending("tmp"))
  }

  /// Copies a blob from another store on a disk of this machine.
  ///
  /// It is hashed on the way and never linked, since a backup must not be the same file.
  /// - Returns: False if it was in this store already.
  /// - Throws: ``StoreError/missingBlob(_:)`` if the other store lacks it,
  ///   ``StoreError/corruptBlob(_:_:)`` if its bytes do not match its name.
  @discardableResult
  package func fetch(_ id: PhotoID, from other: BlobStore) throws -> Bool {
    if try size(of: id) != nil { return false }
    let source = other.path(of: id)
    guard try other.size(of: id) != nil else { throw StoreError.missingBlob(id) }
    let staged = try stage(source)
    guard staged.id == id else {
      discard(staged)
      throw StoreError.corruptBlob(id, source)
    }
    try install(staged)
    return true
  }

  /// Returns whether a blob's bytes hash to its name; nil if it is not in the store.
  package func isIntact(_ id: PhotoID) throws -> Bool? {
    guard try size(of: id) != nil else { return nil }
    return try BlobStore.hash(path(of: id), files: files) == id
  }

  /// Returns the id of a file's bytes.
  package static func hash(_ path: FilePath, files: FileSystem) throws -> PhotoID {
    var hash = SHA256()
    try files.forEachPiece(of: path) { hash.update(bufferPointer: $0) }
    return PhotoID(digest: hash.finalize())
  }

  /// Returns the size of a file in bytes if they are those of a blob, as ``BlobVerifier`` finds; nil
  /// otherwise.
  package static func size(
    of id: PhotoID, at path: FilePath, files: FileSystem
  ) throws -> Int? {
    guard let file = try files.openForReading(path) else {
      throw FileError("read", path, .noSuchFileOrDirectory)
    }
    return try file.closeAfter {
      var verifier = BlobVerifier(id, in: file)
      let size = try files.forEachPiece(of: file, path) { verifier.update($0) }
      return verifier.isIntact ? size : nil
    }
  }

  private func temporaryFile() throws(FileError) -> FilePath {
    let tmp = directory.appending("tmp")
    try files.createDirectory(tmp)
    return tmp.appending("cairn-" + String(environment.random(), radix: 36))
  }
}
