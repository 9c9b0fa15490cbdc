/// The boxes of a raw photo of Canon (CR3) with its preview and its metadata.
///
/// Source: L. Chevallier, “Describing the Canon Raw v3 (CR3) file format”; ISO/IEC 14496-12.
struct CR3Structure {
  private(set) var previews: [Range<Int>] = []
  /// The main directory as a TIFF: maker, model, orientation.
  private(set) var main: Range<Int>?
  /// The directory of Exif as a TIFF.
  private(set) var exif: Range<Int>?
  /// The location as a TIFF.
  private(set) var location: Range<Int>?
  private(set) var xmp: Range<Int>?

  private static let canon: [UInt8] = [
    0x85, 0xC0, 0xB6, 0x87, 0x82, 0x0F, 0x11, 0xE0, 0x81, 0x11, 0xF4, 0xCE, 0x46, 0x2B, 0x6A, 0x48,
  ]
  private static let preview: [UInt8] = [
    0xEA, 0xF4, 0x2B, 0x5E, 0x1C, 0x98, 0x4B, 0x88, 0xB9, 0xFB, 0xB7, 0xDC, 0x40, 0x6E, 0x4D, 0x16,
  ]
  private static let packet: [UInt8] = [
    0xBE, 0x7A, 0xCF, 0xCB, 0x97, 0xA9, 0x42, 0xE8, 0x9C, 0x71, 0x99, 0x94, 0x91, 0xE3, 0xAF, 0xAC,
  ]

  init(_ image: ImageBytes) {
    var boxes = HEICBoxes(image, in: 0..<image.count)
    while let box = boxes.next() {
      switch box.type {
      case "moov":
        var children = HEICBoxes(image, in: box.content)
        while let child = children.next() {
          if child.type == "uuid", child.has(CR3Structure.canon, in: image) {
            readMetadata(image, child.inside(16))
          }
        }
      case "uuid" where box.has(CR3Structure.preview, in: image):
        readPreview(image, box.inside(16 + 8))
      case "uuid" where box.has(CR3Structure.packet, in: image):
        xmp = box.inside(16)
      default: break
      }
    }
  }

  private mutating func readMetadata(_ image: ImageBytes, _ range: Range<Int>) {
    var boxes = HEICBoxes(image, in: range)
    while let box = boxes.next() {
      if box.type == "CMT1" { main = box.content }
      if box.type == "CMT2" { exif = box.content }
      if box.type == "CMT4" { location = box.content }
    }
  }

  /// The preview's box has 12 bytes with its size, then the length of the JPEG, and the JPEG.
  private mutating func readPreview(_ image: ImageBytes, _ range: Range<Int>) {
    var boxes = HEICBoxes(image, in: range)
    while let box = boxes.next() {
      let start = box.content.lowerBound + 16
      guard box.type == "PRVW", let length = image.bigEndian32(at: start - 4),
        length <= box.content.upperBound - start
      else { continue }
      previews.append(start..<start + length)
    }
  }
}

extension HEICBox {
  /// Whether the content begins with an identifier.
  fileprivate func has(_ identifier: [UInt8], in image: ImageBytes) -> Bool {
    image.slice(from: content.lowerBound, count: content.count)?.hasPrefix(identifier) ?? false
  }

  /// Returns the content after a header.
  fileprivate func inside(_ header: Int) -> Range<Int> {
    min(content.lowerBound + header, content.upperBound)..<content.upperBound
  }
}
