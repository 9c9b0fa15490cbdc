package import CairnDocument
package import CairnStore

/// An image as an image store keeps it: the same bytes as here, or encrypted ones under another
/// name.
package struct ImageObject: Sendable, Equatable {
  /// Its name in the store: the image's own id, unless the store is encrypted.
  package let id: PhotoID
  /// In bytes, as stored.
  package let size: Int
  /// The SHA-256 of the stored bytes; nil if only the store has them, encrypted.
  let hash: PhotoID?

  init(id: PhotoID, size: Int, hash: PhotoID?) {
    (self.id, self.size, self.hash) = (id, size, hash)
  }

  /// Creates the object of an image that is stored as it is.
  package init(_ image: Pointer) { self.init(id: image.id, size: image.size, hash: image.id) }
}

/// A destination of received bytes, which come in their order.
package protocol ImageSink: AnyObject {
  /// The number of bytes received so far.
  var count: Int { get }

  /// Appends the next bytes.
  func append(_ bytes: UnsafeRawBufferPointer) throws

  /// Discards the bytes received so far.
  func restart() throws
}

extension PartialBlob: ImageSink {}
