internal import Crypto
internal import Dispatch

/// The index of a pack, by which git finds objects in it.
///
/// Source: git's Documentation/gitformat-pack.txt, “Version 2 pack-*.idx files”.
struct PackIndex {
  private var entries: [ObjectTable.Entry]
  private var fanout = [Int](repeating: 0, count: 256)
  private var out: [UInt8] = []

  init(_ entries: ArraySlice<ObjectTable.Entry>) {
    // Bucketed by first byte, so that each bucket is small and can be sorted separately.
    var starts = [Int](repeating: 0, count: 257)
    for entry in entries { starts[entry.id.firstByte + 1] += 1 }
    for byte in 0..<256 {
      starts[byte + 1] += starts[byte]
      fanout[byte] = starts[byte + 1]
    }
    self.entries = Array(
      unsafeUninitializedCapacity: entries.count,
      initializingWith: { buffer, count in
        for entry in entries {
          (buffer.baseAddress! + starts[entry.id.firstByte]).initialize(to: entry)
          starts[entry.id.firstByte] += 1
        }
        count = entries.count
      })
  }

  /// Sorts the objects and writes everything except the two checksums at the end.
  mutating func fill() {
    sort()
    out.reserveCapacity(1072 + entries.count * 28)
    out += [0xFF, 0x74, 0x4F, 0x63]
    out += bigEndian(UInt32(2))
    for count in fanout { append(UInt32(count)) }
    for entry in entries { entry.id.withBytes { out.append(contentsOf: $0) } }
    for entry in entries { append(entry.checksum) }
    var large: [UInt64] = []
    for entry in entries {
      if entry.offset < 1 << 31 {
        append(UInt32(entry.offset))
      } else {
        append(UInt32(1 << 31 | large.count))
        large.append(entry.offset)
      }
    }
    for offset in large { append(offset) }
  }

  /// Returns the complete index; call ``fill()`` first.
  mutating func bytes(packTrailer: [UInt8]) -> [UInt8] {
    out += packTrailer
    out += Array(Insecure.SHA1.hash(data: out))
    return out
  }

  private mutating func append(_ value: some FixedWidthInteger) {
    withUnsafeBytes(of: value.bigEndian) { out.append(contentsOf: $0) }
  }

  private mutating func sort() {
    let fanout = fanout
    entries.withUnsafeMutableBufferPointer { buffer in
      nonisolated(unsafe) let buffer = buffer
      DispatchQueue.concurrentPerform(iterations: 256) { byte in
        let start = byte == 0 ? 0 : fanout[byte - 1]
        var bucket = UnsafeMutableBufferPointer(rebasing: buffer[start..<fanout[byte]])
        bucket.sort { $0.id < $1.id }
      }
    }
  }
}
