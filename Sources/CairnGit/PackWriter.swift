public import CairnFiles
internal import CDeflate
internal import Crypto
internal import Dispatch
public import SystemPackage

/// Streams objects into one pack of a repository, compressed on all cores and not as deltas: right
/// for more than a handful of them.
///
/// Source: git's Documentation/gitformat-pack.txt, “pack-*.pack files” and “Version 2 pack-*.idx”.
public final class PackWriter: ObjectWriter {
  private struct Entry {
    let id: ObjectID
    let offset: UInt64
    let checksum: UInt32
  }

  private let directory: FilePath
  private let files: FileSystem
  private let isKnown: (ObjectID) -> Bool
  private let temporary: FilePath
  private var file: FileDescriptor?
  private var length: UInt64 = 12
  private var entries: [Entry] = []
  private var written = Set<ObjectID>()
  private var batch: [(id: ObjectID, kind: ObjectKind, bytes: [UInt8])] = []
  private var batchSize = 0
  /// False while a batch or the end of the pack is being written, and for good when that failed.
  private var isWhole = true

  /// The number of bytes after which a batch is compressed and written.
  private static let batchLimit = 4 << 20

  /// - Parameter isKnown: Tells which objects the repository has already; they are left out.
  public init(
    objectsDirectory: FilePath, files: FileSystem,
    isKnown: @escaping (ObjectID) -> Bool = { _ in false }
  ) {
    directory = objectsDirectory.appending("pack")
    self.files = files
    self.isKnown = isKnown
    temporary = directory.appending(
      "tmp_pack_\(String(UInt64.random(in: 0 ... .max), radix: 36))")
  }

  /// A writer into `repository` that leaves out what is there already.
  public convenience init(_ repository: Repository) {
    self.init(
      objectsDirectory: repository.commonDirectory.appending("objects"), files: repository.files,
      isKnown: repository.isKnown)
  }

  deinit {
    guard let file else { return }
    try? file.close()
    try? files.remove(temporary)
  }

  /// The number of objects that are in the pack, or will be.
  public var count: Int { written.count }

  public func write(_ kind: ObjectKind, _ bytes: [UInt8]) throws -> ObjectID {
    let id = ObjectID(hashing: kind, bytes)
    try write(id, kind, bytes)
    return id
  }

  /// Writes an object whose id is known.
  public func write(_ id: ObjectID, _ kind: ObjectKind, _ bytes: [UInt8]) throws {
    if written.contains(id) || isKnown(id) { return }
    written.insert(id)
    batch.append((id, kind, bytes))
    batchSize += bytes.count + 64
    if batchSize >= PackWriter.batchLimit { try flush() }
  }

  public func finish() throws {
    try flush()
    guard let file else { return }
    self.file = nil
    isWhole = false
    defer { if !isWhole { try? files.remove(temporary) } }
    let trailer = try file.closeAfter {
      try file.writeAll(toAbsoluteOffset: 0, header(count: UInt32(entries.count)))
      // The header holds the count, which was not known before: the pack is hashed when it is whole.
      let trailer = try files.withMapping(of: temporary) { bytes in
        var hash = Insecure.SHA1()
        hash.update(bufferPointer: bytes)
        return Array(hash.finalize())
      }
      try file.writeAll(toAbsoluteOffset: Int64(length), trailer)
      try files.sync(file, temporary)
      return trailer
    }
    let name =
      "pack-"
      + trailer.map { byte in
        String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
      }.joined()
    let readOnly: FilePermissions = [.ownerRead, .groupRead, .otherRead]
    let index = directory.appending(name + ".idx.tmp")
    try files.create(index, indexBytes(packTrailer: trailer), durable: true, permissions: readOnly)
    try install(index, as: name)
    (entries, length, isWhole) = ([], 12, true)
  }

  /// Gives pack and index their names, or neither. A pack is looked for by its index, so that
  /// comes last.
  private func install(_ index: FilePath, as name: String) throws {
    let pack = directory.appending(name + ".pack")
    let place = directory.appending(name + ".idx")
    do {
      try files.rename(temporary, to: pack)
      try files.rename(index, to: place)
    } catch {
      try? files.remove(index)
      // The same objects may have been packed before.
      if (try? files.exists(place)) == false { try? files.remove(pack) }
      throw error
    }
    try files.syncDirectory(directory)
  }

  // MARK: Pack

  private func header(count: UInt32) -> [UInt8] {
    Array("PACK".utf8) + bigEndian(UInt32(2)) + bigEndian(count)
  }

