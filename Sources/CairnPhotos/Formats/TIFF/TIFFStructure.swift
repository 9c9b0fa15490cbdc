internal import CairnDocument

/// The directories of a file in TIFF, or in a raw format that is built like it; no pixel is decoded.
///
/// Source: TIFF 6.0, section 2; “TIFF Trees” (Adobe PageMaker 6.0 TIFF Technical Notes); BigTIFF.
struct TIFFStructure {
  private let reader: TIFFReader
  /// The directories of all images: the main ones in their order, each followed by its children.
  let directories: [TIFFDirectory]

  /// Creates the structure; nil when it has no directory.
  init?(_ image: ImageBytes) {
    guard let reader = TIFFReader(image) else { return nil }
    self.reader = reader
    var found: [TIFFDirectory] = []
    var seen: Set<Int> = []
    var offset = reader.firstDirectory
    // Real files have at most a few; the limit ends cycles.
    while let start = offset, found.count < TIFFStructure.limit, seen.insert(start).inserted,
      let directory = TIFFDirectory(reader, at: start)
    {
      found.append(directory)
      for child in directory.numbers(.subdirectories, atMost: TIFFStructure.limit) ?? []
      where found.count < TIFFStructure.limit && seen.insert(child).inserted {
        if let directory = TIFFDirectory(reader, at: child) { found.append(directory) }
      }
      offset = directory.next
    }
    guard !found.isEmpty else { return nil }
    directories = found
  }

  private static let limit = 64

  var main: TIFFDirectory { directories[0] }

  /// Whether it is a BigTIFF.
  var isBig: Bool { reader.isBig }

  /// Returns the directory at an offset, such as that of Exif.
  func directory(at offset: Int) -> TIFFDirectory? { TIFFDirectory(reader, at: offset) }

  /// The orientation of the main image, 1 to 8; nil when missing or invalid.
  var orientation: Int? { main.number(.orientation).flatMap { 1...8 ~= $0 ? $0 : nil } }

  /// The ranges of XMP packets.
  var xmp: [Range<Int>] { directories.compactMap { $0.range(.xmp) } }
}

/// The tags that are read. Source: TIFF 6.0, section 8; Exif 2.32; DNG 1.7; Exiv2, “Panasonic RAW tags”.
enum TIFFTag: Int {
  case panasonicPreview = 0x2E
  case width = 256, height, bitsPerSample, compression
  case photometric = 262
  case maker = 271
  case stripOffsets = 273, orientation
  case samplesPerPixel = 277, rowsPerStrip, stripLengths
  case planarConfiguration = 284
  case colorMap = 320, tileWidth = 322, tileHeight, tileOffsets, tileLengths
  case subdirectories = 330
  case extraSamples = 338, sampleFormat
  case jpegOffset = 513, jpegLength
  case xmp = 700
  case iptc = 33723, photoshop = 34377
  case exif = 34665, location = 34853
  case makerNote = 37500
  case dngVersion = 50706
}

/// Reads numbers in the byte order of a file.
struct TIFFReader {
  let image: ImageBytes
  private let isBigEndian: Bool
  let isBig: Bool

  /// Creates a reader; nil for bytes that do not start as a TIFF, or as raw photos of Olympus and
  /// Panasonic do.
  init?(_ image: ImageBytes) {
    guard image.hasASCII("II") || image.hasASCII("MM") else { return nil }
    self.image = image
    isBigEndian = image.hasASCII("MM")
    let magic = isBigEndian ? image.bigEndian16(at: 2) : image.littleEndian16(at: 2)
    guard let magic, [42, 43, 0x4F52, 0x5352, 0x55].contains(magic) else { return nil }
    isBig = magic == 43
  }

  /// Creates a reader of a maker note, in the byte order of its file.
  init?(noteOf inside: ImageBytes, like file: ImageBytes) {
    guard let reader = TIFFReader(file) else { return nil }
    (image, isBigEndian, isBig) = (inside, reader.isBigEndian, false)
  }

  var firstDirectory: Int? { number(at: isBig ? 8 : 4, size: isBig ? 8 : 4) }

