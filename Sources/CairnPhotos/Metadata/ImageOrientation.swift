package import CairnDocument

/// Returns the orientation of an image's stored pixels, 1 to 8, from its EXIF or from the
/// properties of a HEIC; nil when missing or invalid.
///
/// - Parameter image: A whole file.
func orientation(of image: ImageBytes, _ format: ImageFormat) -> Int? {
  switch format {
  case .jpeg: jpegEXIF(image).flatMap { orientation(inTIFF: $0) }
  case .png: pngEXIF(image).flatMap { orientation(inTIFF: $0) }
  case .webp: webpEXIF(image).flatMap { orientation(inTIFF: $0) }
  case .heic, .avif: (try? HEICStructure(image, format))?.orientation
  default: EmbeddedMetadata(image, format).orientation
  }
}

/// Returns the orientation of an image's stored pixels, 1 to 8, from its EXIF or from the
/// properties of a HEIC; nil when missing or invalid.
///
/// - Parameter bytes: A whole file, read only up to the orientation.
package func storedOrientation(of bytes: UnsafeRawBufferPointer, _ format: ImageFormat) -> Int? {
  orientation(of: ImageBytes(bytes), format)
}

// The EXIF of an image, starting at its byte order mark.

/// Source: Exif 2.32 section 4.7.
private func jpegEXIF(_ image: ImageBytes) -> ArraySlice<UInt8>? {
  var position = 2
  // EXIF precedes the image's own segments, among application segments and comments.
  while image[position] == 0xFF, let code = image[position + 1],
    0xE0...0xEF ~= code || code == 0xFE,
    let length = image.bigEndian16(at: position + 2)
  {
    if code == 0xE1, image.hasASCII("Exif\0\0", at: position + 4) {
      return image.array(from: position + 10, count: length - 8)
    }
    position += 2 + length
  }
  return nil
}

/// Source: W3C PNG, third edition, 11.3.3.
private func pngEXIF(_ image: ImageBytes) -> ArraySlice<UInt8>? {
  var position = 8
  while let length = image.bigEndian32(at: position), !image.hasASCII("IEND", at: position + 4) {
    if image.hasASCII("eXIf", at: position + 4) {
      return image.array(from: position + 8, count: length)
    }
    position += 12 + length
  }
  return nil
}

/// Source: RFC 9649, “Metadata”. Some writers prepend the JPEG EXIF header.
private func webpEXIF(_ image: ImageBytes) -> ArraySlice<UInt8>? {
  var position = 12
  while let length = image.littleEndian32(at: position + 4) {
    if image.hasASCII("EXIF", at: position) {
      let exif = image.array(from: position + 8, count: length)
      return image.hasASCII("Exif\0\0", at: position + 8) ? exif?.dropFirst(6) : exif
    }
    position += 8 + length + length % 2
  }
  return nil
}

extension ImageBytes {
  fileprivate func array(from start: Int, count: Int) -> ArraySlice<UInt8>? {
    slice(from: start, count: count).map { ArraySlice($0.buffer) }
  }
}
