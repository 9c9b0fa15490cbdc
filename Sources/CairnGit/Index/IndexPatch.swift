internal import CairnFiles
internal import Crypto
internal import LibC

/// The bytes of a changed index: those of the index before, with other entries in some places. An entry
/// that stays is copied without being decoded, and most of them in one piece.
struct IndexPatch {
  private enum Part {
    case old(Range<Int>)
    case new([UInt8])
  }

  private let version: UInt32
  private var count: Int
  private var parts: [Part] = []
  /// Whether the changes make a difference.
  private(set) var isChanged = false

  /// - Parameters:
  ///   - bytes: The index before.
  ///   - second: The second in which it was written.
  ///   - isStale: Returns whether git has to look at a file again that was modified in that second or
  ///     later: its entry then loses its size.
  /// - Returns: Nil if ``IndexFile`` has to read the index: it has a conflict, a path that git refuses, or
  ///   another format than that of nearly all.
  init?(
    _ bytes: UnsafeRawBufferPointer, _ changes: IndexFile.Changes, writtenAt second: UInt32,
    isStale: (_ path: String, _ status: IndexStatus) -> Bool
  ) {
    guard let (version, count) = IndexScan.header(bytes),
      changes.entries.allSatisfy({
        $0.stage == 0 && (version == 3 || $0.extendedFlags == 0)
          && !GitName.isRefused(inPath: $0.path)
      })
    else { return nil }
    (self.version, self.count) = (version, count)
    // The bytes of the new entries by path; none for a removed one.
    var new: [[UInt8]: [UInt8]] = [:]
    for path in changes.removed { new[GitName.bytes(path)] = [] }
    for entry in changes.entries {
      var bytes: [UInt8] = []
      entry.append(to: &bytes)
      new[GitName.bytes(entry.path)] = bytes
    }
    var rest = new.sorted { $0.key.lexicographicallyPrecedes($1.key) }[...]
    // What is before `copied` is in the parts.
    var (position, copied) = (IndexScan.headerLength, IndexScan.headerLength)
    for _ in 0..<count {
      guard let entry = IndexScan.entry(bytes, at: position), entry.flags & 0x3000 == 0,
        !GitName.mayBeRefused(inPath: entry.path)
          || !GitName.isRefused(inPath: GitName.text(entry.path))
      else { return nil }
      var isReplaced = false
      while !isReplaced, let next = rest.first {
        let order = IndexPatch.order(next.key, entry.path)
        if order > 0 { break }
        rest.removeFirst()
        isReplaced = order == 0
        if !isReplaced, next.value.isEmpty { continue }
        copy(copied..<position)
        copied = isReplaced ? entry.end : position
        if !next.value.isEmpty { parts.append(.new(next.value)) }
        self.count += (next.value.isEmpty ? 0 : 1) - (isReplaced ? 1 : 0)
        let before = UnsafeRawBufferPointer(rebasing: bytes[position..<copied])
        if !before.elementsEqual(next.value) { isChanged = true }
      }
      if !isReplaced, IndexScan.number(bytes, at: position + IndexScan.sizeOffset) != 0,
        IndexScan.number(bytes, at: position + IndexScan.modifiedOffset) >= second,
        isStale(
          GitName.text(entry.path), IndexStatus(reading: bytes.baseAddress! + position))
      {
        copy(copied..<(position + IndexScan.sizeOffset))
        parts.append(.new([0, 0, 0, 0]))
        copied = position + IndexScan.sizeOffset + 4
      }
      position = entry.end
    }
    guard IndexScan.hasOnlyOptionalExtensions(bytes, after: position) else { return nil }
    copy(copied..<position)
    for (_, value) in rest where !value.isEmpty {
      parts.append(.new(value))
      self.count += 1
      isChanged = true
    }
  }

  private mutating func copy(_ range: Range<Int>) {
    if !range.isEmpty { parts.append(.old(range)) }
  }

  /// Compares a path with that of an entry: returns a value below, equal to or above 0 if it comes before
  /// it, is the same or comes after it.
  private static func order(_ path: [UInt8], _ other: UnsafeRawBufferPointer) -> Int {
    let order = path.withUnsafeBytes { bytes -> Int in
      let shared = min(bytes.count, other.count)
      return shared == 0 ? 0 : Int(memcmp(bytes.baseAddress!, other.baseAddress!, shared))
    }
    return order == 0 ? path.count - other.count : order
  }

  /// Passes the bytes of the changed index to `take` in chunks.
  ///
  /// - Parameter bytes: The index before.
  func write(from bytes: UnsafeRawBufferPointer, _ take: ([UInt8]) throws -> Void) throws {
    var hash = Insecure.SHA1()
    var out = Array("DIRC".utf8) + bigEndian(version) + bigEndian(UInt32(count))
    let limit = 1 << 20
    func append(_ bytes: UnsafeRawBufferPointer) throws {
      out.append(contentsOf: bytes)
      if out.count < limit { return }
      hash.update(data: out)
      try take(out)
      out.removeAll(keepingCapacity: true)
    }
    for part in parts {
      switch part {
      case .new(let entry): try entry.withUnsafeBytes { try append($0) }
      case .old(let range):
        for start in stride(from: range.lowerBound, to: range.upperBound, by: limit) {
          let end = min(start + limit, range.upperBound)
          try append(UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
        }
      }
    }
    hash.update(data: out)
    try take(out + hash.finalize())
  }
}
