internal import CairnFiles
public import CairnStore
internal import CairnTransport
internal import SystemPackage

/// Images in a directory of this machine, laid out as a repository's `lfs`: beside a bare repository on a
/// disk or a share, or in a directory that is for them alone.
///
/// git-lfs needs no server for a repository in a directory; of a directory for images alone it knows
/// nothing.
public struct DirectoryImages: ImageRemote {
  public let store: BlobStore

  public init(_ store: BlobStore) { self.store = store }

  public var address: String { store.directory.string }
  public var batchSize: Int { 64 }
  /// A second one keeps the disk at work while the first hashes.
  public var lines: Int { 2 }

  public func connect() throws -> any ImageLine { Line(store: store) }

  public func settle() throws { try store.flush() }

  private final class Line: ImageLine {
    let store: BlobStore

    init(store: BlobStore) { self.store = store }

    func ask(_ direction: ImageDirection, about images: [Pointer]) throws -> [ImageAnswer] {
      try reporting {
        try images.map {
          try store.size(of: $0.id) == $0.size ? .there(ImageTicket()) : .absent(ImageTicket())
        }
      }
    }

    /// It is copied, never linked, since what is to be a backup must not be the same file.
    func send(
      _ image: Pointer, from file: FilePath, _ ticket: ImageTicket, progress: (Int) -> Void
    ) throws {
      let staged: BlobStore.Staged
      do {
        staged = try store.stage(file)
      } catch let error as FileError where error.path == file {
        throw error
      } catch {
        staged = try reporting { throw error }
      }
      guard staged.id == image.id else {
        store.discard(staged)
        throw StoreError.corruptBlob(image.id, file)
      }
      try reporting { try store.install(staged) }
      progress(image.size)
    }

    func receive(_ image: Pointer, into partial: PartialBlob, _ ticket: ImageTicket) throws {
      var skipped = partial.count
      let path = store.path(of: image.id)
      do {
        try store.world.files.forEachPiece(of: path) { piece in
          let known = min(skipped, piece.count)
          skipped -= known
          try partial.append(UnsafeRawBufferPointer(rebasing: piece[known...]))
        }
      } catch let error as FileError where error.path == path {
        throw TransferError(TransportError(.lost, store.directory.string, "\(error)"))
      }
    }

    /// A disk that is full or gone concerns all images.
    private func reporting<Result>(_ body: () throws -> Result) throws -> Result {
      do {
        return try body()
      } catch let error as FileError {
        let kind: TransportError.Kind =
          switch error.code {
          case .noSpace: .full
          case .permissionDenied, .notPermitted, .readOnlyFileSystem: .forbidden
          default: .lost
          }
        throw TransferError(
          TransportError(kind, store.directory.string, "\(error)"), scope: .remote)
      }
    }
  }
}
