internal import CairnDocument
internal import CairnFiles
internal import CairnHTTP
internal import CairnStore
internal import Crypto
internal import SystemPackage

/// The bytes of an image on their way out. The last are only given when all of them hash to its name, so
/// that no server ever has the whole of something else.
final class VerifiedFile {
  private let image: Pointer
  private let path: FilePath
  private let file: FileDescriptor
  private var position = 0
  private var hash = SHA256()

  private static let pieceSize = 256 << 10

  init(_ image: Pointer, at path: FilePath) throws {
    (self.image, self.path) = (image, path)
    do {
      file = try FileDescriptor.open(path, .readOnly, options: .closeOnExec)
    } catch {
      throw FileError("read", path, (error as? Errno) ?? .ioError)
    }
  }

  deinit { try? file.close() }

  /// Returns the next bytes; nil when there are no more.
  ///
  /// - Throws: ``StoreError/corruptBlob(_:_:)`` in place of the last ones of other bytes.
  func next() throws -> [UInt8]? {
    let wanted = min(VerifiedFile.pieceSize, image.size - position)
    if wanted == 0 { return nil }
    let piece: [UInt8]
    do {
      piece = try [UInt8](unsafeUninitializedCapacity: wanted) { buffer, count in
        count = try file.read(into: UnsafeMutableRawBufferPointer(buffer))
      }
    } catch {
      throw FileError("read", path, (error as? Errno) ?? .ioError)
    }
    hash.update(data: piece)
    position += piece.count
    let isIntact = position < image.size || PhotoID(digest: hash.finalize()) == image.id
    guard !piece.isEmpty, isIntact else { throw StoreError.corruptBlob(image.id, path) }
    return piece
  }

  /// The body of a request; `progress` is called with the size of each piece.
  func body(_ progress: @escaping (Int) -> Void) -> HTTPRequest.Body {
    .pieces(length: image.size) {
      let piece = try self.next()
      progress(piece?.count ?? 0)
      return piece
    }
  }
}
