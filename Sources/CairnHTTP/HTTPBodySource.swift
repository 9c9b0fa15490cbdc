internal import LibC
internal import SystemPackage

/// A request body, read in the amounts curl asks for.
final class HTTPBodySource {
  /// In bytes; nil when unknown before the end.
  let length: Int?
  private let origin: Origin
  private var position = 0
  /// Whether there are no more pieces.
  private var hasEnded = false

  private enum Origin {
    case bytes([UInt8])
    case file(FileDescriptor, offset: Int)
    case pieces((UnsafeMutableRawBufferPointer) throws -> Int)
  }

  init(bytes: [UInt8]) { (origin, length) = (.bytes(bytes), bytes.count) }

  init(file path: FilePath, offset: Int, length: Int) throws {
    origin = .file(try FileDescriptor.open(path, .readOnly), offset: offset)
    self.length = length
  }

  init(length: Int?, read: @escaping (UnsafeMutableRawBufferPointer) throws -> Int) {
    (origin, self.length) = (.pieces(read), length)
  }

  /// Whether all of it was read.
  var isAtEnd: Bool { length.map { position >= $0 } ?? hasEnded }

  deinit { if case .file(let file, _) = origin { try? file.close() } }

  /// Returns the number of bytes read; 0 at the end.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    let count: Int
    switch origin {
    case .bytes(let bytes):
      count = min(buffer.count, bytes.count - position)
      bytes.withUnsafeBytes {
        buffer.copyMemory(from: .init(rebasing: $0[position..<position + count]))
      }
    case .file(let file, let offset):
      let wanted = min(buffer.count, (length ?? 0) - position)
      count = try file.read(
        fromAbsoluteOffset: Int64(offset + position),
        into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted]))
      // The file is too short: the server would wait for the rest.
      guard count > 0 || wanted == 0 else { throw Errno.ioError }
    case .pieces(let read):
      count = try read(buffer)
      hasEnded = count == 0
    }
    position += count
    return count
  }

  /// Seeks to an earlier byte; returns false if the body cannot be rewound.
  func seek(to offset: Int) -> Bool {
    if case .pieces = origin { return offset == position && position == 0 }
    position = offset
    return true
  }
}
