internal import CairnDocument

/// The properties of the primary image recorded in the boxes of a HEIC or AVIF file; no pixel is
/// decoded.
///
/// Source: ISO/IEC 23008-12 (HEIF), “Image item properties”; ISO/IEC 14496-12, “Metadata box”.
struct HEICStructure {
  /// The size of what is encoded.
  let codedSize: PixelSize
  /// The part of it that is the image, before the orientation is applied.
  let aperture: HEICAperture
  var size: PixelSize { aperture.size }
  /// The orientation of the stored pixels, 1 to 8. In HEIC, image properties determine it; the
  /// value in EXIF is informative only.
  let orientation: Int?
  /// The ranges of EXIF data in the file, each starting at the byte order mark.
  let allEXIF: [Range<Int>]
  let allXMP: [Range<Int>]
  /// Whether there may be EXIF or XMP elsewhere.
  let hasUnreadMetadata: Bool

  var exif: Range<Int>? { allEXIF.first }
  var xmp: Range<Int>? { allXMP.first }

  init(_ image: ImageBytes, _ format: ImageFormat = .heic) throws(ImageError) {
    var meta: HEICBox?
    var boxes = HEICBoxes(image, in: 0..<image.count)
    while let box = boxes.next() { if box.type == "meta", meta == nil { meta = box } }
    guard !boxes.isCut else { throw .truncated(format) }
    guard let meta else { throw .damaged(format, "it has no image description (meta)") }
    var items = HEICItems(image)
    items.read(meta)
    guard !items.isBeyondEnd else { throw .truncated(format) }
    guard let primary = items.primary, let size = items.size(of: primary) else {
      throw .damaged(format, "it does not contain the size of its image (ispe)")
    }
    guard items.gridSize(of: primary).map({ $0 == size }) ?? true else {
      throw .damaged(format, "its image and its header differ in size")
    }
    codedSize = size
    aperture = items.aperture(of: primary, in: size) ?? HEICAperture(x: 0, y: 0, size: size)
    orientation = items.orientation(of: primary)
    let (exif, xmp) = (items.extents(ofType: "Exif"), items.extents(ofType: "xmp"))
    allXMP = xmp.compactMap { $0 }
    // The item starts with an offset to the byte order mark.
    allEXIF = exif.compactMap { $0 }.compactMap { extent in
      image.bigEndian32(at: extent.lowerBound).flatMap { skipped in
        let start = extent.lowerBound + 4 + skipped
        return start < extent.upperBound ? start..<extent.upperBound : nil
      }
    }
    hasUnreadMetadata =
      items.hasUnknownTypes || allEXIF.count + allXMP.count < exif.count + xmp.count
  }
}

/// A part of an encoded image: encoders fill up an image whose sides their codec does not support.
struct HEICAperture {
  /// The position of the top left corner.
  let x: Int
  let y: Int
  let size: PixelSize
}

func heicSize(_ image: ImageBytes, _ format: ImageFormat) throws(ImageError) -> PixelSize {
  let size = try HEICStructure(image, format).size
  try size.check(for: format)
  return size
}

extension ImageBytes {
  /// Whether the file is a HEIC: still images in HEVC. Its major brand may be a more general one.
  var isHEIC: Bool { hasBrand(among: ["heic", "heix", "heim", "heis"]) }

  /// Whether the file is an AVIF: images in AV1.
  var isAVIF: Bool { hasBrand(among: ["avif", "avis"]) }

  /// Source: ISO/IEC 14496-12, “File Type Box”.
  private func hasBrand(among brands: [StaticString]) -> Bool {
    guard hasASCII("ftyp", at: 4), let length = bigEndian32(at: 0) else { return false }
    let offsets = [8] + Array(stride(from: 16, to: min(length, 256) - 3, by: 4))
    return offsets.contains { offset in brands.contains { hasASCII($0, at: offset) } }
  }
}

// MARK: Items

/// The items of a file: images, metadata, and the ranges of their bytes.
private struct HEICItems {
  private let image: ImageBytes
  private(set) var primary: Int?
  private var types: [Int: String] = [:]
  private var extents: [Int: Range<Int>] = [:]
  private var properties: [HEICBox] = []
  private var associations: [Int: [Int]] = [:]
  /// Whether an item's range exceeds the file.
  private(set) var isBeyondEnd = false
  /// Whether there are items whose type is in a form that is not read.
  private(set) var hasUnknownTypes = false

  init(_ image: ImageBytes) { self.image = image }

