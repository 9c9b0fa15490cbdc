internal import CExiv2
internal import CairnDocument

/// The metadata of a file, by Exiv2's key names.
struct MetadataTags {
  struct Datum {
    /// The language of an XMP text with alternatives.
    let language: String
    /// The TIFF type of Exif data.
    let type: Int
    /// Exif numbers as big-endian bytes, XMP as UTF-8, IPTC unchanged.
    let bytes: [UInt8]
  }

  private var data: [String: [Datum]] = [:]
  /// What could not be read, such as “XMP”; nil when all was read.
  private(set) var failure: String?

  /// Creates empty metadata.
  init() {}

  /// Reads what Exiv2 finds in a file, then what it missed: it stops at a broken segment, drops XMP
  /// that is not valid, and not all versions read HEIC.
  init(of image: ImageBytes, _ format: ImageFormat) {
    switch format {
    case .jpeg: self.init(image, CAIRN_METADATA_JPEG)
    case .png: self.init(image, CAIRN_METADATA_PNG)
    case .webp: self.init(image, CAIRN_METADATA_WEBP)
    case .heic, .avif: self.init()
    default:
      self.init(embeddedIn: image, format)
      return
    }
    var broken = failure == nil ? [] : ["a segment"]
    if !hasAny("Exif."), let bytes = embeddedEXIF(image, format), !bytes.isEmpty {
      let exif = MetadataTags(bytes, CAIRN_METADATA_EXIF)
      data.merge(exif.data) { first, _ in first }
      if exif.failure != nil || exif.data.isEmpty && !hasNoEntries(inTIFF: bytes) {
        broken.append("Exif")
      }
    }
    if !hasAny("Xmp."), let bytes = embeddedXMP(image, format), bytes.contains(where: { $0 > 0x20 })
    {
      let xmp = bytes.withUnsafeBytes { MetadataTags(xmp: ImageBytes($0)) }
      data.merge(xmp.data) { first, _ in first }
      if xmp.failure != nil { broken.append("XMP") }
    }
    failure = broken.isEmpty ? nil : broken.joined(separator: ", ")
  }

  /// Reads an XMP packet; one that is not valid is repaired, and is a failure all the same.
  init(xmp packet: ImageBytes) {
    self.init(packet, CAIRN_METADATA_XMP)
    guard failure != nil, let repaired = repairedXMP(Array(packet.buffer)) else { return }
    data = MetadataTags(repaired[...], CAIRN_METADATA_XMP).data
  }

  /// Passes Exif and XMP to Exiv2, since not all versions read all of these formats.
  private init(embeddedIn image: ImageBytes, _ format: ImageFormat) {
    let embedded = EmbeddedMetadata(image, format)
    if let jpeg = embedded.jpeg {
      let tags = MetadataTags(jpeg, CAIRN_METADATA_JPEG)
      (data, failure) = (tags.data, tags.failure)
      return
    }
    var broken: [String] = []
    for part in embedded.exif {
      let exif = part.withUnsafeBytes { MetadataTags(ImageBytes($0), CAIRN_METADATA_EXIF) }
      data.merge(exif.data) { $0 + $1 }
      if exif.failure != nil { broken.append("Exif") }
    }
    for range in embedded.xmp {
      guard let packet = image.slice(from: range.lowerBound, count: range.count) else { continue }
      let xmp = MetadataTags(xmp: packet)
      data.merge(xmp.data) { $0 + $1 }
      if xmp.failure != nil { broken.append("XMP") }
    }
    failure = broken.isEmpty ? nil : broken.joined(separator: ", ")
  }

  private init(_ bytes: ArraySlice<UInt8>, _ format: cairn_metadata_format) {
    self = bytes.withUnsafeBytes { MetadataTags(ImageBytes($0), format) }
  }

  private init(_ bytes: ImageBytes, _ format: cairn_metadata_format) {
    guard let metadata = cairn_metadata_read(format, bytes.start, bytes.count) else {
      failure = "out of memory"
      return
    }
    defer { cairn_metadata_free(metadata) }
    let message = String(cString: cairn_metadata_failure(metadata))
    failure = message.isEmpty ? nil : message
    for index in 0..<cairn_metadata_count(metadata) {
      let datum = cairn_metadata_at(metadata, index)
      data[String(cString: datum.key), default: []].append(
        Datum(
          language: String(cString: datum.language), type: Int(datum.type),
          bytes: Array(UnsafeBufferPointer(start: datum.bytes, count: datum.size))))
    }
  }

  private func hasAny(_ prefix: String) -> Bool { data.keys.contains { $0.hasPrefix(prefix) } }

  func has(_ key: String) -> Bool { data[key] != nil }

  func all(_ key: String) -> [Datum] { data[key] ?? [] }

  // MARK: Exif

  func exif(_ key: String) -> Datum? { data["Exif.\(key)"]?.first }

  /// Returns an Exif text without surrounding white space; nil when it is empty.
  func exifText(_ key: String) -> String? { exif(key)?.text.nonEmpty }

  // MARK: XMP

  /// Returns the elements of a list, or a text; of language alternatives, the default.
  func xmpTexts(_ key: String) -> [String] {
    let found = all("Xmp.\(key)")
    let general = found.filter { $0.language == "x-default" }
    let isOfLanguages = found.contains { !$0.language.isEmpty }
    let chosen = !general.isEmpty ? general : isOfLanguages ? Array(found.prefix(1)) : found
    return chosen.compactMap { String(decoding: $0.bytes, as: UTF8.self).trimmed.nonEmpty }
  }

  func xmpText(_ key: String) -> String? { xmpTexts(key).first }
}

extension MetadataTags.Datum {
  /// The fractions; nil for another type, a partial value or a zero denominator.
  var fractions: [Double]? {
    // RATIONAL and SRATIONAL.
    guard type == 5 || type == 10, !bytes.isEmpty, bytes.count % 8 == 0 else { return nil }
    var fractions: [Double] = []
    for start in stride(from: 0, to: bytes.count, by: 8) {
      let (numerator, denominator) = (word(at: start), word(at: start + 4))
      guard denominator != 0 else { return nil }
      fractions.append(
        type == 5
          ? Double(numerator) / Double(denominator)
          : Double(Int32(bitPattern: numerator)) / Double(Int32(bitPattern: denominator)))
    }
    return fractions
  }

  private func word(at start: Int) -> UInt32 {
    bytes[start..<start + 4].reduce(0) { $0 << 8 | UInt32($1) }
  }

  /// The text up to its first NUL, in its detected encoding.
  var text: String { decodedText(bytes.prefix { $0 != 0 }).trimmed }
}
