internal import CairnDocument

/// Where the metadata is in formats whose files are read whole: GIF, TIFF and raw photos.
struct EmbeddedMetadata {
  /// Parts of Exif, each from its byte order mark, with the number 42 that marks a TIFF.
  private(set) var exif: [[UInt8]] = []
  /// The ranges of XMP packets in the file.
  private(set) var xmp: [Range<Int>] = []
  /// A JPEG that has the metadata.
  private(set) var jpeg: ImageBytes?
  /// 1 to 8; nil when missing or invalid.
  private(set) var orientation: Int?

  init(_ image: ImageBytes, _ format: ImageFormat) {
    switch format {
    case .tiff, .dng, .cr2, .nef, .arw, .orf, .rw2, .pef:
      guard let structure = TIFFStructure(image) else { return }
      orientation = structure.orientation
      xmp = structure.xmp
      exif = asTIFF(image).map { [$0] } ?? []
    case .raf:
      jpeg = try? RawPreview(image, format).jpeg
      orientation = jpeg.flatMap { CairnPhotos.orientation(of: $0, .jpeg) }
    case .cr3:
      let structure = CR3Structure(image)
      func bytes(_ range: Range<Int>?) -> [UInt8]? {
        range.flatMap { image.slice(from: $0.lowerBound, count: $0.count) }
          .map { Array($0.buffer) }
      }
      let main = bytes(structure.main)
      exif = [
        main, bytes(structure.exif).map { asChild($0, .exif) },
        bytes(structure.location).map { asChild($0, .location) },
      ].compactMap { $0 }
      orientation = main.flatMap { CairnPhotos.orientation(inTIFF: $0[...]) }
      xmp = structure.xmp.map { [$0] } ?? []
    case .gif:
      if let range = (try? GIFStructure(image))?.xmp { xmp = gifPacket(image, range) }
    case .jpeg, .png, .webp, .heic, .avif, .bmp: break
    }
  }
}

/// Returns a TIFF in which the main directory of another one is a child: of the main directory that
/// is appended, which has one field. All other offsets stay valid.
private func asChild(_ bytes: [UInt8], _ tag: TIFFTag) -> [UInt8] {
  guard bytes.count >= 8 else { return bytes }
  let isBigEndian = bytes[0] == UInt8(ascii: "M")
  func number(_ value: Int, _ size: Int) -> [UInt8] {
    let little = (0..<size).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    return isBigEndian ? little.reversed() : little
  }
  var out = bytes + (bytes.count % 2 == 1 ? [0] : [])
  let start = out.count
  let child = Array(bytes[4..<8])
  out += number(1, 2) + number(tag.rawValue, 2) + number(4, 2) + number(1, 4)
  out += child + number(0, 4)
  out.replaceSubrange(4..<8, with: number(start, 4))
  return out
}

/// Returns the bytes with the mark of a TIFF, which Olympus and Panasonic replaced by their own.
private func asTIFF(_ image: ImageBytes) -> [UInt8]? {
  // Offsets in BigTIFF have another size.
  guard let reader = TIFFReader(image), !reader.isBig else { return nil }
  var bytes = Array(image.buffer)
  let mark: [UInt8] = image.hasASCII("MM") ? [0, 42] : [42, 0]
  bytes.replaceSubrange(2..<4, with: mark)
  return bytes
}

/// Returns the range of an XMP packet, which follows the extension's header of 14 bytes and is not
/// divided into blocks. Source: Adobe, “XMP Specification, part 3”, 1.1.2 “GIF”.
private func gifPacket(_ image: ImageBytes, _ block: Range<Int>) -> [Range<Int>] {
  let start = block.lowerBound + 14
  // The magic trailer of 258 bytes begins with 1.
  let end = block.upperBound - 258
  return start < end ? [start..<end] : []
}

/// Returns a file without its location: of each TIFF the directory of GPS and IPTC, of embedded JPEGs
/// all that ``imageWithoutPosition(_:_:)`` removes as far as lengths allow, and XMP. All offsets are
/// kept.
func withoutEmbeddedPosition(
  _ image: ImageBytes, _ format: ImageFormat
) throws(UnremovablePosition) -> [UInt8] {
  let places = [TIFFTag.location, .iptc, .photoshop]
  if let structure = TIFFStructure(image), structure.isBig,
    structure.directories.contains(where: { places.contains(where: $0.has) })
  {
    throw UnremovablePosition(description: "is a BigTIFF, whose location cairn cannot remove")
  }
  var out = Array(image.buffer)
  for range in EmbeddedMetadata(image, format).xmp {
    out.replaceSubrange(range, with: repeatElement(UInt8(ascii: " "), count: range.count))
  }
  if format == .cr3 {
    if let location = CR3Structure(image).location, location.count > 8 {
      for index in location.dropFirst(8) { out[index] = 0 }
    }
  } else if let tiff = asTIFF(image) {
    let mark = Array(out[2..<4])
    var whole = out[...]
    whole.replaceSubrange(2..<4, with: tiff[2..<4])
    if removePosition(fromTIFF: &whole), whole.count == out.count {
      out = Array(whole)
      out.replaceSubrange(2..<4, with: mark)
    }
  }
  if format.isRaw { clearLocations(inJPEGsOf: &out) }
  return out
}

/// Clears GPS directories, IPTC and XMP in the metadata segments of all JPEGs that are embedded in a file.
private func clearLocations(inJPEGsOf bytes: inout [UInt8]) {
  let exif = Array("Exif\0\0".utf8)
  let xmp = Array("http://ns.adobe.com/x".utf8)
  let photoshop = Array("Photoshop 3.0\0".utf8)
  var position = 0
  while position + 12 < bytes.count {
    // SOI or the end of another segment need not precede it: what looks like such a segment is one.
    guard bytes[position] == 0xFF, [0xE1, 0xED].contains(bytes[position + 1]) else {
      position += 1
      continue
    }
    let isAPP1 = bytes[position + 1] == 0xE1
    let length = Int(bytes[position + 2]) << 8 | Int(bytes[position + 3])
    let content = position + 4..<min(bytes.count, position + 2 + max(2, length))
    if isAPP1, bytes[content].starts(with: exif) {
      var tiff = bytes[content].dropFirst(exif.count)
      let count = tiff.count
      if removePosition(fromTIFF: &tiff), tiff.count == count {
        bytes.replaceSubrange(content.dropFirst(exif.count), with: tiff)
      }
      position = content.upperBound
    } else if isAPP1, bytes[content].starts(with: xmp) {
      for index in content.dropFirst(29) { bytes[index] = UInt8(ascii: " ") }
      position = content.upperBound
    } else if !isAPP1, bytes[content].starts(with: photoshop) {
      for index in content.dropFirst(photoshop.count) { bytes[index] = 0 }
      position = content.upperBound
    } else {
      position += 2
    }
  }
}
