package import CairnDocument

extension ImageFacts {
  /// Detects the format and the size in pixels of an image, and checks that its file is complete.
  ///
  /// Reads the structure of the file and decodes no pixel, in time linear in its length. Bytes
  /// after the end of the image are allowed: phones append depth maps, video and padding.
  /// - Parameter bytes: A whole file.
  /// - Throws: ``ImageError`` when it is not a complete image.
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
    case .webp: size = try WebPStructure(image).size
    case .heic, .avif: size = try heicSize(image, format)
    case .gif: size = try GIFStructure(image).size
    case .bmp: size = try BMPStructure(image).size
    case .tiff: size = try TIFFImage(image).size
    case .dng, .cr2, .cr3, .nef, .arw, .orf, .rw2, .raf, .pef:
      size = try RawPreview(image, format).size
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

  /// Returns the format of TIFF and of raw photos; nil for other bytes, and for the raw photos of
  /// other makers.
  ///
  /// If the directories of a TIFF are not among `bytes`, a raw photo counts as a TIFF.
  private init?(rawSignatureOf bytes: ImageBytes) {
    if bytes.hasASCII("FUJIFILMCCD-RAW") {
      self = .raf
    } else if bytes.hasASCII("ftypcrx ", at: 4) {
      self = .cr3
    } else if bytes.hasASCII("IIRO") || bytes.hasASCII("IIRS") || bytes.hasASCII("MMOR") {
      self = .orf
    } else if bytes.hasASCII("IIU\0") {
      self = .rw2
    } else if bytes.hasASCII("II*\0") || bytes.hasASCII("MM\0*") || bytes.hasASCII("II+\0")
      || bytes.hasASCII("MM\0+")
    {
      if bytes.hasASCII("CR", at: 8), bytes.littleEndian32(at: 4) == 16 {
        self = .cr2
      } else if let structure = TIFFStructure(bytes), let maker = structure.rawMaker {
        guard let format = ImageFormat(rawOfMaker: maker, structure) else { return nil }
        self = format
      } else {
        self = .tiff
      }
    } else {
      return nil
    }
  }

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
    } else if bytes.isAVIF {
      self = .avif
    } else if bytes.hasASCII("GIF87a") || bytes.hasASCII("GIF89a") {
      self = .gif
    } else if bytes.isBMP {
      self = .bmp
    } else if let format = ImageFormat(rawSignatureOf: bytes) {
      self = format
    } else {
      return nil
    }
  }
}
