package import CairnDocument

/// What a file contains, by its first bytes.
package enum FileContent: Equatable, Sendable {
  case image(ImageFormat)
  /// Not an image that a dataset holds; the name, such as “a video (MP4)”, if the format is known.
  case other(String?)

  /// - Parameter head: The first bytes of a file, ``ImageLimit/textSearched`` of them if it has as
  ///   many.
  package init(of head: UnsafeRawBufferPointer) {
    let bytes = ImageBytes(head)
    // Fewer bytes may start with a part of a signature.
    if bytes.count >= 16, let format = ImageFormat(signatureOf: bytes) {
      self = .image(format)
    } else {
      self = .other(unsupportedFormatName(of: bytes))
    }
  }
}
