internal import CairnDocument
internal import CairnFiles
internal import CairnHTTP
internal import CairnStore
internal import Crypto
internal import SystemPackage

/// A reader of an image to send. It returns the last bytes only if all of them have the hash of the
/// image, so that no server ever receives other data whole.
final class HashVerifyingReader {
  private let image: ImageObject
  private let path: FilePath
  private let file: FileDescriptor
  private var position = 0
  private var hash = SHA256()

  private static let pieceSize = 256 << 10

  init(_ image: ImageObject, at path: FilePath) throws {
    (self.image, self.path) = (image, path)
    do {
      file = try FileDescriptor.open(path, .readOnly, options: .closeOnExec)
    } catch {
      throw FileError("read", path, (error as? Errno) ?? .ioError)
    }
  }

  deinit { try? file.close() }

  /// Returns the next bytes; nil at the end.
  ///
  /// - Throws: ``StoreError/corruptBlob(_:_:)`` instead of the last bytes, if the hash differs.
  func next() throws -> [UInt8]? {
    let wanted = min(HashVerifyingReader.pieceSize, image.size - position)
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
    let isIntact = position < image.size || PhotoID(digest: hash.finalize()) == image.hash
    guard !piece.isEmpty, isIntact else { throw StoreError.corruptBlob(image.id, path) }
    return piece
  }

  /// Returns a request body that calls `progress` with the size of each piece.
  func body(_ progress: @escaping (Int) -> Void) -> HTTPRequest.Body {
    .pieces(length: image.size) {
      let piece = try self.next()
      progress(piece?.count ?? 0)
      return piece
    }
  }
}
