internal import CDeflate

// PNG has a chunk for EXIF only since 2017. ImageMagick, and programs that use it, write EXIF, XMP and
// IPTC as text chunks: “Raw profile type exif”, followed by the bytes in hexadecimal digits.

/// Returns the EXIF of a PNG from its eXIf chunk, otherwise from a raw profile.
///
/// Source: W3C PNG, third edition, 11.3.4.5 (eXIf); ImageMagick, coders/png.c, and ExifTool's
/// documentation of PNG tags for raw profiles, named exif or, by older versions, APP1.
func pngEXIF(_ image: ImageBytes) -> ArraySlice<UInt8>? {
  var profile: ArraySlice<UInt8>?
  var left = PNGMetadataChunk.profileLimit
  for chunk in PNGMetadataChunks(image) {
    if chunk.isNamed("eXIf") { return withoutEXIFHeader(ArraySlice(chunk.data.buffer)) }
    guard profile == nil, left > 0, chunk.isText(anyOf: ["exif", "APP1"]) else { continue }
    left -= 1
    let found = chunk.text.flatMap(rawProfile)
    // APP1 may be XMP instead.
    let exif = found.map { withoutEXIFHeader($0[...]) }
    if let exif, exif.starts(with: [0x49, 0x49, 42, 0]) || exif.starts(with: [0x4D, 0x4D, 0, 42]) {
      profile = exif
    }
  }
  return profile
}

/// Returns the XMP packet of a PNG.
///
/// Source: XMP specification part 3, “PNG”.
func pngXMP(_ image: ImageBytes) -> ArraySlice<UInt8>? {
  let header = Array("http://ns.adobe.com/xap/1.0/\0".utf8)
  var left = PNGMetadataChunk.profileLimit
  for chunk in PNGMetadataChunks(image) where left > 0 {
    let isPacket = chunk.data.hasASCII("XML:com.adobe.xmp\0")
    guard isPacket || chunk.isText(anyOf: ["xmp", "APP1"]) else { continue }
    left -= 1
    guard let text = chunk.text else { continue }
    if isPacket { return text[...] }
    guard let profile = rawProfile(text) else { continue }
    if profile.starts(with: header) { return profile.dropFirst(header.count) }
    if chunk.isText(anyOf: ["xmp"]) { return profile[...] }
  }
  return nil
}

/// Returns the bytes of a raw profile: an empty line, its name, its length, and its bytes in
/// hexadecimal digits with line breaks. Nil if it is cut off or has other characters.
func rawProfile(_ text: [UInt8]) -> [UInt8]? {
  let lines = text.split(separator: UInt8(ascii: "\n"), maxSplits: 2)
  guard lines.count == 3,
    let count = Int(String(decoding: lines[1], as: UTF8.self).trimmed),
    count >= 0, count <= lines[2].count / 2
  else { return nil }
  var bytes: [UInt8] = []
  bytes.reserveCapacity(count)
  var high: UInt8?
  for character in lines[2] where bytes.count < count {
    if character == UInt8(ascii: "\n") || character == UInt8(ascii: "\r") { continue }
    guard let digit = Character(Unicode.Scalar(character)).hexDigitValue else { return nil }
    if let first = high {
      bytes.append(first << 4 | UInt8(digit))
      high = nil
    } else {
      high = UInt8(digit)
    }
  }
  return bytes.count == count ? bytes : nil
}

private struct PNGMetadataChunk {
  let type: ImageBytes
  let data: ImageBytes

  func isNamed(_ name: StaticString) -> Bool { type.hasASCII(name) }

  /// Whether it is a text with the keyword “Raw profile type …”.
  func isText(anyOf profiles: [StaticString]) -> Bool {
    let start: StaticString = "Raw profile type "
    guard data.hasASCII(start) else { return false }
    return profiles.contains { profile in
      let end = start.utf8CodeUnitCount + profile.utf8CodeUnitCount
      return data.hasASCII(profile, at: start.utf8CodeUnitCount) && data[end] == 0
    }
  }

  /// The maximum length of a text when it is decompressed.
  private static let textLimit = 8 << 20
  /// The maximum number of texts of a file that are decompressed in search of metadata: a real file
  /// has one or two.
  static let profileLimit = 16

  /// The text after the keyword, decompressed; nil for another chunk and for one that is broken.
  ///
  /// Source: W3C PNG, third edition, 11.3.3.
  var text: [UInt8]? {
    guard var position = data.firstIndex(of: 0, from: 0) else { return nil }
    position += 1
    var isCompressed = false
    if isNamed("zTXt") {
      isCompressed = true
      position += 1
    } else if isNamed("iTXt") {
      isCompressed = data[position] == 1
      position += 2
      // The language and the translated keyword.
      for _ in 0..<2 {
        guard let end = data.firstIndex(of: 0, from: position) else { return nil }
        position = end + 1
      }
    } else if !isNamed("tEXt") {
      return nil
    }
    guard let content = data.slice(from: position, count: data.count - position),
      content.count <= PNGMetadataChunk.textLimit
    else { return nil }
    return isCompressed
      ? inflated(content, limit: PNGMetadataChunk.textLimit) : Array(content.buffer)
  }
}

/// The chunks of a PNG before IEND, or before the first one that does not fit.
private struct PNGMetadataChunks: Sequence, IteratorProtocol {
  private let image: ImageBytes
  private var position = 8

  init(_ image: ImageBytes) { self.image = image }

  mutating func next() -> PNGMetadataChunk? {
    guard let length = image.bigEndian32(at: position),
      let type = image.slice(from: position + 4, count: 4), !type.hasASCII("IEND"),
      let data = image.slice(from: position + 8, count: length)
    else { return nil }
    position += 12 + length
    return PNGMetadataChunk(type: type, data: data)
  }
}

/// Decompresses zlib data (RFC 1950); nil if they are invalid or longer than `limit`.
private func inflated(_ data: ImageBytes, limit: Int) -> [UInt8]? {
  guard let start = data.buffer.baseAddress, let decompressor = libdeflate_alloc_decompressor()
  else { return nil }
  defer { libdeflate_free_decompressor(decompressor) }
  var capacity = Swift.min(limit, Swift.max(1 << 14, 8 * data.count))
  while true {
    var status = LIBDEFLATE_BAD_DATA
    let bytes = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
      var length = 0
      status = libdeflate_zlib_decompress(
        decompressor, start, data.count, buffer.baseAddress, capacity, &length)
      count = status == LIBDEFLATE_SUCCESS ? length : 0
    }
    if status == LIBDEFLATE_SUCCESS { return bytes }
    guard status == LIBDEFLATE_INSUFFICIENT_SPACE, capacity < limit else { return nil }
    capacity = Swift.min(limit, 4 * capacity)
  }
}
