internal import CDeflate
internal import SystemPackage

/// Reads objects back from a pack that is being written.
enum PackEntry {
  /// Returns the content of the whole (not delta) object whose entry begins at `offset`.
  static func content(at offset: UInt64, of file: FileDescriptor) throws -> [UInt8] {
    var entry = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let count = try entry.withUnsafeMutableBytes { try read(file, offset, into: $0) }
      if let content = try content(entry[..<count]) { return content }
      guard count == entry.count else { throw GitError(.corrupt, "a pack ends too early") }
      entry = [UInt8](repeating: 0, count: 4 * entry.count)
    }
  }

  private static func read(
    _ file: FileDescriptor, _ offset: UInt64, into buffer: UnsafeMutableRawBufferPointer
  ) throws -> Int {
    var done = 0
    while done < buffer.count {
      let count = try file.read(
        fromAbsoluteOffset: Int64(offset) + Int64(done),
        into: UnsafeMutableRawBufferPointer(rebasing: buffer[done...]))
      if count == 0 { break }
      done += count
    }
    return done
  }

  /// Returns what an entry holds; nil when these are not all its bytes.
  private static func content(_ entry: ArraySlice<UInt8>) throws -> [UInt8]? {
    var (place, shift) = (entry.startIndex, 4)
    guard place < entry.endIndex else { return nil }
    var size = Int(entry[place] & 15)
    while entry[place] & 0x80 != 0 {
      place += 1
      guard place < entry.endIndex else { return nil }
      size |= Int(entry[place] & 0x7F) << shift
      shift += 7
    }
    let decompressor = libdeflate_alloc_decompressor()
    defer { libdeflate_free_decompressor(decompressor) }
    var (status, written) = (LIBDEFLATE_SUCCESS, 0)
    let content = [UInt8](unsafeUninitializedCapacity: size) { out, count in
      entry[(place + 1)...].withUnsafeBytes { input in
        status = libdeflate_zlib_decompress_ex(
          decompressor, input.baseAddress, input.count, out.baseAddress, size, nil, &written)
      }
      count = status == LIBDEFLATE_SUCCESS ? written : 0
    }
    return status == LIBDEFLATE_SUCCESS ? content : nil
  }
}
