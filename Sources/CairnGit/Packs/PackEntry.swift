internal import CDeflate

/// An object as stored in a pack: a header, then the compressed object or a compressed delta.
///
/// Source: git's Documentation/gitformat-pack.txt, “pack-*.pack files”.
enum PackEntry {
  /// The maximum length of a header: the kind, a 64-bit size, and the distance back to the base of
  /// a delta.
  static let headerLimit = 20

  private static let deltaCode: UInt8 = 6

  private static func code(of kind: ObjectKind) -> UInt8 {
    switch kind {
    case .commit: 1
    case .tree: 2
    case .blob: 3
    case .tag: 4
    }
  }

  // MARK: Writing

  /// Writes a header and returns its length.
  ///
  /// - Parameters:
  ///   - size: The uncompressed size in bytes.
  ///   - distance: The distance in bytes back to the entry of the delta's base; nil for a whole
  ///     object.
  static func writeHeader(
    _ kind: ObjectKind, size: Int, distance: Int? = nil, to out: UnsafeMutableRawPointer
  ) -> Int {
    var length = 0
    func put(_ byte: UInt8) {
      out.storeBytes(of: byte, toByteOffset: length, as: UInt8.self)
      length += 1
    }
    // Three bits of kind and four of size, then seven bits of size per byte.
    var rest = size >> 4
    var byte = (distance == nil ? code(of: kind) : deltaCode) << 4 | UInt8(size & 15)
    while rest > 0 {
      put(byte | 0x80)
      byte = UInt8(rest & 0x7F)
      rest >>= 7
    }
    put(byte)
    if let distance {
      // The highest seven bits first; each further byte adds an implicit one to the bits before it.
      var groups = [UInt8(distance & 0x7F)]
      var rest = distance >> 7
      while rest > 0 {
        rest -= 1
        groups.append(UInt8(rest & 0x7F) | 0x80)
        rest >>= 7
      }
      for byte in groups.reversed() { put(byte) }
    }
    return length
  }

  // MARK: Reading

  /// Returns the content of the object whose entry begins at `offset`.
  ///
  /// - Parameter read: Returns the bytes from an offset on, at most the given number.
  static func content(
    at offset: Int, read: (_ offset: Int, _ count: Int) throws -> [UInt8]
  ) throws -> [UInt8] {
    var (deltas, offset) = ([[UInt8]](), offset)
    while true {
      let entry = try whole(at: offset, read: read)
      guard let distance = entry.distance else {
        return try deltas.reversed().reduce(entry.bytes) { try PackDelta.apply($1, to: $0) }
      }
      guard distance > 0, distance <= offset else { throw corrupt }
      deltas.append(entry.bytes)
      offset -= distance
    }
  }

  /// Reads until an entry is complete.
  private static func whole(
    at offset: Int, read: (_ offset: Int, _ count: Int) throws -> [UInt8]
  ) throws -> (bytes: [UInt8], distance: Int?) {
    var count = 4 << 10
    while true {
      let bytes = try read(offset, count)
      if let entry = try inflated(bytes) { return entry }
      guard bytes.count == count else { throw corrupt }
      count *= 8
    }
  }

  /// Returns the decompressed bytes of an entry; nil when the entry is incomplete.
  private static func inflated(_ entry: [UInt8]) throws -> (bytes: [UInt8], distance: Int?)? {
    var position = 0
    func next() -> UInt8? {
      guard position < entry.count else { return nil }
      position += 1
      return entry[position - 1]
    }
    guard var byte = next() else { return nil }
    let isDelta = byte >> 4 & 7 == deltaCode
    var (size, shift) = (Int(byte & 15), 4)
    while byte & 0x80 != 0 {
      guard let following = next(), shift < 60 else { return nil }
      byte = following
      size |= Int(byte & 0x7F) << shift
      shift += 7
    }
    var distance: Int?
    if isDelta {
      guard var byte = next() else { return nil }
      var number = Int(byte & 0x7F)
      while byte & 0x80 != 0 {
        guard let following = next(), number < 1 << 48 else { return nil }
        byte = following
        number = (number + 1) << 7 | Int(byte & 0x7F)
      }
      distance = number
    }
    let decompressor = libdeflate_alloc_decompressor()
    defer { libdeflate_free_decompressor(decompressor) }
    var (status, written) = (LIBDEFLATE_SUCCESS, 0)
    let content = [UInt8](unsafeUninitializedCapacity: size) { out, count in
      entry[position...].withUnsafeBytes { input in
        status = libdeflate_zlib_decompress_ex(
          decompressor, input.baseAddress, input.count, out.baseAddress, size, nil, &written)
      }
      count = status == LIBDEFLATE_SUCCESS ? written : 0
    }
    return status == LIBDEFLATE_SUCCESS ? (content, distance) : nil
  }

  private static var corrupt: GitError { GitError(.corrupt, "a pack ends too early") }
}
