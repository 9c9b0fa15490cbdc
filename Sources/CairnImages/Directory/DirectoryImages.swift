internal import CairnFiles
package import CairnStore
internal import CairnTransport
internal import SystemPackage

/// An image store in a directory of this machine, laid out like a repository's `lfs`: next to a
/// bare repository on a disk or a share, or in a directory for images only.
///
/// git-lfs needs no server for a repository in a directory, but does not support a directory with
/// images only.
package struct DirectoryImages: ImageRemote {
  package let store: BlobStore
  private let syncsTogether: Bool?

  /// - Parameter syncsTogether: Whether its file system makes all writes durable at once; nil to find out.
  package init(_ store: BlobStore, syncsTogether: Bool? = nil) {
    (self.store, self.syncsTogether) = (store, syncsTogether)
  }

  package var address: String { store.directory.string }
  package var batchSize: Int { 512 }
  /// A second connection keeps the disk busy while the first hashes.
  package var connections: Int { 2 }

  /// Images that are received together are open at the same time; those that are sent together wait
  /// twice for the disk.
  package func groupLimit(_ direction: ImageDirection) -> ImageGroupLimit {
    direction == .download
      ? ImageGroupLimit(images: 64) : ImageGroupLimit(images: batchSize, bytes: 8 << 20)
  }

  package func connect() throws -> any ImageConnection {
    Connection(store: store, syncsTogether: syncsTogether)
  }

  private final class Connection: ImageConnection {
    let store: BlobStore
    private var hasCleanedUp = false
    /// The directories above those of images whose names the disk has.
    private var synced: Set<FilePath> = []
    private let syncsTogether: Bool?
    /// Opened before the first group is written, so that it reports every failed write; nil if it cannot
    /// sync several images together.
    private lazy var fileSystem = SyncedFileSystem(
      // Images are renamed from there, so they are on the same file system.
      store.directory.appending("tmp"), syncsTogether: syncsTogether, files: store.environment.files
    )

    init(store: BlobStore, syncsTogether: Bool?) {
      (self.store, self.syncsTogether) = (store, syncsTogether)
    }

    func query(_ direction: ImageDirection, about images: [ImageObject]) throws -> [RemoteStatus] {
      if direction == .upload, !hasCleanedUp {
        hasCleanedUp = true
        // Other machines may use the store, whose clocks may differ.
        try? store.removeLeftovers(olderThan: 24)
      }
      // A download of other images, or of the documents, goes on without one that cannot be read.
      return try reporting(otherwise: direction == .download ? .serverError : nil) {
        let erased = direction == .upload ? try store.erasedBlobs() : []
        return try images.map {
          // Nobody needs to send an image that the store does not take in.
          try erased.contains($0.id) || store.size(of: $0.id) == $0.size
            ? .present(TransferAction()) : .missing(TransferAction())
        }
      }
    }

    /// Copies the image, never links it, since a backup must not be the same file. On return, the disk
    /// has it: an image that counts as stored may be dropped elsewhere.
    func send(
      _ image: ImageObject, from file: FilePath, _ action: TransferAction, progress: (Int) -> Void
    ) throws {
      let staged = try stage(image, from: file, durable: true)
      try reporting {
        // A directory that this creates is a new name in its parent.
        var parent = store.path(of: image.id).removingLastComponent()
        while !store.environment.files.directoryExists(parent), parent.removeLastComponent() {
          synced.remove(parent)
        }
        try store.install(staged, as: image.id, replacing: action.replaces)
        try store.syncName(of: image.id, &synced)
      }
      progress(image.size)
    }

    /// Sends small images together if possible. Otherwise, or if one of them fails, sends them one by one:
    /// that tells which one failed and why, and syncs the names of those that are in place.
    func send(_ images: [ImageUpload], sent: (Int) -> Void) throws {
      let areStored = images.count >= Connection.smallestGroup && sendTogether(images)
      for (position, upload) in images.enumerated() {
        if !areStored { try send(upload.image, from: upload.file, upload.action) { _ in } }
        sent(position)
      }
    }

    /// For fewer images, what other programs have written may cost more than it saves to sync them
    /// together.
    private static let smallestGroup = 8

    /// Syncs the file system twice: when all images are written, and when all have their names.
    ///
    /// - Returns: Whether the remote has all of them. If not, it may have some whose names are not durable.
    private func sendTogether(_ images: [ImageUpload]) -> Bool {
      var staged: [BlobStore.Staged] = []
      do {
        try store.prepare()
        guard let fileSystem else { return false }
        for upload in images {
          staged.append(try stage(upload.image, from: upload.file, durable: false))
        }
        try fileSystem.sync()
        for (upload, staged) in zip(images, staged) {
          try store.install(staged, as: upload.image.id)
        }
        try fileSystem.sync()
        return true
      } catch {
        staged.forEach(store.discard)
        // It may have created directories whose names the disk does not have.
        synced = []
        return false
      }
    }

    /// Copies an image next to the store.
    ///
    /// - Throws: ``StoreError/corruptBlob(_:_:)`` if the bytes of the file are not the image.
    private func stage(
      _ image: ImageObject, from file: FilePath, durable: Bool
    ) throws -> BlobStore.Staged {
      let staged: BlobStore.Staged
      do {
        staged = try store.stage(file, durable: durable)
      } catch let error as FileError where error.path == file {
        throw error
      } catch {
        staged = try reporting { throw error }
      }
      guard staged.id == image.hash else {
        store.discard(staged)
        throw StoreError.corruptBlob(image.id, file)
      }
      return staged
    }

    func receive(_ image: ImageObject, into partial: any ImageSink, _ action: TransferAction) throws
    {
      var skipped = partial.count
      let path = store.path(of: image.id)
      if action.isVerification {
        do throws(FileError) {
          try store.environment.files.syncForReading(path)
          try store.syncName(of: image.id, &synced)
        } catch {
          throw unreadable(error)
        }
      }
      do {
        try store.environment.files.forEachPiece(of: path) { piece in
          let known = min(skipped, piece.count)
          skipped -= known
          try partial.append(UnsafeRawBufferPointer(rebasing: piece[known...]))
        }
      } catch let error as FileError where error.path == path {
        throw unreadable(error)
      }
    }

    private func unreadable(_ error: FileError) -> TransferError {
      TransferError(
        TransportError(kind(of: error) ?? .serverError, store.directory.string, "\(error)"))
    }

    func erase(_ image: ImageObject) throws -> RemoteErasure {
      try reporting { try store.erase(image.id, size: image.size) }
      return .erased
    }

    func has(_ image: ImageObject) throws -> Bool {
      try reporting { try !store.remains(of: image.id, size: image.size).isEmpty }
    }

    /// Translates file errors: a full or missing disk affects all images. Others are errors of this
    /// machine.
    ///
    /// - Parameter other: The kind of those others; nil to throw them as they are.
    private func reporting<Result>(
      otherwise other: TransportError.Kind? = nil, _ body: () throws -> Result
    ) throws -> Result {
      do {
        return try body()
      } catch let error as FileError {
        guard let kind = kind(of: error) ?? other else { throw error }
        throw TransferError(
          TransportError(kind, store.directory.string, "\(error)"), scope: .remote)
      }
    }

    /// Returns the kind of an error that affects the whole store; nil if it concerns one file. Only
    /// a missing disk or share counts as a lost connection.
    private func kind(of error: FileError) -> TransportError.Kind? {
      switch error.code {
      case .noSpace, .diskQuotaExceeded: return .noSpace
      case .permissionDenied, .notPermitted, .readOnlyFileSystem: return .forbidden
      case .noSuchAddressOrDevice, .operationNotSupportedByDevice, .staleNFSFileHandle, .hostIsDown,
        .socketNotConnected, .timedOut:
        return .connectionLost
      default:
        let isThere = store.environment.files.directoryExists(store.directory)
        return isThere ? nil : .connectionLost
      }
    }
  }
}
