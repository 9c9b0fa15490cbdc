package import CairnDocument

extension ImageFacts {
  /// Detects the format and the size in pixels of an image, and checks that its file is complete.
  ///
  /// Reads the structure of the file and decodes no pixel, in time linear in its length. Bytes
  /// after the end of the image are allowed: phones append depth maps, video and padding.
  /// - Parameter bytes: A whole file.
  /// - Throws: ``ImageError`` when it is not a complete JPEG, PNG, WebP or HEIC image.
  package init(inspecting bytes: UnsafeRawBufferPointer) throws(ImageError) {
    let image = ImageBytes(bytes)
    guard image.count > 0 else { throw .empty }
    guard let format = ImageFormat(signatureOf: image) else {
      throw .unknownFormat(unsupportedFormatName(of: image))
    }
    let size: PixelSize
    switch format {
    case .jpeg: size = try jpegSize(image)
    case .png: size = try pngSize(image)
    case .webp: size = try webpSize(image)
    case .heic: size = try heicSize(image)
    }
    try size.check(for: format)
    self.init(format: format, width: size.width, height: size.height, bytes: image.count)
  }
}

/// The size of an image, in pixels.
struct PixelSize: Equatable {
  var width: Int
  var height: Int

  func check(for format: ImageFormat) throws(ImageError) {
    guard width > 0 else { throw .damaged(format, "its width is zero") }
    guard height > 0 else { throw .damaged(format, "its height is zero") }
    guard width <= ImageLimit.pixels / height else {
      throw .tooLarge(width: width, height: height)
    }
  }
}

extension ImageFormat {
  static let jpegSignature: [UInt8] = [0xFF, 0xD8, 0xFF]
  static let pngSignature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

  /// Creates the format whose signature starts `bytes`; a truncated signature suffices if it is
  /// long enough to identify the format.
  init?(signatureOf bytes: ImageBytes) {
    func starts(with signature: [UInt8], atLeast: Int) -> Bool {
      let length = min(bytes.count, signature.count)
      return length >= atLeast && bytes.hasPrefix(Array(signature.prefix(length)))
    }
    if starts(with: ImageFormat.jpegSignature, atLeast: 2) {
      self = .jpeg
    } else if starts(with: ImageFormat.pngSignature, atLeast: 4) {
      self = .png
    } else if bytes.hasASCII("RIFF"), bytes.hasASCII("WEBP", at: 8) || bytes.count < 12 {
      self = .webp
    } else if bytes.isHEIC {
      self = .heic
    } else {
      return nil
    }
  }
}
