internal import CDeflate
internal import Dispatch

/// A run of objects, hashed and compressed for a pack: each core fills one of its own, and a
/// ``PackWriter`` takes them in turn.
///
/// Source: git's Documentation/gitformat-pack.txt, “pack-*.pack files”.
public final class PackPart {
  struct Object {
    let id: ObjectID
    /// Of its entry: kind, size and compressed bytes.
    let checksum: UInt32
    let start: Int
  }

  private(set) var objects: [Object] = []
  private var storage = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
  private var length = 0
  private let compressor = libdeflate_alloc_compressor(PackPart.level)

  /// Level 1 of libdeflate: the documents are small and the pack is soon repacked by git's own gc.
  private static let level: CInt = 1

  /// The longest header of an entry: kind and a 64-bit size.
  private static let headerLimit = 10

  public init() {}

  deinit {
    storage.deallocate()
    libdeflate_free_compressor(compressor)
  }

  /// Compresses objects on all cores, in parts that follow each other.
  static func filled(
    with objects: [(id: ObjectID, kind: ObjectKind, bytes: [UInt8])]
  ) -> [PackPart] {
    let parts = (0..<min(8, (objects.count + 63) / 64)).map { _ in PackPart() }
    nonisolated(unsafe) let filled = parts
    DispatchQueue.concurrentPerform(iterations: parts.count) { index in
      let range =
        objects.count * index / filled.count..<objects.count * (index + 1) / filled.count
      for (id, kind, bytes) in objects[range] { filled[index].add(id, kind, bytes) }
    }
    return parts
  }

  /// How many objects were added.
  public var count: Int { objects.count }

  public func id(at index: Int) -> ObjectID { objects[index].id }

  /// Adds an object and returns its id.
  @discardableResult
  public func add(_ kind: ObjectKind, _ content: some Collection<UInt8>) -> ObjectID {
    let id = ObjectID(hashing: kind, content)
    add(id, kind, content)
    return id
  }

  /// Adds an object whose id is known.
  func add(_ id: ObjectID, _ kind: ObjectKind, _ content: some Collection<UInt8>) {
    let added: Void? = content.withContiguousStorageIfAvailable { add(id, kind, $0) }
    if added == nil { Array(content).withUnsafeBufferPointer { add(id, kind, $0) } }
  }

  private func add(_ id: ObjectID, _ kind: ObjectKind, _ content: UnsafeBufferPointer<UInt8>) {
    let start = length
    let bound = libdeflate_zlib_compress_bound(compressor, content.count)
    reserve(PackPart.headerLimit + bound)
    writeHeader(kind, size: content.count)
    length += libdeflate_zlib_compress(
      compressor, content.baseAddress, content.count, storage.baseAddress! + length, bound)
    let checksum = libdeflate_crc32(0, storage.baseAddress! + start, length - start)
    objects.append(Object(id: id, checksum: checksum, start: start))
  }

  private func reserve(_ count: Int) {
    if storage.count - length >= count { return }
    let larger = UnsafeMutableRawBufferPointer.allocate(
      byteCount: max(2 * storage.count, length + count), alignment: 16)
    larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: storage[..<length]))
    storage.deallocate()
    storage = larger
  }

  /// Writes kind and size: three bits of kind and four of size, then seven bits of size a byte.
  private func writeHeader(_ kind: ObjectKind, size: Int) {
    let code: UInt8 =
      switch kind {
      case .commit: 1
      case .tree: 2
      case .blob: 3
      case .tag: 4
      }
    var rest = size >> 4
    var byte = code << 4 | UInt8(size & 15)
    while rest > 0 {
      storage[length] = byte | 0x80
      length += 1
      byte = UInt8(rest & 0x7F)
      rest >>= 7
    }
    storage[length] = byte
    length += 1
  }

  /// The bytes of the entries of some objects that follow each other.
  func bytes(of range: Range<Int>) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(
      rebasing: storage[start(of: range.lowerBound)..<start(of: range.upperBound)])
  }

  private func start(of index: Int) -> Int {
    index < objects.count ? objects[index].start : length
  }

  /// Empties the part, to be filled again.
  public func removeAll() {
    length = 0
    objects.removeAll(keepingCapacity: true)
  }
}
