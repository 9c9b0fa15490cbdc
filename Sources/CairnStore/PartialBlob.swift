internal import CairnDocument
internal import CairnFiles
internal import Crypto
internal import SystemPackage

/// A blob being downloaded into the store, in a file that outlives this process, so that a download
/// can resume.
///
/// It also resumes downloads that git-lfs left in `lfs/incomplete/<oid>.part`. Source: git-lfs,
/// tq/basic_download.go.
package final class PartialBlob {
  package let pointer: Pointer
  /// The number of bytes downloaded so far.
  package private(set) var count = 0
  /// Called with the number of bytes in each piece.
  package var onAppend: (Int) -> Void = { _ in }

  private let store: BlobStore
  private let path: FilePath
  /// Whether only this process knows of the file, so that no other will resume it.
  private let isOurs: Bool
  private let file: FileDescriptor
  private var hash = SHA256()

  private var files: FileSystem { store.environment.files }

  init(_ pointer: Pointer, in store: BlobStore) throws {
    (self.pointer, self.store) = (pointer, store)
    let directory = store.directory.appending("incomplete")
    try store.environment.files.createDirectory(directory)
    let known = directory.appending("\(pointer.id).cairn")
    let interrupted = directory.appending("\(pointer.id).part")
    if try !store.environment.files.exists(known), try store.environment.files.exists(interrupted) {
      // It may be gone by now; then there is nothing to resume.
      try? store.environment.files.rename(interrupted, to: known)
    }
    if let file = try store.environment.files.openExclusively(known) {
      (path, self.file, isOurs) = (known, file, false)
      try hashExistingBytes()
    } else {
      // Another process downloads it too; the bytes are the same, whichever finishes first.
      path = directory.appending("\(pointer.id).\(String(store.environment.random(), radix: 36))")
      (file, isOurs) = (try store.environment.files.createNew(path), true)
    }
  }

  deinit {
    try? file.close()
    // After `finish()`, the file no longer exists at this path.
    if isOurs { try? files.remove(path) }
  }

  private func hashExistingBytes() throws {
    try files.forEachPiece(of: file, path) { piece in
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
      throw StoreError.corruptBlob(pointer.id, path)
    }
    try files.writeAll(bytes, to: file, path)
    hash.update(bufferPointer: bytes)
    count += bytes.count
    onAppend(bytes.count)
  }

  /// Discards the bytes downloaded so far.
  package func restart() throws {
    try files.empty(file, path)
    (hash, count) = (SHA256(), 0)
  }

  /// Moves the file into the store as a blob.
  ///
  /// - Throws: ``StoreError/corruptBlob(_:_:)`` if the bytes do not match the name; they are
  ///   discarded.
  package func finish() throws {
    guard count == pointer.size, isIntact,
      files.isOpen(file, at: path), try files.status(path).map { Int($0.size) } == pointer.size
    else {
      try restart()
      throw StoreError.corruptBlob(pointer.id, path)
    }
    try files.makeReadOnly(path)
    try files.rename(path, to: store.path(of: pointer.id))
  }
}

extension BlobStore {
  /// Starts downloading a blob, or resumes an interrupted download.
  package func partial(_ pointer: Pointer) throws -> PartialBlob {
    try PartialBlob(pointer, in: self)
  }
}
