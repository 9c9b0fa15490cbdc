internal import CairnDocument

/// A thumbnail and perceptual hash of a photo, from a single decoding.
package struct PhotoPreview: Equatable, Sendable {
  /// The longest side of a thumbnail, in pixels.
  package static let side = 320

  /// A JPEG of the upright image that fits ``side``.
  package let thumbnail: [UInt8]
  /// Nil when the photo has too little detail.
  package let hash: PerceptualHash?

  /// Decodes an image and creates its preview.
  ///
  /// - Parameter bytes: A whole image.
  package init(of bytes: UnsafeRawBufferPointer) throws(ImageError) {
    let pixels = try PixelBuffer(decoding: bytes, fitting: PhotoPreview.side)
    guard let thumbnail = pixels.jpegBytes(quality: 80) else {
      throw .undecodable(.jpeg, "out of memory for a thumbnail")
    }
    self.thumbnail = thumbnail
    hash = PerceptualHash(of: pixels)
  }
}
