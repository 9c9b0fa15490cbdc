internal import LibC

/// Bytes of a file, borrowed for one call. Every read is bounds-checked and returns nil outside of
/// them, so that no offset computed from the file needs to be trusted.
struct ImageBytes {
  let buffer: UnsafeRawBufferPointer

  init(_ buffer: UnsafeRawBufferPointer) { self.buffer = buffer }

  var count: Int { buffer.count }

  subscript(offset: Int) -> UInt8? {
    offset >= 0 && offset < buffer.count ? buffer[offset] : nil
  }

  /// Returns the `length` bytes from `offset`; nil when any of them is missing.
  func slice(from offset: Int, count length: Int) -> ImageBytes? {
    // The subtraction cannot overflow where an addition could.
    guard offset >= 0, length >= 0, offset <= count, length <= count - offset else { return nil }
    return ImageBytes(UnsafeRawBufferPointer(rebasing: buffer[offset..<offset + length]))
  }

  func hasASCII(_ text: StaticString, at offset: Int = 0) -> Bool {
    let length = text.utf8CodeUnitCount
    guard let found = slice(from: offset, count: length) else { return false }
    return found.buffer.elementsEqual(UnsafeRawBufferPointer(start: text.utf8Start, count: length))
  }

  func hasPrefix(_ prefix: [UInt8]) -> Bool { buffer.starts(with: prefix) }

  // MARK: Unsigned integers

  func bigEndian16(at offset: Int) -> Int? {
    load(UInt16.self, at: offset).map { Int(UInt16(bigEndian: $0)) }
  }

  func bigEndian32(at offset: Int) -> Int? {
    load(UInt32.self, at: offset).map { Int(UInt32(bigEndian: $0)) }
  }

  func littleEndian16(at offset: Int) -> Int? {
    load(UInt16.self, at: offset).map { Int(UInt16(littleEndian: $0)) }
  }

  func littleEndian24(at offset: Int) -> Int? {
    guard let low = littleEndian16(at: offset), let high = self[offset + 2] else { return nil }
    return low | Int(high) << 16
  }

  func littleEndian32(at offset: Int) -> Int? {
    load(UInt32.self, at: offset).map { Int(UInt32(littleEndian: $0)) }
  }

  private func load<Value: FixedWidthInteger & BitwiseCopyable>(
    _ type: Value.Type, at offset: Int
  ) -> Value? {
    guard offset >= 0, offset <= count - MemoryLayout<Value>.size else { return nil }
    return buffer.loadUnaligned(fromByteOffset: offset, as: type)
  }

  // MARK: Search

  /// Returns the offset of the first `byte` at or after `offset`.
  func firstIndex(of byte: UInt8, from offset: Int) -> Int? {
    guard offset >= 0, offset < count, let base = buffer.baseAddress,
      let found = memchr(base + offset, Int32(byte), count - offset)
    else { return nil }
    return UnsafeRawPointer(found) - base
  }
}
