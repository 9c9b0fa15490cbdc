/// Takes the GPS directory out of EXIF in place; true when there was one.
///
/// Its entry goes, its values become zeros, and what is behind the entry moves up; nothing else does.
/// Source: TIFF 6.0 section 2; Exif 2.32 section 4.6.3, tag 0x8825.
/// - Parameter tiff: From the byte order mark to the end.
func removePosition(fromTIFF tiff: inout ArraySlice<UInt8>) -> Bool {
  var editor = TIFFEditor(bytes: Array(tiff))
  guard editor.removePosition() else { return false }
  tiff.replaceSubrange(tiff.indices, with: editor.bytes)
  return true
}

/// Returns the orientation that EXIF gives an image, 1 to 8; nil when it gives none.
///
/// Source: Exif 2.32 section 4.6.4, tag 0x0112.
func orientation(inTIFF tiff: ArraySlice<UInt8>) -> Int? {
  TIFFEditor(bytes: Array(tiff)).orientation
}

private struct TIFFEditor {
  var bytes: [UInt8]

  var orientation: Int? {
    guard number(at: 2, size: 2) == 42, let directory = number(at: 4, size: 4),
      let count = number(at: directory, size: 2)
    else { return nil }
    let entries = (0..<count).lazy.map { directory + 2 + 12 * $0 }
    let entry = entries.first { number(at: $0, size: 2) == TIFFEditor.orientationTag }
    return entry.flatMap { number(at: $0 + 8, size: 2) }.flatMap { 1...8 ~= $0 ? $0 : nil }
  }

  private static let orientationTag = 0x0112
  private static let gpsTag = 0x8825
  /// Bytes of a value of each type, 1 to 12.
  private static let sizes = [1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8]

  mutating func removePosition() -> Bool {
    guard number(at: 2, size: 2) == 42 else { return false }
    var directory = number(at: 4, size: 4) ?? 0
    var isFound = false
    // The image's directory and the thumbnail's; a ring of them has no end.
    for _ in 0..<8 where directory > 0 {
      guard var count = number(at: directory, size: 2) else { break }
      var index = 0
      while index < count {
        let entry = directory + 2 + 12 * index
        guard number(at: entry, size: 2) == TIFFEditor.gpsTag else {
          index += 1
          continue
        }
        isFound = true
        if let place = number(at: entry + 8, size: 4) { clearDirectory(at: place) }
        removeEntry(index, of: count, at: directory)
        count -= 1
      }
      directory = number(at: directory + 2 + 12 * count, size: 4) ?? 0
    }
    return isFound
  }

  private mutating func clearDirectory(at place: Int) {
    guard let count = number(at: place, size: 2) else { return }
    for index in 0..<count {
      let entry = place + 2 + 12 * index
      guard let type = number(at: entry + 2, size: 2), let many = number(at: entry + 4, size: 4),
        let offset = number(at: entry + 8, size: 4)
      else { break }
      let size = TIFFEditor.sizes.indices.contains(type - 1) ? TIFFEditor.sizes[type - 1] * many : 0
      if size > 4 { clear(from: offset, count: size) }
    }
    clear(from: place, count: 2 + 12 * count)
  }

  private mutating func removeEntry(_ index: Int, of count: Int, at directory: Int) {
    let start = directory + 2 + 12 * index
    // The offset of the next directory stands behind the last entry.
    let end = min(directory + 2 + 12 * count + 4, bytes.count)
    guard start + 12 <= end else { return clear(from: start, count: 12) }
    bytes.replaceSubrange(
      start..<end, with: bytes[(start + 12)..<end] + Array(repeating: 0, count: 12))
    setNumber(count - 1, at: directory)
  }

  private mutating func clear(from start: Int, count: Int) {
    guard start >= 8, start < bytes.count, count > 0 else { return }
    for index in start..<min(start + count, bytes.count) { bytes[index] = 0 }
  }

  // MARK: Numbers

  private var isBigEndian: Bool { bytes.first == UInt8(ascii: "M") }

  /// At most 32 bits; nil outside of the bytes.
  private func number(at offset: Int, size: Int) -> Int? {
    guard offset >= 0, offset <= bytes.count - size else { return nil }
    let part = bytes[offset..<offset + size]
    return (isBigEndian ? Array(part) : part.reversed()).reduce(0) { $0 << 8 | Int($1) }
  }

  private mutating func setNumber(_ value: Int, at offset: Int) {
    let (high, low) = (UInt8(value >> 8 & 255), UInt8(value & 255))
    (bytes[offset], bytes[offset + 1]) = isBigEndian ? (high, low) : (low, high)
  }
}