  /// Reads a box whose first four bytes are its version and its flags.
  mutating func read(_ meta: HEICBox) {
    var children = HEICBoxes(image, in: inside(meta))
    var located: HEICReader?
    var data: Range<Int>?
    while let box = children.next() {
      switch box.type {
      case "pitm":
        var reader = HEICReader(image, box.content)
        primary = reader.version == 0 ? reader.number(2) : reader.number(4)
      case "iinf": readTypes(box)
      case "iloc": located = HEICReader(image, box.content)
      case "idat": data = box.content
      case "iprp": readProperties(box)
      default: break
      }
    }
    if var located { readExtents(&located, data) }
  }

  private func inside(_ box: HEICBox) -> Range<Int> {
    min(box.content.lowerBound + 4, box.content.upperBound)..<box.content.upperBound
  }

  private mutating func readTypes(_ box: HEICBox) {
    var reader = HEICReader(image, box.content)
    guard reader.number(reader.version == 0 ? 2 : 4) != nil else { return }
    var entries = HEICBoxes(image, in: reader.rest)
    while let entry = entries.next() {
      var reader = HEICReader(image, entry.content)
      guard reader.version >= 2, let id = reader.number(reader.version == 2 ? 2 : 4),
        reader.number(2) != nil, let type = reader.text(4)
      else {
        hasUnknownTypes = true
        continue
      }
      // The only MIME item that is read is XMP.
      let isXMP = type == "mime" && reader.contains("application/rdf+xml")
      types[id] = isXMP ? "xmp" : type
    }
  }

  /// Source: ISO/IEC 14496-12, “Item location box”.
  private mutating func readExtents(_ reader: inout HEICReader, _ data: Range<Int>?) {
    let isLong = reader.version >= 2
    guard let sizes = reader.number(2), let count = reader.number(isLong ? 4 : 2) else { return }
    let (offsetSize, lengthSize) = (sizes >> 12, sizes >> 8 & 15)
    let (baseSize, indexSize) = (sizes >> 4 & 15, reader.version >= 1 ? sizes & 15 : 0)
    // With empty entries, an arbitrary count would only cost time.
    guard offsetSize + lengthSize > 0 else { return }
    for _ in 0..<count {
      guard let id = reader.number(isLong ? 4 : 2),
        let method = reader.version >= 1 ? reader.number(2).map({ $0 & 15 }) : 0,
        let file = reader.number(2), let base = reader.number(baseSize),
        let extentCount = reader.number(2)
      else { return }
      for _ in 0..<extentCount {
        guard reader.number(indexSize) != nil, let offset = reader.number(offsetSize),
          let length = reader.number(lengthSize)
        else { return }
        guard file == 0, method <= 1, let whole = method == 0 ? 0..<image.count : data else {
          continue
        }
        let (start, isOver) = base.addingReportingOverflow(offset)
        guard !isOver, start <= whole.count, length <= whole.count - start else {
          isBeyondEnd = true
          return
        }
        let first = whole.lowerBound + start
        let extent = first..<(length == 0 ? whole.upperBound : first + length)
        // Metadata in several extents are not read.
        extents[id] = extentCount == 1 ? extent : nil
      }
    }
  }

  /// Source: ISO/IEC 23008-12, “Item properties box”.
  private mutating func readProperties(_ box: HEICBox) {
    var children = HEICBoxes(image, in: box.content)
    while let child = children.next() {
      if child.type == "ipco" {
        var all = HEICBoxes(image, in: child.content)
        while let property = all.next() { properties.append(property) }
      } else if child.type == "ipma" {
        var reader = HEICReader(image, child.content)
        guard let count = reader.number(4) else { continue }
        for _ in 0..<count {
          guard let id = reader.number(reader.version == 0 ? 2 : 4), let number = reader.number(1)
          else { return }
          for _ in 0..<number {
            // The highest bit marks an essential property.
            guard let index = reader.hasLongIndexes ? reader.number(2) : reader.number(1) else {
              return
            }
            associations[id, default: []].append(index & (reader.hasLongIndexes ? 0x7FFF : 0x7F))
          }
        }
      }
    }
  }

  private func properties(of item: Int) -> [HEICBox] {
    // Indexes start at 1; 0 means none.
    (associations[item] ?? []).compactMap { index in
      properties.indices.contains(index - 1) ? properties[index - 1] : nil
    }
  }

  func size(of item: Int) -> PixelSize? {
    guard let box = properties(of: item).first(where: { $0.type == "ispe" }),
      let width = image.bigEndian32(at: box.content.lowerBound + 4),
      let height = image.bigEndian32(at: box.content.lowerBound + 8), box.content.count >= 12
    else { return nil }
    return PixelSize(width: width, height: height)
  }

