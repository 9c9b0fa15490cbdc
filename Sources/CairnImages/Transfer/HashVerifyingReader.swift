internal import CairnDocument
internal import CairnFiles
internal import CairnHTTP
internal import CairnStore
internal import SystemPackage

/// A reader of an image to send. It returns the last bytes only if all of them are verified to be
/// the image, so that no server ever receives other data whole.
final class HashVerifyingReader {
  private let image: ImageObject
  private let path: FilePath
  private let file: FileDescriptor
  private var position = 0
  private var verifier: BlobVerifier

  private static let pieceSize = 256 << 10

  init(_ image: ImageObject, at path: FilePath) throws {
    (self.image, self.path) = (image, path)
    do {
      file = try FileDescriptor.open(path, .readOnly, options: .closeOnExec)
    } catch {
      throw FileError("read", path, (error as? Errno) ?? .ioError)
    }
    verifier = BlobVerifier(image.hash, in: file)
  }

  deinit { try? file.close() }

  /// Returns the next bytes; nil at the end.
  ///
  /// - Throws: ``StoreError/corruptBlob(_:_:)`` instead of the last bytes, if they are not the image's.
  func next() throws -> [UInt8]? {
    let size = min(HashVerifyingReader.pieceSize, image.size - position)
    let piece = try [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
      count = try read(into: UnsafeMutableRawBufferPointer(buffer))
    }
    return piece.isEmpty ? nil : piece
  }

  /// Reads the next bytes into a buffer, which is not empty, and returns their number; 0 at the end.
  ///
  /// - Throws: As ``next()``.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    let wanted = min(buffer.count, image.size - position)
    if wanted == 0 { return 0 }
    let count: Int
    do {
      count = try file.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted]))
    } catch {
      throw FileError("read", path, (error as? Errno) ?? .ioError)
    }
    verifier.update(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    position += count
    guard count > 0, position < image.size || verifier.isIntact else {
      throw StoreError.corruptBlob(image.id, path)
    }
    return count
  }

  /// Returns a request body that calls `progress` with the size of each piece.
  func body(_ progress: @escaping (Int) -> Void) -> HTTPRequest.Body {
    .pieces(length: image.size) { buffer in
      let count = try self.read(into: buffer)
      progress(count)
      return count
    }
  }
}
