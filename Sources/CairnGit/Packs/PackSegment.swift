internal import CDeflate
internal import Dispatch

/// A run of objects, hashed and compressed for a pack: each core fills its own segment, and a
/// ``PackWriter`` appends them in turn.
///
/// Source: git's Documentation/gitformat-pack.txt, “pack-*.pack files”.
package final class PackSegment {
  struct Object {
    let id: ObjectID
    let kind: ObjectKind
    /// The CRC-32 of its entry: kind, size and compressed bytes.
    let checksum: UInt32
    let start: Int
  }

  private(set) var objects: [Object] = []
  private var storage = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
  private var length = 0
  private let compressor = libdeflate_alloc_compressor(PackSegment.level)
  private var families: [String: DeltaChain] = [:]
  private var delta: [UInt8] = []

  /// Level 1 of libdeflate: the documents are small and the pack is soon repacked by git's own gc.
  private static let level: CInt = 1

  package init() {}

  deinit {
    storage.deallocate()
    libdeflate_free_compressor(compressor)
  }

  /// Compresses objects on all cores into consecutive segments.
  static func filled(
    with objects: [(id: ObjectID, kind: ObjectKind, bytes: [UInt8])]
  ) -> [PackSegment] {
    let segments = (0..<min(8, (objects.count + 63) / 64)).map { _ in PackSegment() }
    nonisolated(unsafe) let filled = segments
    DispatchQueue.concurrentPerform(iterations: segments.count) { index in
      let range =
        objects.count * index / filled.count..<objects.count * (index + 1) / filled.count
      for (id, kind, bytes) in objects[range] { filled[index].add(id, kind, bytes) }
    }
    return segments
  }

  /// The number of objects added.
  package var count: Int { objects.count }

  package func id(at index: Int) -> ObjectID { objects[index].id }

  /// Adds an object and returns its id.
  ///
  /// - Parameter family: A name for a group of similar objects, such as labels. They are stored as
  ///   deltas, which takes less space than compressing each object, and a tenth of the time.
  @discardableResult
  package func add(
    _ kind: ObjectKind, _ content: some Collection<UInt8>, family: String? = nil
  ) -> ObjectID {
    let id = ObjectID(hashing: kind, content)
    add(id, kind, content, family: family)
    return id
  }

  /// Adds an object whose id is already computed.
  func add(
    _ id: ObjectID, _ kind: ObjectKind, _ content: some Collection<UInt8>, family: String? = nil
  ) {
    let added: Void? = content.withContiguousStorageIfAvailable { add(id, kind, $0, family) }
    if added == nil { Array(content).withUnsafeBufferPointer { add(id, kind, $0, family) } }
  }

  private func add(
    _ id: ObjectID, _ kind: ObjectKind, _ content: UnsafeBufferPointer<UInt8>, _ family: String?
  ) {
    let start = length
    let family = content.count <= PackDelta.baseLimit ? family : nil
    if family.map({ !addDelta(kind, content, family: $0) }) ?? true {
      let bound = libdeflate_zlib_compress_bound(compressor, content.count)
      reserve(PackEntry.headerLimit + bound)
      length += PackEntry.writeHeader(kind, size: content.count, to: end)
      length += libdeflate_zlib_compress(
        compressor, content.baseAddress, content.count, end, bound)
      if let family { families[family] = DeltaChain(whole: Member(start, content)) }
    }
    let checksum = libdeflate_crc32(0, storage.baseAddress! + start, length - start)
    objects.append(Object(id: id, kind: kind, checksum: checksum, start: start))
  }

  /// Empties the segment for reuse.
  package func removeAll() {
    length = 0
    objects.removeAll(keepingCapacity: true)
    families.removeAll()
  }

  // MARK: Deltas

  /// An object that can serve as the base of deltas.
  private struct Member {
    let start: Int
    let content: [UInt8]

    init(_ start: Int, _ content: UnsafeBufferPointer<UInt8>) {
      (self.start, self.content) = (start, Array(content))
    }
  }

  /// The last whole object of a family and the last object that is one delta away from it: for
  /// labels, the first label of a photo, from which its other labels differ least. A delta chain
  /// has at most two steps.
  private struct DeltaChain {
    var whole: Member
    var near: Member?
  }

  /// Adds an object as a delta; returns false when it is too different from the others.
  private func addDelta(
    _ kind: ObjectKind, _ content: UnsafeBufferPointer<UInt8>, family: String
  ) -> Bool {
    guard let others = families[family] else { return false }
    let start = length
    if let near = others.near, addDelta(kind, content, since: near, limit: content.count / 3) {
      return true
    }
    guard addDelta(kind, content, since: others.whole, limit: content.count * 2 / 3) else {
      return false
    }
    families[family]!.near = Member(start, content)
    return true
  }

  private func addDelta(
    _ kind: ObjectKind, _ content: UnsafeBufferPointer<UInt8>, since other: Member, limit: Int
  ) -> Bool {
    delta.removeAll(keepingCapacity: true)
    let isShort = other.content.withUnsafeBufferPointer {
      PackDelta.append(content, since: $0, limit: min(limit, PackSegment.blockLimit), to: &delta)
    }
    guard isShort else { return false }
    reserve(PackEntry.headerLimit + delta.count + PackSegment.blockFrame)
    length += PackEntry.writeHeader(
      kind, size: delta.count, distance: length - other.start, to: end)
    writeStored(delta)
    return true
  }

  /// The maximum size of a stored block, and the overhead that a zlib stream adds to it.
  private static let (blockLimit, blockFrame) = (0xFFFF, 11)

  /// Writes a zlib stream of one uncompressed block.
  ///
  /// Source: RFC 1950 section 2.2, RFC 1951 section 3.2.4.
  private func writeStored(_ bytes: [UInt8]) {
    let size = UInt16(bytes.count)
    let frame: [UInt8] =
      [0x78, 0x01, 0x01] + [size, ~size].flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    let sum = bytes.withUnsafeBytes { libdeflate_adler32(1, $0.baseAddress, $0.count) }
    for chunk in [frame, bytes, bigEndian(sum)] {
      end.copyMemory(from: chunk, byteCount: chunk.count)
      length += chunk.count
    }
  }

  // MARK: Bytes

  private var end: UnsafeMutableRawPointer { storage.baseAddress! + length }

  private func reserve(_ count: Int) {
    if storage.count - length >= count { return }
    let larger = UnsafeMutableRawBufferPointer.allocate(
      byteCount: max(2 * storage.count, length + count), alignment: 16)
    larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: storage[..<length]))
    storage.deallocate()
    storage = larger
  }

  /// The bytes of all entries.
  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: storage[..<length]) }

  /// Returns a segment with only some of these objects. It encodes them again: deltas refer to
  /// their bases by distance, so nothing can be left out of the bytes.
  func selecting(_ indices: [Int]) throws -> PackSegment {
    let selection = PackSegment()
    for index in indices {
      let content = try PackEntry.content(at: objects[index].start) { offset, count in
        Array(bytes[offset...].prefix(count))
      }
      selection.add(objects[index].id, objects[index].kind, content)
    }
    return selection
  }
}