  /// Returns the clean aperture of an item in an encoded image of this size; nil if it has none, or
  /// if it is not inside of the image. Source: ISO/IEC 14496-12, “Clean Aperture”.
  func aperture(of item: Int, in size: PixelSize) -> HEICAperture? {
    guard let box = properties(of: item).first(where: { $0.type == "clap" }) else { return nil }
    func fraction(_ index: Int) -> Double? {
      let start = box.content.lowerBound + 8 * index
      guard start + 8 <= box.content.upperBound, let numerator = image.bigEndian32(at: start),
        let denominator = image.bigEndian32(at: start + 4), denominator != 0
      else { return nil }
      return Double(Int32(truncatingIfNeeded: numerator)) / Double(denominator)
    }
    guard let width = fraction(0)?.rounded(.down), let height = fraction(1)?.rounded(.down),
      let offsetX = fraction(2), let offsetY = fraction(3)
    else { return nil }
    // The offsets are those of its center from the center of the encoded image.
    let x = (offsetX + (Double(size.width) - width) / 2).rounded(.down)
    let y = (offsetY + (Double(size.height) - height) / 2).rounded(.down)
    guard x >= 0, y >= 0, width >= 1, height >= 1, x + width <= Double(size.width),
      y + height <= Double(size.height)
    else { return nil }
    return HEICAperture(
      x: Int(x), y: Int(y), size: PixelSize(width: Int(width), height: Int(height)))
  }

  /// Returns the size of a grid image, which is composed of tiles; nil for any other item.
  /// Source: ISO/IEC 23008-12, “Image grid derivation”.
  func gridSize(of item: Int) -> PixelSize? {
    guard types[item] == "grid", let start = extents[item]?.lowerBound,
      let flags = image[start + 1]
    else { return nil }
    let (width, height) =
      flags & 1 == 1
      ? (image.bigEndian32(at: start + 4), image.bigEndian32(at: start + 8))
      : (image.bigEndian16(at: start + 4), image.bigEndian16(at: start + 6))
    return PixelSize(width: width ?? 0, height: height ?? 0)
  }

  /// Returns rotation and mirroring, applied in their order, as an EXIF orientation; nil without
  /// either.
  func orientation(of item: Int) -> Int? {
    // Mirrored horizontally first, then rotated counterclockwise by quarter turns.
    var (isMirrored, quarters) = (false, 0)
    let changes = properties(of: item).filter {
      ["irot", "imir"].contains($0.type) && !$0.content.isEmpty
    }
    guard !changes.isEmpty else { return nil }
    for property in changes {
      let value = image[property.content.lowerBound] ?? 0
      if property.type == "irot" {
        quarters = (quarters + Int(value & 3)) % 4
      } else {
        // 1 mirrors left and right, 0 top and bottom.
        quarters = (value & 1 == 1 ? 4 - quarters : 6 - quarters) % 4
        isMirrored.toggle()
      }
    }
    return isMirrored ? [2, 5, 4, 7][quarters] : [1, 8, 3, 6][quarters]
  }

  /// Returns the ranges of the items of a type; nil for one that is not read.
  func extents(ofType type: String) -> [Range<Int>?] {
    types.filter { $0.value == type }.keys.sorted().map { extents[$0] }
  }
}

/// Reads the fields of a box whose first four bytes are its version and its flags.
private struct HEICReader {
  private let image: ImageBytes
  private var position: Int
  private let end: Int
  let version: UInt8
  let hasLongIndexes: Bool

  init(_ image: ImageBytes, _ content: Range<Int>) {
    self.image = image
    version = content.isEmpty ? 0 : image[content.lowerBound] ?? 0
    hasLongIndexes = (image[content.lowerBound + 3] ?? 0) & 1 == 1
    (position, end) = (min(content.lowerBound + 4, content.upperBound), content.upperBound)
  }

  var rest: Range<Int> { position..<end }

  /// Reads a big-endian unsigned number of 0 to 8 bytes; nil when it is missing or too large for an
  /// Int.
  mutating func number(_ size: Int) -> Int? {
    guard size <= 8, size <= end - position else { return nil }
    var value: UInt64 = 0
    for offset in 0..<size { value = value << 8 | UInt64(image[position + offset] ?? 0) }
    position += size
    return Int(exactly: value)
  }

  /// Whether the rest of the box contains a text.
  func contains(_ text: StaticString) -> Bool {
    (position..<end).contains { image.hasASCII(text, at: $0) }
  }

  mutating func text(_ size: Int) -> String? {
    guard size <= end - position, let text = image.slice(from: position, count: size) else {
      return nil
    }
    position += size
    return String(decoding: text.buffer, as: UTF8.self)
  }
}
