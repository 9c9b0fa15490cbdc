package import CairnDocument

/// Returns an image file without the location in its metadata; nil when it has none.
///
/// Removes the GPS directory of EXIF, XMP and IPTC, which may name the location, and data after the
/// end of the image, where phones append videos and more images. Everything else is unchanged; proprietary
/// maker notes are not searched.
/// - Parameter bytes: A whole image.
/// - Throws: ``UnremovablePosition`` when metadata may exist that cannot be read.
package func imageWithoutPosition(
  _ bytes: UnsafeRawBufferPointer, _ format: ImageFormat
) throws(UnremovablePosition) -> [UInt8]? {
  let image = ImageBytes(bytes)
  let cleaned =
    switch format {
    case .jpeg: jpegWithoutPosition(image)
    case .png: pngWithoutPosition(image)
    case .webp: webpWithoutPosition(image)
    case .heic, .avif: try heicWithoutPosition(image, format)
    case .bmp: Array(bytes)  // without metadata
    case .gif, .tiff, .dng, .cr2, .cr3, .nef, .arw, .orf, .rw2, .raf, .pef:
      try withoutEmbeddedPosition(image, format)
    }
  return cleaned.elementsEqual(bytes) ? nil : cleaned
}

/// The reason why a location cannot be removed from an image, which may have none.
package struct UnremovablePosition: Error, Equatable, CustomStringConvertible {
  /// The end of a sentence that starts with the file name: “is a truncated HEIC”.
  package let description: String
}

extension ImageBytes {
  fileprivate func bytes(from start: Int, count: Int) -> ArraySlice<UInt8> {
    slice(from: start, count: count).map { ArraySlice($0.buffer) } ?? []
  }

  fileprivate func hasASCII(anyOf texts: [StaticString], at offset: Int) -> Bool {
    texts.contains { hasASCII($0, at: offset) }
  }
}

/// Stray bytes between segments are left out. Source: ITU-T T.81 annex B; Exif 2.32 section 4.7.
private func jpegWithoutPosition(_ image: ImageBytes) -> [UInt8] {
  var out = Array(image.bytes(from: 0, count: 2))
  var position = jpegMarker(in: image, from: 2)
  while let code = image[position + 1] {
    if code == 0xD9 {  // EOI
      return out + [0xFF, 0xD9]
    }
    if code == 0x01 || 0xD0...0xD7 ~= code {
      out += [0xFF, code]
      position = jpegMarker(in: image, from: position + 2)
      continue
    }
    guard let length = image.bigEndian16(at: position + 2) else { break }
    var segment = image.bytes(from: position, count: 2 + length)
    let content = position + 4
    let isDropped =
      code == 0xE1 && image.hasASCII("http://ns.adobe.com/x", at: content)
      || code == 0xE2 && image.hasASCII("MPF\0", at: content)
      || code == 0xED && image.hasASCII("Photoshop", at: content)
    if code == 0xE1, image.hasASCII("Exif\0\0", at: content), segment.count > 10 {
      var tiff = segment.dropFirst(10)
      if removePosition(fromTIFF: &tiff) { segment = segment.prefix(10) + tiff }
    }
    if !isDropped { out += segment }
    position += 2 + length
    if code == 0xDA {
      let end = endOfScan(image, from: position)
      out += image.bytes(from: position, count: end - position)
      position = end
    }
    position = jpegMarker(in: image, from: position)
  }
  return out
}

/// Returns the offset of the marker that ends entropy-coded data.
private func endOfScan(_ image: ImageBytes, from start: Int) -> Int {
  var position = start
  while let marker = image.firstIndex(of: 0xFF, from: position), let code = image[marker + 1] {
    if code != 0, !(0xD0...0xD7 ~= code), code != 0xFF { return marker }
    position = code == 0xFF ? marker + 1 : marker + 2
  }
  return image.count
}

/// Source: W3C PNG, third edition, 11.3.3 and 11.3.4.
private func pngWithoutPosition(_ image: ImageBytes) -> [UInt8] {
  var out = Array(image.bytes(from: 0, count: 8))
  var position = 8
  while let length = image.bigEndian32(at: position), length <= image.count - position - 12 {
    let data = position + 8
    // Texts have arbitrary keywords, under which programs also write locations.
    let isDropped = image.hasASCII(anyOf: ["iTXt", "zTXt", "tEXt"], at: position + 4)
    if image.hasASCII("eXIf", at: position + 4) {
      var tiff = image.bytes(from: data, count: length)
      if removePosition(fromTIFF: &tiff) {
        out += image.bytes(from: position, count: 8) + tiff
        let crc = out.suffix(length + 4).withUnsafeBytes { crc32($0) }
        out += [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: crc >> $0) }
      } else {
        out += image.bytes(from: position, count: 12 + length)
      }
    } else if !isDropped {
      out += image.bytes(from: position, count: 12 + length)
    }
    if image.hasASCII("IEND", at: position + 4) { break }
    position += 12 + length
  }
  return out
}

/// Source: WebP Container Specification, “Extended File Format”.
private func webpWithoutPosition(_ image: ImageBytes) -> [UInt8] {
  var out = Array(image.bytes(from: 0, count: 12))
  var position = 12
  let end = min(image.count, 8 + (image.littleEndian32(at: 4) ?? 0))
  var hasXMP = false
  while let length = image.littleEndian32(at: position + 4), length <= end - position - 8 {
    let size = 8 + length + length % 2
    if image.hasASCII("XMP ", at: position) {
      hasXMP = true
    } else if image.hasASCII("EXIF", at: position) {
      var tiff = image.bytes(from: position + 8, count: length)
      // Some writers prepend the JPEG EXIF header.
      let head = image.hasASCII("Exif\0\0", at: position + 8) ? tiff.prefix(6) : []
      tiff = tiff.dropFirst(head.count)
      _ = removePosition(fromTIFF: &tiff)
      out += image.bytes(from: position, count: 8) + head + tiff
      if length % 2 == 1 { out.append(0) }
    } else {
      out += image.bytes(from: position, count: min(size, end - position))
    }
    position += size
  }
  let size = out.count - 8
  for index in 0..<4 { out[4 + index] = UInt8(truncatingIfNeeded: size >> (8 * index)) }
  if hasXMP, out.count > 20, out[12..<16].elementsEqual("VP8X".utf8) { out[20] &= ~0x04 }
  return out
}