  /// Compresses the batch on all cores and writes it in the order it came.
  private func flush() throws {
    guard isWhole else { throw GitError(.other, "an earlier write to this pack failed") }
    if batch.isEmpty { return }
    isWhole = false
    let chunkCount = min(8, (batch.count + 63) / 64)
    let objects = batch
    nonisolated(unsafe) var chunks = [PackChunk](repeating: PackChunk(), count: chunkCount)
    chunks.withUnsafeMutableBufferPointer { buffer in
      nonisolated(unsafe) let chunks = buffer
      DispatchQueue.concurrentPerform(iterations: chunkCount) { index in
        let range =
          objects.count * index / chunkCount..<objects.count * (index + 1) / chunkCount
        chunks[index].compress(objects[range])
      }
    }
    batch.removeAll(keepingCapacity: true)
    batchSize = 0

    let file = try openFile()
    for chunk in chunks {
      for object in chunk.objects {
        entries.append(
          Entry(id: object.id, offset: length + UInt64(object.start), checksum: object.checksum))
      }
      try files.writeAll(chunk.bytes, to: file, temporary)
      length += UInt64(chunk.bytes.count)
    }
    isWhole = true
  }

  private func openFile() throws -> FileDescriptor {
    if let file { return file }
    try files.createDirectory(directory)
    let file = try files.createNew(temporary)
    self.file = file
    try files.writeAll(header(count: 0), to: file, temporary)
    return file
  }

  // MARK: Index

  private func indexBytes(packTrailer: [UInt8]) -> [UInt8] {
    entries.sort { $0.id < $1.id }
    var out: [UInt8] = [0xFF, 0x74, 0x4F, 0x63] + bigEndian(UInt32(2))
    out.reserveCapacity(1072 + entries.count * 28)
    var fanout = [UInt32](repeating: 0, count: 256)
    for entry in entries { fanout[entry.id.firstByte] += 1 }
    var total: UInt32 = 0
    for count in fanout {
      total += count
      out += bigEndian(total)
    }
    for entry in entries { out += entry.id.bytes }
    for entry in entries { out += bigEndian(entry.checksum) }
    var large: [UInt64] = []
    for entry in entries {
      if entry.offset < 1 << 31 {
        out += bigEndian(UInt32(entry.offset))
      } else {
        out += bigEndian(UInt32(1 << 31 | large.count))
        large.append(entry.offset)
      }
    }
    for offset in large { out += bigEndian(offset) }
    out += packTrailer
    out += Array(Insecure.SHA1.hash(data: out))
    return out
  }
}

/// A run of compressed pack entries, made on one core.
private struct PackChunk {
  var bytes: [UInt8] = []
  var objects: [(id: ObjectID, start: Int, checksum: UInt32)] = []

  /// Level 1 of libdeflate: the documents are small and the pack is soon repacked by git's own gc.
  private static let level: CInt = 1

  mutating func compress(
    _ batch: ArraySlice<(id: ObjectID, kind: ObjectKind, bytes: [UInt8])>
  ) {
    let compressor = libdeflate_alloc_compressor(PackChunk.level)
    defer { libdeflate_free_compressor(compressor) }
    for (id, kind, content) in batch {
      let start = bytes.count
      appendHeader(kind, size: content.count)
      let headerEnd = bytes.count
      let bound = libdeflate_zlib_compress_bound(compressor, content.count)
      bytes.append(contentsOf: repeatElement(0, count: bound))
      let size = bytes.withUnsafeMutableBytes { out in
        content.withUnsafeBytes { content in
          libdeflate_zlib_compress(
            compressor, content.baseAddress, content.count, out.baseAddress! + headerEnd, bound)
        }
      }
      bytes.removeLast(bound - size)
      let checksum = bytes.withUnsafeBytes {
        libdeflate_crc32(0, $0.baseAddress! + start, $0.count - start)
      }
      objects.append((id, start, checksum))
    }
  }

  /// Appends kind and size: three bits of kind and four of size, then seven bits of size a byte.
  private mutating func appendHeader(_ kind: ObjectKind, size: Int) {
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
      bytes.append(byte | 0x80)
      byte = UInt8(rest & 0x7F)
      rest >>= 7
    }
    bytes.append(byte)
  }
}

func bigEndian(_ value: some FixedWidthInteger) -> [UInt8] {
  withUnsafeBytes(of: value.bigEndian) { Array($0) }
}
