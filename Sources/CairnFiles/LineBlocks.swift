public import SystemPackage

/// Reads a stream of lines in blocks of whole lines, which several cores can share.
public struct LineBlocks: ~Copyable {
  private let file: FileDescriptor
  private var buffer: UnsafeMutableRawBufferPointer
  /// The bytes that were read and not yet given out.
  private var pending = 0..<0
  private var isAtEnd = false
  /// Whether the rest of a line that is longer than a block is being passed over.
  private var isSkipping = false

  /// How many bytes were given out or passed over.
  public private(set) var done = 0

  /// - Parameter size: The size of a block, in bytes; a line can be no longer.
  public init(_ file: FileDescriptor, size: Int = 8 << 20) {
    self.file = file
    buffer = .allocate(byteCount: size, alignment: 16)
  }

  deinit { buffer.deallocate() }

  public enum Block {
    /// Whole lines, each but the very last with its newline.
    case lines(UnsafeBufferPointer<UInt8>)
    /// A line that is longer than a block.
    case longLine
  }

  /// Returns the next block, which is lent until the next call; nil at the end.
  public mutating func next() throws(FileError) -> Block? {
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
