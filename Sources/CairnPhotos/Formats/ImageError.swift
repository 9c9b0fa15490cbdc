package import CairnDocument

/// An error that prevents bytes from being an image of a dataset.
package enum ImageError: Error, Equatable, Sendable {
  case empty
  /// Not a format that a dataset holds. The value names the apparent format, such as “GIF” or “a web page
  /// (HTML)”, if known.
  case unknownFormat(String?)
  /// The file is incomplete.
  case truncated(ImageFormat)
  /// Its structure is broken. The value describes the damage as a clause: “its width is zero”.
  case damaged(ImageFormat, String)
  /// More than ``ImageLimit/pixels``.
  case tooLarge(width: Int, height: Int)
  /// Structurally intact, but its pixels cannot be decoded. The value is the decoder's reason.
  case undecodable(ImageFormat, String)
  /// More than ``ImageLimit/decodedPixels``.
  case tooLargeToDecode(width: Int, height: Int)
}

extension ImageError: CustomStringConvertible {
  /// The end of a sentence that starts with the file name: “is a truncated JPEG”.
  package var description: String {
    switch self {
    case .empty: "is empty"
    case .unknownFormat(let name?): "looks like \(name), which is not an image that cairn reads"
    case .unknownFormat(nil): "is not an image in a format that cairn reads"
    case .truncated(let format): "is a truncated \(format.name)"
    case .damaged(let format, let what): "is a damaged \(format.name): \(what)"
    case .tooLarge(let width, let height):
      "has \(width) × \(height) pixels, more than the limit of \(ImageLimit.pixels)"
    case .undecodable(let format, let what):
      "is \(format == .avif ? "an" : "a") \(format.name) that cannot be decoded: \(what)"
    case .tooLargeToDecode(let width, let height):
      "has \(width) × \(height) pixels, more than can be decoded (\(ImageLimit.decodedPixels))"
    }
  }
}

extension ImageFormat {
  /// The format's usual name.
  var name: String {
    switch self {
    case .jpeg: "JPEG"
    case .png: "PNG"
    case .webp: "WebP"
    case .heic: "HEIC"
    case .gif: "GIF"
    case .bmp: "BMP"
    case .tiff: "TIFF"
    case .avif: "AVIF"
    case .dng, .cr2, .cr3, .nef, .arw, .orf, .rw2, .raf, .pef:
      "raw photo (\(rawValue.uppercased()))"
    }
  }
}

/// Limits for reading images, which come from untrusted sources.
package enum ImageLimit {
  /// The maximum width × height. Beyond it a decoder would allocate gigabytes.
  package static let pixels = 1 << 30
  /// The maximum width × height that is decoded, which takes up to about 6 bytes per pixel.
  package static let decodedPixels = 1 << 28
  /// The size in pixels above which only one image is decoded at a time.
  static let pixelsAtOnce = 1 << 25
  /// The maximum size in bytes of a decoded strip or tile of a TIFF.
  static let decodedBlock = 1 << 30
  /// The number of leading bytes searched to identify a file that is not an image.
  package static let textSearched = 1 << 10
}
