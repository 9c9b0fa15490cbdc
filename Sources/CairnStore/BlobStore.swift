public import CairnDocument
public import CairnFiles
internal import Crypto
public import SystemPackage

/// The images of a repository by the SHA-256 of their bytes, exactly where git-lfs keeps them.
///
/// Source: Git LFS, docs/spec.md “The Server”, fs/fs.go: `lfs/objects/ab/cd/<oid>`. Files are
/// read-only, since hard links of them may stand in work trees and in other stores.
public struct BlobStore: Sendable {
  /// The directory `lfs`.
  public let directory: FilePath
  public let world: World

  public init(directory: FilePath, world: World) {
    (self.directory, self.world) = (directory, world)
  }

  private var files: FileSystem { world.files }

  public func path(of id: PhotoID) -> FilePath {
    let text = id.description
    return directory.appending("objects").appending(String(text.prefix(2)))
      .appending(String(text.dropFirst(2).prefix(2))).appending(text)
  }

  /// Returns the size of a blob in bytes; nil when it is not here.
  public func size(of id: PhotoID) throws(FileError) -> Int? {
    guard let status = try files.status(path(of: id)), status.kind == .regular else { return nil }
    return Int(status.size)
  }

  /// Bytes that are on this disk, hashed, but not yet a blob of the store.
  public struct Staged: Sendable {
    public let id: PhotoID
    public let size: Int
    public let path: FilePath
  }

  /// Copies a file next to the store and hashes it on the way. Follow it with ``install(_:)`` or
  /// ``discard(_:)``, and what was installed with ``flush()``.
  public func stage(_ source: FilePath) throws -> Staged {
    let temporary = try temporaryFile()
    var hash = SHA256()
    let size = try files.copy(source, to: temporary) {
      hash.update(bufferPointer: $0)
    }
    return Staged(id: PhotoID(digest: hash.finalize()), size: size, path: temporary)
  }

  /// Writes bytes that come in pieces next to the store and hashes them on the way.
  public func stage(pieces: () throws -> [UInt8]?) throws -> Staged {
    let temporary = try temporaryFile()
    let file = try files.createNew(temporary)
    do {
      var hash = SHA256()
      var size = 0
      while let piece = try pieces() {
        hash.update(data: piece)
        size += piece.count
        try files.writeAll(piece, to: file, temporary)
      }
      try files.sync(file, temporary)
      try file.close()
      try files.makeReadOnly(temporary)
      return Staged(id: PhotoID(digest: hash.finalize()), size: size, path: temporary)
    } catch {
      try? file.close()
      try? files.remove(temporary)
      throw error
    }
  }

  /// Makes staged bytes a blob; does nothing but tidy up when it is there already.
  public func install(_ staged: Staged) throws(FileError) {
    if try size(of: staged.id) == staged.size { return discard(staged) }
    do throws(FileError) {
      try files.rename(staged.path, to: path(of: staged.id))
    } catch {
      discard(staged)
      throw error
    }
  }

  /// Makes the blobs that were installed durable.
  public func flush() throws(FileError) { try files.syncEverything(directory) }

  /// Takes a blob away.
  public func remove(_ id: PhotoID) throws(FileError) { try files.remove(path(of: id)) }

  public func discard(_ staged: Staged) { try? files.remove(staged.path) }

  /// Removes what was staged and left there by a process that was cut short, an hour ago or more.
  public func removeLeftovers() throws(FileError) {
    let tmp = directory.appending("tmp")
    for name in try files.list(tmp) ?? [] where name.hasPrefix("cairn-") {
      let path = tmp.appending(name)
      guard let status = try files.status(path),
        status.modified / 1_000_000 < world.now() - 3_600_000
      else { continue }
      try files.remove(path)
    }
  }

  /// Makes the directories of a new store, so that a failure later leaves none.
  public func prepare() throws(FileError) {
    try files.createDirectory(directory.appending("objects"))
    try files.createDirectory(directory.appending("tmp"))
  }

  /// Brings a blob over from another store on a disk of this machine.
  ///
  /// It is copied, never linked, since a copy that is to be a backup must not be the same file, and
  /// hashed on the way.
  /// - Returns: False when it was here already.
  /// - Throws: ``StoreError/missingBlob(_:)`` when the other store lacks it,
  ///   ``StoreError/corruptBlob(_:_:)`` when its bytes are not what its name says.
  @discardableResult
  public func fetch(_ id: PhotoID, from other: BlobStore) throws -> Bool {
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

  /// Reads a blob and tells whether its bytes hash to its name; nil when it is not here.
  public func isIntact(_ id: PhotoID) throws -> Bool? {
    guard try size(of: id) != nil else { return nil }
    return try BlobStore.hash(path(of: id), files: files) == id
  }

  /// Returns the id that the bytes of a file have.
  public static func hash(_ path: FilePath, files: FileSystem) throws -> PhotoID {
    var hash = SHA256()
    try files.forEachPiece(of: path) { hash.update(bufferPointer: $0) }
    return PhotoID(digest: hash.finalize())
  }

  private func temporaryFile() throws(FileError) -> FilePath {
    let tmp = directory.appending("tmp")
    try files.createDirectory(tmp)
    return tmp.appending("cairn-" + String(world.random(), radix: 36))
  }
}