  /// Returns an unsigned number of 1, 2, 4 or 8 bytes; nil outside of the bytes, and if it is 2^56 or
  /// more: sums of offsets and lengths, none of which any file reaches, cannot overflow.
  func number(at offset: Int, size: Int) -> Int? {
    switch size {
    case 1: return image[offset].map(Int.init)
    case 2: return isBigEndian ? image.bigEndian16(at: offset) : image.littleEndian16(at: offset)
    case 4: return isBigEndian ? image.bigEndian32(at: offset) : image.littleEndian32(at: offset)
    default:
      guard let first = number(at: offset, size: 4), let second = number(at: offset + 4, size: 4)
      else { return nil }
      let (high, low) = isBigEndian ? (first, second) : (second, first)
      return high < 1 << 24 ? high << 32 | low : nil
    }
  }
}

/// The fields of one image.
struct TIFFDirectory {
  private struct Field {
    let type: Int
    let count: Int
    /// The offset of the values, which are in the field itself if they are short.
    let offset: Int
  }

  private let reader: TIFFReader
  private var fields: [Int: Field] = [:]
  /// The offset of the next directory; nil at the last one.
  private(set) var next: Int?

  /// The size in bytes of a value of each type, 1 to 18.
  private static let sizes = [1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4, 0, 0, 8, 8, 8]
  private static let fieldLimit = 4096

  init?(_ reader: TIFFReader, at start: Int) {
    self.reader = reader
    let (head, step, short) = reader.isBig ? (8, 20, 8) : (2, 12, 4)
    guard start > 0, let count = reader.number(at: start, size: head),
      count <= TIFFDirectory.fieldLimit
    else { return nil }
    for index in 0..<count {
      let field = start + head + step * index
      guard let tag = reader.number(at: field, size: 2),
        let type = reader.number(at: field + 2, size: 2),
        let count = reader.number(at: field + 4, size: short)
      else { return nil }
      guard TIFFDirectory.sizes.indices.contains(type - 1), count <= reader.image.count else {
        continue
      }
      let isInside = count * TIFFDirectory.sizes[type - 1] <= short
      let inside = field + 4 + short
      guard let offset = isInside ? inside : reader.number(at: inside, size: short) else {
        return nil
      }
      fields[tag] = Field(type: type, count: count, offset: offset)
    }
    let end = start + head + step * count
    next = reader.number(at: end, size: short).flatMap { $0 > 0 ? $0 : nil }
  }

  func has(_ tag: TIFFTag) -> Bool { fields[tag.rawValue] != nil }

  /// Returns the unsigned numbers of a field; nil when it is missing, is not of numbers, has more
  /// than `limit` of them or exceeds the file.
  func numbers(_ tag: TIFFTag, atMost limit: Int) -> [Int]? { numbers(tag.rawValue, atMost: limit) }

  func numbers(_ tag: Int, atMost limit: Int) -> [Int]? {
    guard let field = fields[tag], field.count <= limit, [1, 3, 4, 13, 16, 18].contains(field.type)
    else { return nil }
    let size = TIFFDirectory.sizes[field.type - 1]
    var numbers: [Int] = []
    numbers.reserveCapacity(field.count)
    for index in 0..<field.count {
      guard let number = reader.number(at: field.offset + index * size, size: size) else {
        return nil
      }
      numbers.append(number)
    }
    return numbers
  }

  /// Returns the first number of a field.
  func number(_ tag: TIFFTag) -> Int? { number(tag.rawValue) }

  func number(_ tag: Int) -> Int? { numbers(tag, atMost: 1 << 20)?.first }

  /// Returns the range of a field's values in the file; nil when it is missing or exceeds the file.
  func range(_ tag: TIFFTag) -> Range<Int>? { range(tag.rawValue) }

  func range(_ tag: Int) -> Range<Int>? {
    guard let field = fields[tag] else { return nil }
    let length = field.count * TIFFDirectory.sizes[field.type - 1]
    guard reader.image.slice(from: field.offset, count: length) != nil else { return nil }
    return field.offset..<field.offset + length
  }

  func text(_ tag: TIFFTag) -> String? {
    range(tag).flatMap { reader.image.slice(from: $0.lowerBound, count: min($0.count, 256)) }
      .map { String(decoding: $0.buffer.prefix { $0 != 0 }, as: UTF8.self) }
  }
}
