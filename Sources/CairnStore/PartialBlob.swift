internal import CairnDocument
internal import CairnFiles
internal import Crypto
internal import SystemPackage

/// A blob being downloaded into the store, in a file that outlives this process, so that a download
/// can resume; or one whose bytes are only hashed.
///
/// It also resumes downloads that git-lfs left in `lfs/incomplete/<oid>.part`. Source: git-lfs,
/// tq/basic_download.go.
package final class PartialBlob {
  package let pointer: Pointer
  /// The number of bytes downloaded so far.
  package private(set) var count = 0
  /// Called with the number of bytes in each piece.
  package var onAppend: (Int) -> Void = { _ in }

  private struct Destination {
    let store: BlobStore
    let path: FilePath
    let file: FileDescriptor
    /// Whether only this process knows of the file, so that no other will resume it.
    let isOurs: Bool

    var files: FileSystem { store.environment.files }
  }

  /// Nil if the bytes are only hashed.
  private let destination: Destination?
  private var hash = SHA256()

  /// Creates a blob whose bytes are hashed and discarded, to verify the content of another store.
  package init(verifying pointer: Pointer) {
    (self.pointer, destination) = (pointer, nil)
  }

  init(_ pointer: Pointer, in store: BlobStore) throws {
    self.pointer = pointer
    if try store.isErased(pointer.id) { throw StoreError.erasedBlob(pointer.id) }
    let directory = store.directory.appending("incomplete")
    try store.environment.files.createDirectory(directory)
    let known = directory.appending("\(pointer.id).cairn")
    let interrupted = directory.appending("\(pointer.id).part")
    if try !store.environment.files.exists(known), try store.environment.files.exists(interrupted) {
      // It may be gone by now; then there is nothing to resume.
      try? store.environment.files.rename(interrupted, to: known)
    }
    if let file = try store.environment.files.openExclusively(known) {
      destination = Destination(store: store, path: known, file: file, isOurs: false)
      try hashExistingBytes()
    } else {
      // Another process downloads it too; the bytes are the same, whichever finishes first.
      let path = directory.appending(
        "\(pointer.id).\(String(store.environment.random(), radix: 36))")
      destination = Destination(
        store: store, path: path, file: try store.environment.files.createNew(path), isOurs: true)
    }
  }

  /// Whether a file in `incomplete` belongs to a single process; git-lfs and cairn resume the others.
  static func isPrivate(_ name: String) -> Bool {
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 2 && PhotoID(String(parts[0])) != nil
      && UInt64(parts[1], radix: 36) != nil
      && !["cairn", "part", "tmp"].contains(parts[1])
  }

  deinit {
    guard let destination else { return }
    try? destination.file.close()
    // After `finish()`, the file no longer exists at this path.
    if destination.isOurs { try? destination.files.remove(destination.path) }
  }

  private func hashExistingBytes() throws {
    guard let destination else { return }
    try destination.files.forEachPiece(of: destination.file, destination.path) { piece in
      hash.update(bufferPointer: piece)
      count += piece.count
    }
    if count > pointer.size || count == pointer.size && !isIntact { try restart() }
  }

  private var isIntact: Bool { PhotoID(digest: hash.finalize()) == pointer.id }

  /// Appends the next bytes.
  ///
  /// - Throws: ``StoreError/corruptBlob(_:_:)`` if the bytes exceed the size of the blob.
  package func append(_ bytes: UnsafeRawBufferPointer) throws {
    guard bytes.count <= pointer.size - count else {
      try restart()
      throw corruption
    }
    if let destination {
      try destination.files.writeAll(bytes, to: destination.file, destination.path)
    }
    hash.update(bufferPointer: bytes)
    count += bytes.count
    onAppend(bytes.count)
  }

  /// Discards the bytes downloaded so far.
  package func restart() throws {
    if let destination { try destination.files.truncate(destination.file, destination.path) }
    (hash, count) = (SHA256(), 0)
  }

  private var corruption: StoreError {
    .corruptBlob(pointer.id, destination?.path ?? FilePath(pointer.id.description))
  }

  /// Checks that all bytes are there and match the name, and moves the file into the store as a blob.
  ///
  /// - Throws: ``StoreError/corruptBlob(_:_:)`` if the bytes do not match the name; they are
  ///   discarded.
  package func finish() throws {
    guard count == pointer.size, isIntact else {
      try restart()
      throw corruption
    }
    guard let destination else { return }
    let (files, path) = (destination.files, destination.path)
    if try destination.store.isErased(pointer.id) {
      try files.remove(path)
      throw StoreError.erasedBlob(pointer.id)
    }
    guard files.isOpen(destination.file, at: path),
      try files.status(path).map({ Int($0.size) }) == pointer.size
    else {
      try restart()
      throw corruption
    }
    try files.makeReadOnly(path)
    try files.rename(path, to: destination.store.path(of: pointer.id))
  }
}

extension BlobStore {
  /// Starts downloading a blob, or resumes an interrupted download.
  package func partial(_ pointer: Pointer) throws -> PartialBlob {
    try PartialBlob(pointer, in: self)
  }
}
