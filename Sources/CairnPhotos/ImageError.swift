public import CairnDocument

/// Why some bytes are not an image that a dataset holds.
public enum ImageError: Error, Equatable, Sendable {
  case empty
  /// Not JPEG, PNG, WebP or HEIC. The value names what it looks like instead, such as “GIF” or
  /// “a web page (HTML)”, where that is known.
  case unknownFormat(String?)
  /// Ends before its end.
  case truncated(ImageFormat)
  /// Its structure is broken. The value says what, as a clause: “its width is zero”.
  case damaged(ImageFormat, String)
  /// More than ``ImageLimit/pixels``.
  case tooLarge(width: Int, height: Int)
  /// Whole by its structure, but its pixels cannot be had. The value says why, as a decoder does.
  case undecodable(ImageFormat, String)
  /// More than ``ImageLimit/decodedPixels``.
  case tooLargeToDecode(width: Int, height: Int)
}

extension ImageError: CustomStringConvertible {
  /// The rest of a sentence that starts with the name of the file: “is a JPEG that ends too early”.
  public var description: String {
    switch self {
    case .empty: "is empty"
    case .unknownFormat(let name?): "looks like \(name), not JPEG, PNG, WebP or HEIC"
    case .unknownFormat(nil): "is not a JPEG, PNG, WebP or HEIC image"
    case .truncated(let format): "is a \(format.name) that ends too early"
    case .damaged(let format, let what): "is a damaged \(format.name): \(what)"
    case .tooLarge(let width, let height):
      "has \(width) × \(height) pixels, more than an image may have (\(ImageLimit.pixels))"
    case .undecodable(let format, let what): "is a \(format.name) that does not decode: \(what)"
    case .tooLargeToDecode(let width, let height):
      "has \(width) × \(height) pixels, more than are decoded (\(ImageLimit.decodedPixels))"
    }
  }
}

extension ImageFormat {
  /// Its name as people write it.
  var name: String {
    switch self {
    case .jpeg: "JPEG"
    case .png: "PNG"
    case .webp: "WebP"
    case .heic: "HEIC"
    }
  }
}

/// Bounds on what is read: images come from other people's machines.
public enum ImageLimit {
  /// The largest width × height. Beyond it a decoder would ask for gigabytes.
  public static let pixels = 1 << 30
  /// The largest width × height that is decoded, which takes up to some 6 bytes a pixel.
  public static let decodedPixels = 1 << 28
  /// Of larger images only one is decoded at a time, in pixels.
  static let pixelsAtOnce = 1 << 25
  /// How many leading bytes are searched to name a file that is not an image, in bytes.
  public static let textSearched = 1 << 10
}
