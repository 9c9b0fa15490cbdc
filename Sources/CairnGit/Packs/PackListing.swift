internal import CairnFiles
internal import SystemPackage

/// A reader of pack indexes that lists the objects in a pack.
///
/// Source: git's Documentation/gitformat-pack.txt, “Version 2 pack-*.idx files support packs larger
/// than 4 GiB”.
enum PackListing {
  private static let headerLength = 8
  private static let namesStart = headerLength + 256 * 4

  /// Returns the number of objects that the index at `path` lists; nil when it is missing or has
  /// another format.
  static func count(_ path: FilePath, files: FileSystem) -> Int? {
    try? files.withMapping(of: path) { try count($0) }
  }

  /// Returns the ids that the index at `path` lists, sorted; nil when it is missing or has another
  /// format.
  static func ids(_ path: FilePath, files: FileSystem) -> [ObjectID]? {
    try? files.withMapping(of: path) { try ids($0) }
  }

  /// Returns the ids that an index lists, sorted.
  static func ids(_ bytes: UnsafeRawBufferPointer) throws -> [ObjectID] {
    let count = try count(bytes)
    let names = bytes.baseAddress! + namesStart
    return (0..<count).map { ObjectID(reading: names + $0 * 20) }
  }

  /// Returns the offset of an object in the pack of the index at `path`; nil when it is not in it.
  static func offset(of id: ObjectID, in path: FilePath, files: FileSystem) throws -> Int? {
    try files.withMapping(of: path) { bytes in
      let count = try count(bytes)
      guard let index = index(of: id, in: bytes, count) else { return nil }
      let offsets = namesStart + count * 24
      let offset = bytes.loadUnaligned(fromByteOffset: offsets + index * 4, as: UInt32.self)
        .bigEndian
      if offset & 1 << 31 == 0 { return Int(offset) }
      // It is in the table of offsets that do not fit into 31 bits.
      let start = offsets + count * 4 + Int(offset & 0x7FFF_FFFF) * 8
      guard start + 8 <= bytes.count else {
        throw GitError(.corrupt, "a pack index is damaged")
      }
      return Int(exactly: bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self).bigEndian)
    }
  }

  /// Calls `body` with a function that returns whether the index at `path` lists an object.
  static func withListing<Result>(
    _ path: FilePath, files: FileSystem, _ body: ((ObjectID) -> Bool) throws -> Result
  ) throws -> Result {
    try files.withMapping(of: path) { bytes in
      let count = try count(bytes)
      return try body { index(of: $0, in: bytes, count) != nil }
    }
  }

  /// Returns the place of an object among the `count` objects of an index; nil when it is not in it.
  private static func index(
    of id: ObjectID, in bytes: UnsafeRawBufferPointer, _ count: Int
  ) -> Int? {
    let names = bytes.baseAddress! + namesStart
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if ObjectID(reading: names + middle * 20) < id { low = middle + 1 } else { high = middle }
    }
    return low < count && ObjectID(reading: names + low * 20) == id ? low : nil
  }

  /// Returns the number of objects that an index lists.
  static func count(_ bytes: UnsafeRawBufferPointer) throws -> Int {
    func number(at offset: Int) -> UInt32 {
      UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }
    let damaged = GitError(.corrupt, "a pack index is damaged")
    guard bytes.count >= namesStart, number(at: 0) == 0xFF74_4F63, number(at: 4) == 2 else {
      throw damaged
    }
    let count = Int(number(at: namesStart - 4))
    // Each object takes an id, a checksum and an offset; the hashes of the pack and of this file
    // follow.
    guard bytes.count >= namesStart + count * (20 + 4 + 4) + 2 * 20 else { throw damaged }
    return count
  }
}
