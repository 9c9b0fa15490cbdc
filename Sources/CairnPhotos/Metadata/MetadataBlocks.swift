import CairnDocument

// The EXIF and the XMP of an image, found without decoding them. Exiv2 finds them, too, but gives up
// at the first broken segment.

/// Returns the EXIF of an image, from its byte order mark; nil if it has none. ``EmbeddedMetadata``
/// has that of other formats.
///
/// Reads a file only up to its EXIF.
func embeddedEXIF(_ image: ImageBytes, _ format: ImageFormat) -> ArraySlice<UInt8>? {
  switch format {
  case .jpeg: jpegSegment(image, "Exif\0\0")
  case .png: pngEXIF(image)
  case .webp: webpChunk(image, "EXIF").map(withoutEXIFHeader)
  case .heic, .avif: (try? HEICStructure(image, format))?.exif.flatMap { image.array(at: $0) }
  default: nil
  }
}

/// Returns the XMP packet of an image; nil if it has none.
func embeddedXMP(_ image: ImageBytes, _ format: ImageFormat) -> ArraySlice<UInt8>? {
  switch format {
  case .jpeg: jpegSegment(image, "http://ns.adobe.com/xap/1.0/\0")
  case .png: pngXMP(image)
  case .webp: webpChunk(image, "XMP ")
  case .heic, .avif: (try? HEICStructure(image, format))?.xmp.flatMap { image.array(at: $0) }
  default: nil
  }
}

/// Returns the content of the first APP1 segment with this identifier.
///
/// Source: Exif 2.32 section 4.7; XMP specification part 3, “JPEG”.
private func jpegSegment(_ image: ImageBytes, _ identifier: StaticString) -> ArraySlice<UInt8>? {
  let start = identifier.utf8CodeUnitCount
  var position = jpegMarker(in: image, from: 2)
  // Metadata precede the image's own segments, among application segments and comments.
  while let code = image[position + 1], 0xE0...0xEF ~= code || code == 0xFE,
    let length = image.bigEndian16(at: position + 2)
  {
    if code == 0xE1, image.hasASCII(identifier, at: position + 4) {
      return image.array(from: position + 4 + start, count: length - 2 - start)
    }
    position = jpegMarker(in: image, from: position + 2 + length)
  }
  return nil
}

/// Source: RFC 9649, “Metadata”.
private func webpChunk(_ image: ImageBytes, _ name: StaticString) -> ArraySlice<UInt8>? {
  var position = 12
  while let length = image.littleEndian32(at: position + 4) {
    if image.hasASCII(name, at: position) {
      return image.array(from: position + 8, count: length)
    }
    position += 8 + length + length % 2
  }
  return nil
}

/// Returns EXIF without the identifier that it has in a JPEG, which some writers keep elsewhere.
func withoutEXIFHeader(_ exif: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
  exif.starts(with: Array("Exif\0\0".utf8)) ? exif.dropFirst(6) : exif
}

extension ImageBytes {
  func array(from start: Int, count: Int) -> ArraySlice<UInt8>? {
    slice(from: start, count: count).map { ArraySlice($0.buffer) }
  }

  fileprivate func array(at range: Range<Int>) -> ArraySlice<UInt8>? {
    array(from: range.lowerBound, count: range.count)
  }
}
