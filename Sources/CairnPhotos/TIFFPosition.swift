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

struct TIFFEditor {
  private(set) var bytes: [UInt8]
  /// How many entries were read, and how many bytes written.
  private(set) var steps = 0

  init(bytes: [UInt8]) { self.bytes = bytes }

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
  /// All GPS directories of a photo have no more entries: Exif knows 32 tags, and one directory.
  private static let mostPositionEntries = 1 << 16

  /// In time linear in the number of bytes, whatever they are.
  mutating func removePosition() -> Bool {
    guard number(at: 2, size: 2) == 42 else { return false }
    var directory = number(at: 4, size: 4) ?? 0
    var places: Set<Int> = []
    var isFound = false
    // The image's directory and the thumbnail's; a ring of them has no end.
    for _ in 0..<8 where directory > 0 {
      guard let count = number(at: directory, size: 2) else { break }
      let (kept, found) = removeEntries(of: count, at: directory)
      isFound = isFound || kept < count
      places.formUnion(found)
      directory = number(at: directory + 2 + 12 * kept, size: 4) ?? 0
    }
    if isFound { clearDirectories(at: places) }
    return isFound
  }

  /// Takes the entries of GPS directories out of a directory; those behind them move up.
  ///
  /// - Returns: How many are left, and where the directories are.
  private mutating func removeEntries(of count: Int, at directory: Int) -> (Int, [Int]) {
    func start(_ index: Int) -> Int { directory + 2 + 12 * index }
    let there = min(count, max(0, (bytes.count - start(0)) / 12))
    var (kept, places) = (0, [Int]())
    for index in 0..<there {
      steps += 1
      if number(at: start(index), size: 2) == TIFFEditor.gpsTag {
        if let place = number(at: start(index) + 8, size: 4) { places.append(place) }
        continue
      }
      if kept < index { move(12, from: start(index), to: start(kept)) }
      kept += 1
    }
    let removed = there - kept
    if removed == 0 { return (count, []) }
    // The offset of the next directory stands behind the last entry. Of a directory that is cut short
    // there is none.
    let end = start(there)
    let tail = count == there ? min(4, bytes.count - end) : 0
    move(tail, from: end, to: start(kept))
    clear(start(kept) + tail..<end + tail)
    setNumber(kept, at: directory)
    return (kept, places)
  }

  /// Clears directories and the values of their entries.
  private mutating func clearDirectories(at places: Set<Int>) {
    var ranges: [Range<Int>] = []
    var left = TIFFEditor.mostPositionEntries
    for place in places {
      guard let count = number(at: place, size: 2) else { continue }
      ranges.append(place..<place + 2 + 12 * count)
      for entry in (0..<count).lazy.map({ place + 2 + 12 * $0 }) {
        guard let type = number(at: entry + 2, size: 2), let many = number(at: entry + 4, size: 4),
          let offset = number(at: entry + 8, size: 4)
        else { break }
        steps += 1
        left -= 1
        // Nobody's photo has so many: what else such EXIF says is not worth its place.
        if left < 0 { return clearAll() }
        guard TIFFEditor.sizes.indices.contains(type - 1) else { continue }
        let size = TIFFEditor.sizes[type - 1] * many
        if size > 4 { ranges.append(offset..<offset + size) }
      }
    }
    // What several of them name is cleared once.
    var done = 8
    for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      let end = min(range.upperBound, bytes.count)
      if end <= max(done, range.lowerBound) { continue }
      clear(max(done, range.lowerBound)..<end)
      done = end
    }
  }

  /// Leaves a directory without entries.
  private mutating func clearAll() {
    clear(4..<bytes.count)
    guard bytes.count > 8 else { return }
    bytes[isBigEndian ? 7 : 4] = 8
  }

  private mutating func clear(_ range: Range<Int>) {
    for index in range { bytes[index] = 0 }
    steps += range.count
  }

  /// To a place before.
  private mutating func move(_ count: Int, from start: Int, to place: Int) {
    for index in 0..<count { bytes[place + index] = bytes[start + index] }
    steps += count
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
