package import SystemPackage

/// A reader of a stream in blocks of whole lines, which several cores can process in parallel.
package struct LineReader: ~Copyable {
  private let file: FileDescriptor
  private var buffer: UnsafeMutableRawBufferPointer
  /// The bytes read but not yet returned.
  private var pending = 0..<0
  private var isAtEnd = false
  /// Whether the rest of a line longer than a block is being skipped.
  private var isSkipping = false

  /// The number of bytes returned or skipped.
  package private(set) var done = 0

  /// - Parameter size: The size of a block in bytes, which is also the longest line allowed.
  package init(_ file: FileDescriptor, size: Int = 8 << 20) {
    self.file = file
    buffer = .allocate(byteCount: size, alignment: 16)
  }

  deinit { buffer.deallocate() }

  package enum Block {
    /// Whole lines, each with its newline except possibly the last of the stream.
    case lines(UnsafeBufferPointer<UInt8>)
    /// A line longer than a block.
    case longLine
  }

  /// Returns the next block, valid until the next call; nil at the end.
  package mutating func next() throws(FileError) -> Block? {
    while true {
      try fill()
      let bytes = UnsafeRawBufferPointer(rebasing: buffer[pending])
      if bytes.isEmpty { return nil }
      let end = isAtEnd ? bytes.count : bytes.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
      if isSkipping {
        let line = bytes.firstIndex(of: 0x0A).map { $0 + 1 } ?? bytes.count
        isSkipping = line == bytes.count && bytes.last != 0x0A && !isAtEnd
        advance(line)
        continue
      }
      if end == 0 {
        isSkipping = true
        return .longLine
      }
      advance(end)
      return .lines(UnsafeRawBufferPointer(rebasing: bytes[..<end]).bindMemory(to: UInt8.self))
    }
  }

  private mutating func advance(_ count: Int) {
    pending = pending.lowerBound + count..<pending.upperBound
    done += count
  }

  /// Reads until the buffer is full or the stream ends.
  private mutating func fill() throws(FileError) {
    if pending.isEmpty || pending.lowerBound > 0 {
      let rest = UnsafeRawBufferPointer(rebasing: buffer[pending])
      UnsafeMutableRawBufferPointer(rebasing: buffer[..<rest.count]).copyMemory(from: rest)
      pending = 0..<rest.count
    }
    while !isAtEnd, pending.upperBound < buffer.count {
      do {
        let count = try file.read(
          into: UnsafeMutableRawBufferPointer(rebasing: buffer[pending.upperBound...]))
        isAtEnd = count == 0
        pending = 0..<pending.upperBound + count
      } catch {
        throw FileError("read", "the input", (error as? Errno) ?? .ioError)
      }
    }
  }
}
