internal import CairnDocument

/// A small picture of a photo, and what it looks like; both from one decoding.
public struct PhotoPreview: Equatable, Sendable {
  /// The longest side of a thumbnail, in pixels.
  public static let side = 320

  /// A JPEG of the upright image that fits ``side``.
  public let thumbnail: [UInt8]
  /// Nil where nothing is on the photo to tell it by.
  public let hash: PerceptualHash?

  /// - Parameter bytes: A whole image.
  public init(of bytes: UnsafeRawBufferPointer) throws(ImageError) {
    let pixels = try PixelBuffer(decoding: bytes, fitting: PhotoPreview.side)
    guard let thumbnail = pixels.jpegBytes(quality: 80) else {
      throw .undecodable(.jpeg, "no memory is left for a thumbnail")
    }
    self.thumbnail = thumbnail
    hash = PerceptualHash(of: pixels)
  }
}
