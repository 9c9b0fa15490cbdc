import CairnDocument

/// Walks a JPEG from its start (SOI) to its end (EOI) and returns the size of its frame.
///
/// Source: ITU-T T.81, annex B. Stray bytes between segments are skipped before the image data, as
/// libjpeg does: some programs write a wrong length into a metadata segment. Later, they are an error.
func jpegSize(_ bytes: ImageBytes) throws(ImageError) -> PixelSize {
  var walk = JPEGWalk(bytes)
  return try walk.size()
}

/// Returns the offset of the first marker of a JPEG at or after an offset, skipping fill and stray
/// bytes; the length of the file if there is none.
func jpegMarker(in bytes: ImageBytes, from start: Int) -> Int {
  var position = start
  while let marker = bytes.firstIndex(of: 0xFF, from: position), let code = bytes[marker + 1] {
    switch code {
    case 0x00: position = marker + 2
    case 0xFF: position = marker + 1
    default: return marker
    }
  }
  return bytes.count
}

private struct JPEGWalk {
  private let bytes: ImageBytes
  /// The caller has already checked SOI.
  private var position = 2
  private var frame: PixelSize?
  private var hasImageData = false

  init(_ bytes: ImageBytes) { self.bytes = bytes }

  mutating func size() throws(ImageError) -> PixelSize {
    while true {
      switch try nextMarker() {
      case 0xD9:  // EOI
        guard let frame, hasImageData else { throw damaged("it contains no image") }
        return frame
      case 0x01, 0xD0...0xD7:  // TEM, RSTn: without parameters
        continue
      case 0xC0...0xC3, 0xC5...0xC7, 0xC9...0xCB, 0xCD...0xCF:  // SOFn
        try readFrame(try segment())
      case 0xDA:  // SOS
        try readScan(try segment())
      case 0xC4, 0xCC, 0xDB...0xDF, 0xE0...0xEF, 0xFE:  // tables, APPn, COM
        _ = try segment()
      case 0xD8:
        throw damaged("a second image starts inside it")
      case let code:
        let name = String(code, radix: 16, uppercase: true)
        throw damaged("it has an unknown segment (marker \(name))")
      }
    }
  }

  private func damaged(_ what: String) -> ImageError { .damaged(.jpeg, what) }

  /// Reads a marker (B.1.1.2): 0xFF, any number of times, and its code.
  private mutating func nextMarker() throws(ImageError) -> UInt8 {
    if !hasImageData { position = jpegMarker(in: bytes, from: position) }
    guard var code = bytes[position] else { throw .truncated(.jpeg) }
    guard code == 0xFF else { throw damaged("it has stray bytes between its segments") }
    while code == 0xFF {
      position += 1
      guard let next = bytes[position] else { throw .truncated(.jpeg) }
      code = next
    }
    guard code != 0 else { throw damaged("it has stray bytes between its segments") }
    position += 1
    return code
  }

  /// Reads the parameters of a marker segment (B.1.1.4), without their length.
  private mutating func segment() throws(ImageError) -> ImageBytes {
    guard let length = bytes.bigEndian16(at: position) else { throw .truncated(.jpeg) }
    guard length >= 2 else { throw damaged("one of its segments has an invalid length") }
    guard let parameters = bytes.slice(from: position + 2, count: length - 2) else {
      throw .truncated(.jpeg)
    }
    position += length
    return parameters
  }

  /// Reads a frame header (B.2.2).
  private mutating func readFrame(_ header: ImageBytes) throws(ImageError) {
    guard frame == nil else { throw damaged("it contains more than one frame") }
    guard let height = header.bigEndian16(at: 1), let width = header.bigEndian16(at: 3),
      let components = header[5], components > 0, header.count == 6 + 3 * Int(components)
    else { throw damaged("its frame header is broken") }
    // T.81 allows a DNL segment to supply the height later, but libjpeg, and therefore nearly every
    // program, cannot read such a file.
    guard height > 0 else { throw damaged("its height is missing") }
    let size = PixelSize(width: width, height: height)
    try size.check(for: .jpeg)
    frame = size
  }

  /// Reads a scan (B.2.3): its header, then entropy-coded data up to the next marker outside of it.
  private mutating func readScan(_ header: ImageBytes) throws(ImageError) {
    guard frame != nil else { throw damaged("its image data comes before its size") }
    guard let components = header[0], (1...4).contains(components),
      header.count == 4 + 2 * Int(components)
    else { throw damaged("a scan header is broken") }
    let start = position
    while true {
      guard let marker = bytes.firstIndex(of: 0xFF, from: position),
        let code = bytes[marker + 1]
      else { throw .truncated(.jpeg) }
      switch code {
      case 0x00, 0xD0...0xD7:  // a data byte 0xFF (F.1.2.3), or RSTn
        position = marker + 2
      case 0xFF:  // fill
        position = marker + 1
      default:
        hasImageData = hasImageData || marker > start
        position = marker
        return
      }
    }
  }
}
