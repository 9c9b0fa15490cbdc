internal import CairnDocument

/// The largest JPEG that a camera embedded in a raw photo, as it is stored.
///
/// Source: TIFF/EP (ISO 12234-2), DNG 1.7; Exiv2, “Exif, Olympus and Panasonic tags”;
/// L. Chevallier, “Describing the Canon Raw v3 (CR3) file format”; libopenraw, “RAF”.
struct RawPreview {
  let jpeg: ImageBytes
  let size: PixelSize

  /// - Throws: ``ImageError`` when a preview is not in the file, or none is complete.
  init(_ image: ImageBytes, _ format: ImageFormat) throws(ImageError) {
    // Panasonic puts other values where TIFF has the offset of a strip.
    if format != .rw2, let structure = TIFFStructure(image) {
      for directory in structure.directories {
        guard directory.hasWholeStrips(in: image) else { throw .truncated(format) }
      }
    }
    var best: (jpeg: ImageBytes, size: PixelSize)?
    for range in rawCandidates(in: image, format) {
      guard let jpeg = image.slice(from: range.lowerBound, count: range.count) else {
        throw .truncated(format)
      }
      guard jpeg.hasPrefix(ImageFormat.jpegSignature), !isLossless(jpeg),
        let size = try? jpegSize(jpeg), (try? size.check(for: format)) != nil
      else { continue }
      if size.width * size.height > best.map({ $0.size.width * $0.size.height }) ?? 0 {
        best = (jpeg, size)
      }
    }
    guard let best else { throw .damaged(format, "it contains no complete preview (JPEG)") }
    (jpeg, size) = best
  }
}

/// Whether a JPEG has the samples of a sensor, which no usual decoder reads. Source: T.81, table B.1.
private func isLossless(_ jpeg: ImageBytes) -> Bool {
  var position = 2
  while jpeg[position] == 0xFF, let code = jpeg[position + 1],
    let length = jpeg.bigEndian16(at: position + 2)
  {
    if code == 0xC3 { return true }
    if code == 0xDA || 0xC0...0xC2 ~= code { return false }
    position += 2 + length
  }
  return false
}

extension TIFFDirectory {
  /// Whether all strips and tiles are in the file.
  fileprivate func hasWholeStrips(in image: ImageBytes) -> Bool {
    let fields: [(TIFFTag, TIFFTag)] = [
      (.stripOffsets, .stripLengths), (.tileOffsets, .tileLengths),
    ]
    return fields.allSatisfy { offsets, lengths in
      let offsets = numbers(offsets, atMost: 1 << 20) ?? []
      let lengths = numbers(lengths, atMost: 1 << 20) ?? []
      return zip(offsets, lengths).allSatisfy { image.slice(from: $0, count: $1) != nil }
    }
  }
}

/// Returns the ranges that may hold a preview.
private func rawCandidates(in image: ImageBytes, _ format: ImageFormat) -> [Range<Int>] {
  switch format {
  case .raf:
    guard let start = image.bigEndian32(at: 84), let length = image.bigEndian32(at: 88) else {
      return []
    }
    return [start..<start + length]
  case .cr3: return CR3Structure(image).previews
  default:
    guard let structure = TIFFStructure(image) else { return [] }
    return structure.previews + olympusPreviews(structure, image)
  }
}

extension TIFFStructure {
  /// The ranges of JPEGs in its directories.
  fileprivate var previews: [Range<Int>] {
    directories.flatMap { directory -> [Range<Int>] in
      var ranges: [Range<Int>] = []
      func add(_ start: Int?, _ length: Int?) {
        guard let start, let length, start > 0, length > 0 else { return }
        ranges.append(start..<start + length)
      }
      add(directory.number(.jpegOffset), directory.number(.jpegLength))
      let isJPEG = [6, 7].contains(directory.number(.compression) ?? 0)
      if isJPEG, directory.numbers(.stripOffsets, atMost: 1) != nil {
        add(directory.number(.stripOffsets), directory.number(.stripLengths))
      }
      if let range = directory.range(.panasonicPreview) { ranges.append(range) }
      return ranges
    }
  }

  /// The camera's maker if the file holds samples of a sensor; empty if it is not named.
  ///
  /// Source: TIFF/EP and DNG: photometric interpretations CFA and LinearRaw; the compressions of
  /// Nikon, Sony and Pentax.
  var rawMaker: String? {
    let isRaw =
      main.has(.dngVersion)
      || directories.contains { directory in
        [32803, 34892].contains(directory.number(.photometric) ?? 0)
          || [34713, 32767, 65535].contains(directory.number(.compression) ?? 0)
      }
    return isRaw ? main.text(.maker)?.trimmed ?? "" : nil
  }
}

extension ImageFormat {
  /// Creates the format of raw photos that are built like TIFF; nil for other makers.
  init?(rawOfMaker maker: String, _ structure: TIFFStructure) {
    let maker = maker.uppercased()
    if structure.main.has(.dngVersion) {
      self = .dng
    } else if maker.hasPrefix("NIKON") {
      self = .nef
    } else if maker.hasPrefix("SONY") {
      self = .arw
    } else if maker.hasPrefix("PENTAX") || maker.hasPrefix("RICOH") {
      self = .pef
    } else {
      return nil
    }
  }
}

/// Returns the range of the preview in the maker note of Olympus and OM System.
///
/// Source: Exiv2, “Olympus tags”: CameraSettings 0x2020, PreviewImageStart 0x101 and Length 0x102.
private func olympusPreviews(_ structure: TIFFStructure, _ image: ImageBytes) -> [Range<Int>] {
  guard let exif = structure.main.number(.exif).flatMap({ structure.directory(at: $0) }),
    let note = exif.range(.makerNote)
  else { return [] }
  let start = note.lowerBound
  // Offsets in the note count from its start, or in old cameras from that of the file.
  let (header, base): (Int, Int)
  if image.hasASCII("OLYMPUS\0II", at: start) {
    (header, base) = (12, start)
  } else if image.hasASCII("OM SYSTEM\0", at: start) {
    (header, base) = (16, start)
  } else if image.hasASCII("OLYMP\0", at: start) {
    (header, base) = (8, 0)
  } else {
    return []
  }
  guard let inside = image.slice(from: base, count: image.count - base),
    let reader = TIFFReader(noteOf: inside, like: image),
    let directory = TIFFDirectory(reader, at: start + header - base),
    let settings = directory.number(0x2020).flatMap({ TIFFDirectory(reader, at: $0) }),
    let offset = settings.number(0x101), let length = settings.number(0x102), length > 0
  else { return [] }
  let first = base + offset
  return [first..<first + length]
}
