/// Removes the GPS directory and IPTC from EXIF, or from a TIFF, in place; returns true if there was
/// any.
///
/// Removes their entries, overwrites their values with zeros, and moves the entries after them up;
/// nothing else moves. Source: TIFF 6.0 section 2; Exif 2.32 section 4.6.3, tag 0x8825; XMP
/// Specification, part 3, “TIFF”: IPTC is also among Photoshop's image resources.
/// - Parameter tiff: The bytes from the byte order mark to the end.
func removePosition(fromTIFF tiff: inout ArraySlice<UInt8>) -> Bool {
  var editor = TIFFEditor(bytes: Array(tiff))
  guard editor.removePosition() else { return false }
  tiff.replaceSubrange(tiff.indices, with: editor.bytes)
  return true
}

/// Returns the EXIF orientation, 1 to 8; nil when there is none.
///
/// Source: Exif 2.32 section 4.6.4, tag 0x0112.
func orientation(inTIFF tiff: ArraySlice<UInt8>) -> Int? {
  TIFFEditor(bytes: Array(tiff)).orientation
}

/// Returns whether EXIF is valid and has an empty first directory.
func hasNoEntries(inTIFF tiff: ArraySlice<UInt8>) -> Bool {
  TIFFEditor(bytes: Array(tiff)).hasNoEntries
}

struct TIFFEditor {
  private(set) var bytes: [UInt8]
  /// The number of entries read plus the number of bytes written.
  private(set) var steps = 0

  init(bytes: [UInt8]) { self.bytes = bytes }

  var hasNoEntries: Bool {
    guard number(at: 2, size: 2) == 42, let directory = number(at: 4, size: 4) else { return false }
    return directory == 0 || number(at: directory, size: 2) == 0
  }

  var orientation: Int? {
    guard number(at: 2, size: 2) == 42, let directory = number(at: 4, size: 4),
      let count = number(at: directory, size: 2)
    else { return nil }
    let entries = (0..<count).lazy.map { directory + 2 + 12 * $0 }
    let entry = entries.first { number(at: $0, size: 2) == TIFFEditor.orientationTag }
    return entry.flatMap { number(at: $0 + 8, size: 2) }.flatMap { 1...8 ~= $0 ? $0 : nil }
  }

  private static let orientationTag = 0x0112
  private static let gpsTag = TIFFTag.location.rawValue
  /// The tags whose values are IPTC, or contain it.
  private static let placeTags: Set = [TIFFTag.iptc.rawValue, TIFFTag.photoshop.rawValue]
  /// The size in bytes of a value of each type, 1 to 13.
  private static let sizes = [1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4]
  /// The maximum number of entries in all GPS directories: Exif defines 32 tags and one directory.
  private static let positionEntryLimit = 1 << 16

  /// What was removed from directories, and must be cleared.
  private struct Removed {
    var gpsDirectories: Set<Int> = []
    var values: [Range<Int>] = []
  }

  /// Removes all GPS directories and IPTC, in time linear in the number of bytes, whatever they
  /// contain.
  mutating func removePosition() -> Bool {
    guard number(at: 2, size: 2) == 42 else { return false }
    var removed = Removed()
    var isFound = false
    // The image's directory, the thumbnail's, those of further pages, and their children. Directories
    // that do not overlap have no more entries than this.
    var left = bytes.count / 12
    var seen: Set<Int> = []
    var pending = [number(at: 4, size: 4) ?? 0]
    while let directory = pending.popLast(), left > 0 {
      guard directory > 0, seen.insert(directory).inserted,
        let count = number(at: directory, size: 2)
      else { continue }
      left -= count
      let kept = removeEntries(of: count, at: directory, &removed)
      isFound = isFound || kept < count
      pending += children(of: kept, at: directory)
      pending.append(number(at: directory + 2 + 12 * kept, size: 4) ?? 0)
    }
    if isFound { clear(removed) }
    return isFound
  }

  /// The maximum number of children of a directory.
  private static let childLimit = 64

  /// Returns the offsets of the directories of further versions of an image, such as raw samples.
  private mutating func children(of count: Int, at directory: Int) -> [Int] {
    for entry in (0..<count).lazy.map({ directory + 2 + 12 * $0 }) {
      guard let tag = number(at: entry, size: 2) else { break }
      steps += 1
      guard tag == TIFFTag.subdirectories.rawValue, let many = number(at: entry + 4, size: 4),
        let offset = number(at: entry + 8, size: 4)
      else { continue }
      if many == 1 { return [offset] }
      return (0..<min(many, TIFFEditor.childLimit)).compactMap {
        number(at: offset + 4 * $0, size: 4)
      }
    }
    return []
  }

