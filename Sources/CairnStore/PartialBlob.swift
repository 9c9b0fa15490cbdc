internal import CairnDocument
internal import CairnFiles
internal import Crypto
internal import SystemPackage

/// A blob on its way into the store, in a file that outlives this process: what has come is not asked
/// for again.
///
/// It goes on, too, where git-lfs was interrupted: that lies in `lfs/incomplete/<oid>.part`. Source:
/// git-lfs, tq/basic_download.go.
public final class PartialBlob {
  public let pointer: Pointer
  /// How many of its bytes are here.
  public private(set) var count = 0
  /// Called with the number of bytes that came.
  public var onAppend: (Int) -> Void = { _ in }

  private let store: BlobStore
  private let path: FilePath
  /// Whether only we know of the file, so that nobody else will go on with it.
  private let isOurs: Bool
  private let file: FileDescriptor
  private var hash = SHA256()

  private var files: FileSystem { store.world.files }

  init(_ pointer: Pointer, in store: BlobStore) throws {
    (self.pointer, self.store) = (pointer, store)
    let directory = store.directory.appending("incomplete")
    try store.world.files.createDirectory(directory)
    let known = directory.appending("\(pointer.id).cairn")
    let interrupted = directory.appending("\(pointer.id).part")
    if try !store.world.files.exists(known), try store.world.files.exists(interrupted) {
      // It may be gone by now; then there is nothing to go on with.
      try? store.world.files.rename(interrupted, to: known)
    }
    if let file = try store.world.files.openAlone(known) {
      (path, self.file, isOurs) = (known, file, false)
      try hashWhatIsHere()
    } else {
      // Another process brings it, too; whoever is first, the bytes are the same.
      path = directory.appending("\(pointer.id).\(String(store.world.random(), radix: 36))")
      (file, isOurs) = (try store.world.files.createNew(path), true)
    }
  }

  deinit {
    try? file.close()
    // Nothing is there any more when it has become a blob.
    if isOurs { try? files.remove(path) }
  }

  private func hashWhatIsHere() throws {
    try files.forEachPiece(of: file, path) { piece in
      hash.update(bufferPointer: piece)
      count += piece.count
    }
    if count > pointer.size || count == pointer.size && !isIntact { try restart() }
  }

  private var isIntact: Bool { PhotoID(digest: hash.finalize()) == pointer.id }

  /// Takes the next bytes.
  ///
  /// - Throws: ``StoreError/corruptBlob(_:_:)`` when they are more than the blob has.
  public func append(_ bytes: UnsafeRawBufferPointer) throws {
    guard bytes.count <= pointer.size - count else {
      try restart()
      throw StoreError.corruptBlob(pointer.id, path)
    }
    try files.writeAll(bytes, to: file, path)
    hash.update(bufferPointer: bytes)
    count += bytes.count
    onAppend(bytes.count)
  }

  /// Forgets what has come.
  public func restart() throws {
    try files.empty(file, path)
    (hash, count) = (SHA256(), 0)
  }

  /// Makes it a blob of the store.
  ///
  /// - Throws: ``StoreError/corruptBlob(_:_:)`` when the bytes are not what the name says; they are
  ///   forgotten then.
  public func finish() throws {
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
  /// Begins to bring a blob here, or goes on with what was interrupted.
  public func partial(_ pointer: Pointer) throws -> PartialBlob {
    try PartialBlob(pointer, in: self)
  }
}
