/// The difference between two objects: runs to copy from the base and bytes to insert.
///
/// Source: git's Documentation/gitformat-pack.txt, “Deltified representation”.
enum PackDelta {
  /// The maximum size of a delta's base in bytes.
  static let baseLimit = 0xFFFF

  /// Appends the delta that turns `base` into `target`, found line by line: documents have one
  /// field per line, in a fixed order.
  ///
  /// - Parameter base: At most ``baseLimit`` bytes.
  /// - Returns: False as soon as the delta exceeds `limit` bytes; the bytes already appended are
  ///   unusable.
  static func append(
    _ target: UnsafeBufferPointer<UInt8>, since base: UnsafeBufferPointer<UInt8>, limit: Int,
    to out: inout [UInt8]
  ) -> Bool {
    let end = out.count + limit
    appendSize(base.count, to: &out)
    appendSize(target.count, to: &out)
    var copied = 0..<0
    var inserted = 0..<0
    var position = 0
    var line = 0..<0
    while line.upperBound < target.count {
      line = self.line(at: line.upperBound, of: target)
      if let found = find(target[line], in: base, from: position) {
        position = found.upperBound
        if !inserted.isEmpty || copied.upperBound != found.lowerBound {
          appendRuns(copied, target[inserted], to: &out)
          (copied, inserted) = (found, line.upperBound..<line.upperBound)
        } else {
          copied = copied.lowerBound..<found.upperBound
          inserted = line.upperBound..<line.upperBound
        }
      } else {
        inserted = (inserted.isEmpty ? line.lowerBound : inserted.lowerBound)..<line.upperBound
      }
      if out.count + inserted.count > end { return false }
    }
    appendRuns(copied, target[inserted], to: &out)
    return out.count <= end
  }

  /// The number of lines to search ahead for a matching line.
  private static let reach = 4

  private static func line(
    at start: Int, of text: UnsafeBufferPointer<UInt8>
  ) -> Range<Int> {
    var end = start
    while end < text.count, text[end] != 0x0A { end += 1 }
    return start..<min(end + 1, text.count)
  }

  private static func find(
    _ line: Slice<UnsafeBufferPointer<UInt8>>, in base: UnsafeBufferPointer<UInt8>, from start: Int
  ) -> Range<Int>? {
    var other = start..<start
    for _ in 0..<reach where other.upperBound < base.count {
      other = self.line(at: other.upperBound, of: base)
      if other.count == line.count,
        compareMemory(
          base.baseAddress! + other.lowerBound, line.base.baseAddress! + line.startIndex, line.count
        ) == 0
      {
        return other
      }
    }
    return nil
  }

  /// Appends the run to copy from the base, then the bytes to insert.
  private static func appendRuns(
    _ copied: Range<Int>, _ inserted: Slice<UnsafeBufferPointer<UInt8>>, to out: inout [UInt8]
  ) {
    if !copied.isEmpty {
      let flags = out.count
      out.append(0x80)
      for (bit, byte) in [
        copied.lowerBound, copied.lowerBound >> 8, copied.count, copied.count >> 8,
      ].enumerated() where byte & 0xFF != 0 {
        // The four bits of the offset come before those of the size.
        out[flags] |= 1 << (bit < 2 ? bit : bit + 2)
        out.append(UInt8(byte & 0xFF))
      }
    }
    var rest = inserted
    while !rest.isEmpty {
      let run = rest.prefix(0x7F)
      out.append(UInt8(run.count))
      out.append(contentsOf: run)
      rest = rest.dropFirst(run.count)
    }
  }

  /// Appends a size, seven bits per byte, the lowest first.
  private static func appendSize(_ size: Int, to out: inout [UInt8]) {
    var rest = size
    while rest > 0x7F {
      out.append(UInt8(rest & 0x7F) | 0x80)
      rest >>= 7
    }
    out.append(UInt8(rest))
  }

  // MARK: Reading

  /// Returns the result of applying a delta to `base`.
  static func apply(_ delta: [UInt8], to base: [UInt8]) throws(GitError) -> [UInt8] {
    var position = 0
    func byte() throws(GitError) -> Int {
      guard position < delta.count else { throw corrupt }
      position += 1
      return Int(delta[position - 1])
    }
    func size() throws(GitError) -> Int {
      var (size, shift) = (0, 0)
      while true {
        let byte = try byte()
        size |= (byte & 0x7F) << shift
        shift += 7
        if byte & 0x80 == 0 { return size }
        if shift > 28 { throw corrupt }
      }
    }
    guard try size() == base.count else { throw corrupt }
    let count = try size()
    var content: [UInt8] = []
    while position < delta.count {
      let code = try byte()
      if code & 0x80 == 0 {
        guard code > 0, position + code <= delta.count else { throw corrupt }
        content += delta[position..<position + code]
        position += code
      } else {
        var numbers = (offset: 0, count: 0)
        for bit in 0..<4 where code & 1 << bit != 0 { numbers.offset |= try byte() << (8 * bit) }
        for bit in 0..<3 where code & 0x10 << bit != 0 {
          numbers.count |= try byte() << (8 * bit)
        }
        if numbers.count == 0 { numbers.count = 0x10000 }
        guard numbers.offset + numbers.count <= base.count else { throw corrupt }
        content += base[numbers.offset..<numbers.offset + numbers.count]
      }
      guard content.count <= count else { throw corrupt }
    }
    guard content.count == count else { throw corrupt }
    return content
  }

  private static var corrupt: GitError { GitError(.corrupt, "a delta in a pack is damaged") }
}