  /// Removes the entries of GPS directories and of IPTC from a directory and moves later entries up.
  ///
  /// - Returns: The number of remaining entries.
  private mutating func removeEntries(
    of count: Int, at directory: Int, _ removed: inout Removed
  ) -> Int {
    func start(_ index: Int) -> Int { directory + 2 + 12 * index }
    let available = min(count, max(0, (bytes.count - start(0)) / 12))
    var kept = 0
    for index in 0..<available {
      steps += 1
      let tag = number(at: start(index), size: 2) ?? 0
      if tag == TIFFEditor.gpsTag {
        if let offset = number(at: start(index) + 8, size: 4) {
          removed.gpsDirectories.insert(offset)
        }
        continue
      }
      if TIFFEditor.placeTags.contains(tag) {
        if let values = values(ofEntryAt: start(index)) { removed.values.append(values) }
        continue
      }
      if kept < index { move(12, from: start(index), to: start(kept)) }
      kept += 1
    }
    if kept == available { return count }
    // The offset of the next directory follows the last entry. A truncated directory has none.
    let end = start(available)
    let tail = count == available ? min(4, bytes.count - end) : 0
    move(tail, from: end, to: start(kept))
    clear(start(kept) + tail..<end + tail)
    setNumber(kept, at: directory)
    return kept
  }

  /// Returns the range of an entry's values; nil when they are in the entry, or it is invalid.
  private func values(ofEntryAt entry: Int) -> Range<Int>? {
    guard let type = number(at: entry + 2, size: 2), let many = number(at: entry + 4, size: 4),
      let offset = number(at: entry + 8, size: 4), TIFFEditor.sizes.indices.contains(type - 1)
    else { return nil }
    let size = TIFFEditor.sizes[type - 1] * many
    return size > 4 ? offset..<offset + size : nil
  }

  /// Clears what was removed: values, and directories with the values of their entries.
  private mutating func clear(_ removed: Removed) {
    var ranges = removed.values
    var left = TIFFEditor.positionEntryLimit
    for gpsDirectory in removed.gpsDirectories {
      guard let count = number(at: gpsDirectory, size: 2) else { continue }
      ranges.append(gpsDirectory..<gpsDirectory + 2 + 12 * count)
      for entry in (0..<count).lazy.map({ gpsDirectory + 2 + 12 * $0 }) {
        guard number(at: entry + 8, size: 4) != nil else { break }
        steps += 1
        left -= 1
        // No real photo has that many entries, so all of its EXIF is cleared.
        if left < 0 { return clearAll() }
        if let values = values(ofEntryAt: entry) { ranges.append(values) }
      }
    }
    // Overlapping ranges are cleared once.
    var done = 8
    for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      let end = min(range.upperBound, bytes.count)
      if end <= max(done, range.lowerBound) { continue }
      clear(max(done, range.lowerBound)..<end)
      done = end
    }
  }

  /// Clears everything after the header, which leaves a directory without entries.
  private mutating func clearAll() {
    clear(4..<bytes.count)
    guard bytes.count > 8 else { return }
    bytes[isBigEndian ? 7 : 4] = 8
  }

  private mutating func clear(_ range: Range<Int>) {
    for index in range { bytes[index] = 0 }
    steps += range.count
  }

  /// Moves bytes to a lower offset.
  private mutating func move(_ count: Int, from start: Int, to target: Int) {
    for index in 0..<count { bytes[target + index] = bytes[start + index] }
    steps += count
  }

  // MARK: Numbers

  private var isBigEndian: Bool { bytes.first == UInt8(ascii: "M") }

  /// Returns a number of at most 32 bits; nil outside of the bytes.
  private func number(at offset: Int, size: Int) -> Int? {
    guard offset >= 0, offset <= bytes.count - size else { return nil }
    let field = bytes[offset..<offset + size]
    return (isBigEndian ? Array(field) : field.reversed()).reduce(0) { $0 << 8 | Int($1) }
  }

  private mutating func setNumber(_ value: Int, at offset: Int) {
    let (high, low) = (UInt8(value >> 8 & 255), UInt8(value & 255))
    (bytes[offset], bytes[offset + 1]) = isBigEndian ? (high, low) : (low, high)
  }
}
