internal import CairnDocument

/// Returns a HEIC or AVIF without its location.
///
/// Keeps all offsets, since boxes refer to one another by offset: XMP is replaced by spaces, and what
/// is not of the image by free space: videos and further images, which phones append, and the
/// metadata of an image sequence.
func heicWithoutPosition(
  _ image: ImageBytes, _ format: ImageFormat
) throws(UnremovablePosition) -> [UInt8] {
  let structure: HEICStructure
  do throws(ImageError) {
    structure = try HEICStructure(image, format)
  } catch {
    throw UnremovablePosition(description: "\(error)")
  }
  var editor = HEICEditor(image)
  guard !structure.hasUnreadMetadata, editor.removeAppended() else {
    throw UnremovablePosition(description: "has metadata in a structure that cairn does not read")
  }
  var out = editor.bytes
  for exif in structure.allEXIF {
    var tiff = out[exif]
    if removePosition(fromTIFF: &tiff), tiff.count == exif.count {
      out.replaceSubrange(exif, with: tiff)
    }
  }
  for xmp in structure.allXMP {
    out.replaceSubrange(xmp, with: repeatElement(UInt8(ascii: " "), count: xmp.count))
  }
  return out
}

/// Source: ISO/IEC 14496-12, “Box order”, “User data box” and “Timed metadata media”; Android,
/// “Motion Photo format”.
private struct HEICEditor {
  private let image: ImageBytes
  private(set) var bytes: [UInt8]

  init(_ image: ImageBytes) { (self.image, bytes) = (image, Array(image.buffer)) }

  /// Clears what is not of the image; returns false if a track consists of metadata.
  mutating func removeAppended() -> Bool {
    var boxes = HEICBoxes(image, in: 0..<image.count)
    var seen: Set<String> = []
    var (isAppended, end) = (false, 0)
    while let box = boxes.next() {
      end = box.content.upperBound
      let isFirst = seen.insert(box.type).inserted
      // Another file type begins another file.
      if box.type == "ftyp", !isFirst { isAppended = true }
      switch box.type {
      case "ftyp" where isFirst, "meta" where isFirst, "mdat" where !isAppended: break
      case "moov" where !isAppended: if !removeMetadata(ofSequence: box) { return false }
      default: clear(box)
      }
    }
    clear(end..<bytes.count)
    return true
  }

  /// The boxes of an image sequence and its tracks that readers need to decode it.
  private static let sequenceBoxes: Set = [
    "mvhd", "mvex", "trak", "tkhd", "tref", "trgr", "edts", "mdia", "mdhd", "hdlr", "minf",
  ]

  private mutating func removeMetadata(ofSequence movie: HEICBox) -> Bool {
    var pending = [movie]
    while let parent = pending.popLast() {
      var boxes = HEICBoxes(image, in: parent.content)
      while let box = boxes.next() {
        if box.type == "hdlr", image.hasASCII("meta", at: box.content.lowerBound + 8) {
          return false
        }
        if !HEICEditor.sequenceBoxes.contains(box.type) { clear(box) }
        if box.type == "trak" || box.type == "mdia" { pending.append(box) }
      }
    }
    return true
  }

  /// Turns a box into free space.
  private mutating func clear(_ box: HEICBox) {
    bytes.replaceSubrange(box.start + 4..<box.start + 8, with: Array("free".utf8))
    clear(box.content)
  }

  private mutating func clear(_ range: Range<Int>) {
    for index in range { bytes[index] = 0 }
  }
}
